"""What a feat is: the part of a task that a skill carries out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from agent.skills import Skill, Terrain
from emulator import Dex, State

LISTENING: Final = frozenset({"busy", "text", "stray_menu"})  # reflexes that a talk does without


@dataclass(frozen=True, slots=True)
class Tools:
    """What feats are done with; `person` tells which of several people was chosen, at a moment."""

    terrain: Terrain
    dex: Dex
    person: Callable[[State], int]


class Feat(Protocol):
    """One way to do a task, on the map of its place."""

    @property
    def masters(self) -> frozenset[str]:
        """The reflexes that watch for what the skill handles itself."""

    @property
    def people(self) -> tuple[int, ...]:
        """The sprite slots of whom it is about, any one of them; nobody else asks them."""

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the skill that does it."""
