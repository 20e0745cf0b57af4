"""What there is to run, without running it: what each scenario says, and where it begins."""

from __future__ import annotations

from dataclasses import dataclass

from agent.errors import ScenarioError
from agent.scenario.file import Scenario
from agent.scenario.stages import Saved
from agent.scenario.states import cartridge_name, origin_of, state_path
from emulator import EMULATOR


@dataclass(frozen=True, slots=True)
class Listed:
    """One scenario; `trouble` is why its saved moment cannot be used with this emulator, '' where it can."""

    name: str
    pitfall: str
    says: str
    start: str
    trouble: str = ""


def listed(scenario: Scenario) -> Listed:
    """Return what people want to know of a scenario."""
    start, trouble = _beginning(scenario)
    return Listed(scenario.name, scenario.pitfall, scenario.says, start, trouble)


def _beginning(scenario: Scenario) -> tuple[str, str]:
    first = scenario.start[0] if scenario.start else None
    if isinstance(first, Saved):
        return _saved(scenario, first)
    return (f"after moment {scenario.after}" if scenario.after else "power-on"), ""


def _saved(scenario: Scenario, saved: Saved) -> tuple[str, str]:
    """Return where a saved moment comes from, and why it is of no use here."""
    try:
        made_by, sha1, frame = origin_of(state_path(scenario.states, saved.name))
    except ScenarioError as error:
        return f"state {saved.name}", str(error)
    start = f"state {saved.name}: {cartridge_name(sha1)}, frame {frame:,}, {made_by}"
    return start, "" if made_by == EMULATOR else f"this is {EMULATOR}; record it again"
