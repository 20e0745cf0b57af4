"""A stand-in for the service with scenarios, faults and the strict validation of the real one.

`python -m tests.fake_service [--port N] [--scenario NAME_OR_PATH] [--faults SHARE] [--seed N]` serves it.
"""

from agent.fake_claude.answers import AnswerKind, ParsedRequest, ToolCall
from tests.fake_service.faults import FaultSpread, ServiceFault, ServiceFaultKind
from tests.fake_service.scenario import (
    ScriptedAnswer,
    ServiceScenario,
    scenario_named,
    scenario_of,
    shipped_scenarios,
)
from tests.fake_service.server import FakeClaude

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
    "shipped_scenarios",
]
