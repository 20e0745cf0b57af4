"""Examining a square from any side: `examine = [x, y]`."""

from dataclasses import dataclass
from typing import Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, examine
from emulator import Facing, State

KEY: Final = "examine"


@dataclass(frozen=True, slots=True)
class Examining:
    """Examining one square."""

    square: tuple[int, int]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the way there and the reading."""
        return examine(self.square, tools.terrain, state, facings=tuple(Facing))


def read(square: tuple[int, int]) -> Examining:
    """Return what the story file says."""
    x, y = square
    return Examining((x, y))
