"""Saying yes to who asks on a square: `agree_at = [[x, y], ...]`, of which the nearest will do."""

from dataclasses import dataclass
from typing import Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, agree_at
from emulator import State

KEY: Final = "agree_at"


@dataclass(frozen=True, slots=True)
class Agreeing:
    """Walking to where one is asked, and agreeing."""

    squares: tuple[tuple[int, int], ...]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the walk and the yes."""
        return agree_at(self.squares, tools.terrain, state)


def read(squares: list[tuple[int, int]]) -> Agreeing:
    """Return what the story file says."""
    return Agreeing(tuple((x, y) for x, y in squares))
