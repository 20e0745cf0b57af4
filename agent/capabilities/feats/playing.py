"""Playing on a thing beside whoever sleeps in the way: `play_on = { item = number, at = [x, y] }`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, play_on
from emulator import State

KEY: Final = "play_on"


@dataclass(frozen=True, slots=True)
class Playing:
    """Waking who sleeps on a square."""

    item: int
    square: tuple[int, int]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the way there and the tune."""
        return play_on(self.item, self.square, tools.terrain, state)


def read(tune: Mapping[str, Any]) -> Playing:
    """Return what the story file says."""
    x, y = tune["at"]
    return Playing(tune["item"], (x, y))
