"""Scenarios: a moment derived from power-on or saved by a user, what is done there, and what must be true then.

Knows files, derived states and checks; play itself is `agent.app`'s, and the machine the emulator's.
"""

from agent.scenario.cache import Cache
from agent.scenario.file import Scenario, read_scenario, read_scenarios
from agent.scenario.listing import Listed, listed
from agent.scenario.recording import Wanted, from_stuck, record
from agent.scenario.run import Report, Verdict, run_scenario
from agent.scenario.side_by_side import run_all
from agent.scenario.tally import page, require_tally_or_new, tallies

__all__ = [
    "Cache",
    "Listed",
    "Report",
    "Scenario",
    "Verdict",
    "Wanted",
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
