"""The milestones reached, each with its two witnesses: work RAM, and a rendered frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.perception import Percept, Sight
from emulator import State
from memory import Hooks, Json, as_json, hookable


@dataclass(frozen=True, slots=True)
class Milestone:
    """A story fact that the cartridge must show: standing free in a place."""

    id: str
    says: str
    place: str
    map_id: int

    def shown_by_ram(self, state: State) -> bool:
        """Say whether work RAM shows it."""
        return state.game_started and state.in_control and state.map.map_id == self.map_id

    def shown(self, state: State, sight: Sight) -> bool:
        """Say whether both witnesses show it, and the same square of the same map."""
        here = state.map
        same = sight.scene is not None and sight.scene.shows(here.map_id, here.x, here.y)
        return same and self.shown_by_ram(state)


@dataclass(frozen=True, slots=True)
class Reached:
    """A milestone, when it was reached, and what testified."""

    id: str
    tick: int
    witnesses: Mapping[str, str]


class Ledger:
    """Which milestones are reached; only both witnesses together write a line."""

    def __init__(self, milestones: Sequence[Milestone], hooks: Hooks) -> None:
        self.hooks = hooks
        self._milestones = tuple(milestones)
        self._reached: dict[str, Reached] = {}

    @property
    def reached(self) -> tuple[Reached, ...]:
        """What has been reached, in order."""
        return tuple(self._reached.values())

    def has(self, milestone_id: str) -> bool:
        """Say whether a milestone has been reached."""
        return milestone_id in self._reached

    def due(self, state: State) -> bool:
        """Say whether RAM shows a milestone that still lacks its second witness."""
        return any(not self.has(each.id) and each.shown_by_ram(state) for each in self._milestones)

    @hookable
    def observe(self, percept: Percept) -> tuple[Reached, ...]:
        """Write down and return what this moment proves, by both witnesses."""
        sight = percept.sight
        if sight is None:
            return ()
        fresh = tuple(
            Reached(each.id, percept.tick, _witnesses(percept.state, sight))
            for each in self._milestones
            if not self.has(each.id) and each.shown(percept.state, sight)
        )
        self._reached.update({each.id: each for each in fresh})
        return fresh

    def to_json(self) -> dict[str, Json]:
        """Return what was reached, as `restore` reads it back."""
        return {"reached": [as_json(each) for each in self._reached.values()]}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned."""
        reached = [Reached(**each) for each in data["reached"]]
        self._reached = {each.id: each for each in reached}


def _witnesses(state: State, sight: Sight) -> dict[str, str]:
    here = state.map
    return {"ram": f"wCurMap {here.map_id} at ({here.x},{here.y})", "frame": sight.says}
