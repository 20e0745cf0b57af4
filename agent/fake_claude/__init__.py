"""A server that speaks the Messages API on loopback and is no model: for tests, and for trying without a key."""

from agent.fake_claude.answer import Answer, Call
from agent.fake_claude.ask import Ask, Kind
from agent.fake_claude.faults import Fault, FaultKind, Spread
from agent.fake_claude.scenario import Line, Scenario
from agent.fake_claude.scenario_file import scenario_named, scenario_of, shipped
from agent.fake_claude.server import FakeClaude
from agent.fake_claude.tally import Received, Tally

__all__ = [
    "Answer",
    "Ask",
    "Call",
    "FakeClaude",
    "Fault",
    "FaultKind",
    "Kind",
    "Line",
    "Received",
    "Scenario",
    "Spread",
    "Tally",
    "scenario_named",
    "scenario_of",
    "shipped",
]
