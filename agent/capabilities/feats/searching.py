"""Searching trash cans for two switches: `search = [[x, y], ...]`, the cans in the order of their numbers."""

from dataclasses import dataclass
from typing import Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, search
from emulator import State

KEY: Final = "search"


@dataclass(frozen=True, slots=True)
class Searching:
    """Searching the cans of a map."""

    cans: tuple[tuple[int, int], ...]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the search."""
        return search(self.cans, tools.terrain, state)


def read(cans: list[tuple[int, int]]) -> Searching:
    """Return what the story file says."""
    return Searching(tuple((x, y) for x, y in cans))
