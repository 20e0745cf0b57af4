"""Handing in a stone that somebody sleeps in: `hand_in = { person = slot, item = number }`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, hand_in
from emulator import State

KEY: Final = "hand_in"


@dataclass(frozen=True, slots=True)
class HandingIn:
    """Giving one thing to one person."""

    person: int
    item: int
    masters: frozenset[str] = LISTENING

    @property
    def people(self) -> tuple[int, ...]:
        """The person."""
        return (self.person,)

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the way there and the gift."""
        name = tools.dex.item_name(self.item)
        return hand_in(self.person, self.item, name, tools.terrain, state)


def read(gift: Mapping[str, Any]) -> HandingIn:
    """Return what the story file says."""
    return HandingIn(gift["person"], gift["item"])
