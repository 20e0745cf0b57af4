"""Taking what lies where only so many steps may be taken: `fetch = { person = slot, outside = map }`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, fetch
from emulator import State

KEY: Final = "fetch"


@dataclass(frozen=True, slots=True)
class Fetching:
    """Taking one thing where the steps that are left suffice, and else giving up this visit."""

    slot: int
    outside: int
    masters: frozenset[str] = LISTENING

    @property
    def people(self) -> tuple[int, ...]:
        """What lies there is an object of the map as people are."""
        return (self.slot,)

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the way there and the grip."""
        return fetch(self.slot, self.outside, tools.terrain, state)


def read(thing: Mapping[str, Any]) -> Fetching:
    """Return what the story file says."""
    return Fetching(thing["person"], thing["outside"])
