"""One moment as the mind gets it."""

from dataclasses import dataclass
from typing import NamedTuple

from agent.perception.sight import Sight
from emulator import State


class Place(NamedTuple):
    """A square of a map."""

    map_id: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Percept:
    """State and screen together.

    `text` is what the tile map says, without blank rows; `confidence` is how far the latest reading of pixels agreed
    with it (0 to 1); `disagreements` are those found in this moment, in words; `sight` is None
    unless a frame was looked at; `came_from` is the map in which the player was last free to walk,
    None before the first.
    """

    tick: int
    state: State
    text: str
    confidence: float
    disagreements: tuple[str, ...]
    sight: Sight | None
    came_from: int | None

    @property
    def place(self) -> Place:
        """Where the player stands."""
        here = self.state.map
        return Place(here.map_id, here.x, here.y)
