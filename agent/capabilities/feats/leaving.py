"""Leaving where one is asked whether one would: `leave = map`, to which the way out leads."""

from dataclasses import dataclass
from typing import Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, leave_saying_yes
from emulator import State

KEY: Final = "leave"


@dataclass(frozen=True, slots=True)
class Leaving:
    """Walking out and saying yes."""

    outside: int
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the way out and the yes."""
        return leave_saying_yes(tools.terrain, self.outside, state)


def read(outside: int) -> Leaving:
    """Return what the story file says."""
    return Leaving(outside)
