"""Scenarios: a moment derived from power-on or saved by a user, what is done there, and what must be true then.

Play itself is `agent.app`'s, and the machine the emulator's.
"""

from agent.tools.scenario.capture import MomentRequest, from_stuck, record
from agent.tools.scenario.file import Listed, listed, read_scenario, read_scenarios
from agent.tools.scenario.run import (
    Report,
    ScenarioVerdict,
    page,
    require_tally_or_new,
    run_all,
    run_scenario,
    tallies,
)
from agent.tools.scenario.start import Cache

__all__ = [
    "Cache",
    "Listed",
    "MomentRequest",
    "Report",
    "ScenarioVerdict",
    "from_stuck",
    "listed",
    "page",
    "read_scenario",
    "read_scenarios",
    "record",
    "require_tally_or_new",
    "run_all",
    "run_scenario",
    "tallies",
]
