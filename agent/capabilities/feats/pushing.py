"""Pushing boulders: `push = [[slot, [x, y]], ...]`, one after the other, each to the square it should come to."""

from dataclasses import dataclass
from typing import Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, Wish, push_boulders
from emulator import State

KEY: Final = "push"


@dataclass(frozen=True, slots=True)
class Pushing:
    """Pushing some boulders."""

    wishes: tuple[Wish, ...]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the work on all of them."""
        return push_boulders(self.wishes, tools.terrain, state)


def read(rows: list[tuple[int, tuple[int, int]]]) -> Pushing:
    """Return what the story file says."""
    return Pushing(tuple(Wish(slot, (x, y)) for slot, (x, y) in rows))
