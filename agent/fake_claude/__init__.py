"""A server that speaks the Messages API on loopback and is no model: for tests, and for trying play without a key."""

from agent.fake_claude.answers import AnswerKind, ParsedRequest, ToolCall
from agent.fake_claude.faults import FaultSpread, ServiceFault, ServiceFaultKind
from agent.fake_claude.scenario import (
    ScriptedAnswer,
    ServiceScenario,
    scenario_named,
    scenario_of,
    shipped,
)
from agent.fake_claude.server import FakeClaude

__all__ = [
    "AnswerKind",
    "FakeClaude",
    "FaultSpread",
    "ParsedRequest",
    "ScriptedAnswer",
    "ServiceFault",
    "ServiceFaultKind",
    "ServiceScenario",
    "ToolCall",
    "scenario_named",
    "scenario_of",
    "shipped",
]
