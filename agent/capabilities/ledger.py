"""The milestones reached, each with its two witnesses: work RAM, and a rendered frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.perception import Percept, Sight
from emulator import State


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

    def shown_by_frame(self, sight: Sight) -> bool:
        """Say whether a rendered frame shows it, read without any RAM."""
        return sight.scene is not None and sight.scene.map_id == self.map_id


@dataclass(frozen=True, slots=True)
class Reached:
    """A milestone, when it was reached, and what testified."""

    id: str
    tick: int
    witnesses: Mapping[str, str]


class Ledger:
    """Which milestones are reached; only both witnesses together write a line."""

    def __init__(self, milestones: Sequence[Milestone], reached: Sequence[Reached] = ()) -> None:
        self._milestones = tuple(milestones)
        self._reached = {each.id: each for each in reached}

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

    def observe(self, percept: Percept) -> tuple[Reached, ...]:
        """Write down and return what this moment proves, by both witnesses."""
        sight = percept.sight
        if sight is None:
            return ()
        fresh = tuple(
            Reached(each.id, percept.tick, _witnesses(percept.state, sight))
            for each in self._milestones
            if not self.has(each.id)
            and each.shown_by_ram(percept.state)
            and each.shown_by_frame(sight)
        )
        self._reached.update({each.id: each for each in fresh})
        return fresh


def _witnesses(state: State, sight: Sight) -> dict[str, str]:
    here = state.map
    return {"ram": f"wCurMap {here.map_id} at ({here.x},{here.y})", "frame": sight.says}
