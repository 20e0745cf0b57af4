"""Scenarios: a moment derived from power-on, what is done there, and what must be true then.

Knows files, derived states and checks; play itself is `agent.app`'s, and the machine the emulator's.
"""

from agent.scenario.cache import Cache
from agent.scenario.file import Scenario, read_scenario, read_scenarios
from agent.scenario.run import Report, run_scenario

__all__ = [
    "Cache",
    "Report",
    "Scenario",
    "read_scenario",
    "read_scenarios",
    "run_scenario",
]
