"""Walking to a square where something happens: `walk_to = [[x, y], ...]`, of which the nearest will do."""

from dataclasses import dataclass
from typing import Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Destination, Skill, travel
from emulator import State

KEY: Final = "walk_to"


@dataclass(frozen=True, slots=True)
class Walking:
    """Walking to one of some squares."""

    squares: tuple[tuple[int, int], ...]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the walk."""
        there = Destination(state.map.map_id, frozenset(self.squares))
        return travel(tools.terrain, there, state)


def read(squares: list[tuple[int, int]]) -> Walking:
    """Return what the story file says."""
    return Walking(tuple((x, y) for x, y in squares))
