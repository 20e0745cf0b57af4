"""Getting a drink out of a machine: `vend = { item = number, at = [x, y] }`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, nothing, vend
from emulator import State

KEY: Final = "vend"


@dataclass(frozen=True, slots=True)
class Vending:
    """Buying one drink; the cartridge tells in which row of the menu it stands."""

    item: int
    square: tuple[int, int]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the way there and the purchase."""
        wares = list(tools.dex.vending)
        if self.item not in wares:
            return nothing()
        return vend(self.item, wares.index(self.item), self.square, tools.terrain, state)


def read(drink: Mapping[str, Any]) -> Vending:
    """Return what the story file says."""
    x, y = drink["at"]
    return Vending(drink["item"], (x, y))
