"""An atlas as data: sheets with a picture each, and what lies over it. Knows nothing of files or pages.

All places are pixels of the sheet's picture, from its top left corner; `step` of them are one square.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from agent.report.atlas.trail import MarkKind

SQUARE: Final = 16  # pixels of the Game Boy, across and down


class Stretch(NamedTuple):
    """What was walked for the first time around one moment, as SVG path data.

    `share` is that moment's place in the time of the trail, 0 to 1. Each `M` of `path` begins an unbroken walk.
    """

    share: float
    path: str


class Trodden(NamedTuple):
    """Squares side by side that were walked about as often: `times` is how often the busiest of them was.

    It is as high as a step, and `width` wide; `x`, `y` is its top left corner.
    """

    x: int
    y: int
    width: int
    times: int


class Jump(NamedTuple):
    """Two squares of the sheet between which nobody walked: a warp on the same map, a blackout, a restore."""

    x: int
    y: int
    to_x: int
    to_y: int
    times: int


class Pin(NamedTuple):
    """One or several marks of a kind on a square, or too near to one another to be told apart.

    `numbers` are those of the milestones among all of the atlas, from 1 on; other kinds have none.
    """

    x: int
    y: int
    kind: MarkKind
    numbers: tuple[int, ...]
    labels: tuple[str, ...]


class End(NamedTuple):
    """Where the trail begins or ends."""

    x: int
    y: int
    tick: int
    is_last: bool


class Region(NamedTuple):
    """The part of a sheet that one map takes."""

    x: int
    y: int
    width: int
    height: int
    name: str
    visited: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """One picture: all maps that join one another, or one that joins none. `key` differs from sheet to sheet.

    `scale` is how many pixels of the Game Boy are one of the picture, across and down; `shown` is how
    many CSS pixels wide a page shows it where there is room.
    """

    key: str
    title: str
    width: int
    height: int
    scale: int
    shown: int
    png: bytes = field(repr=False)
    regions: tuple[Region, ...]
    route: tuple[Stretch, ...] = field(repr=False)
    heat: tuple[Trodden, ...] = field(repr=False)
    jumps: tuple[Jump, ...] = field(repr=False)
    pins: tuple[Pin, ...]
    ends: tuple[End, ...]

    @property
    def step(self) -> int:
        """Pixels from one square to the next."""
        return SQUARE // self.scale

    @property
    def is_joined(self) -> bool:
        """Whether it shows several maps, as outdoors."""
        return len(self.regions) > 1


@dataclass(frozen=True, slots=True)
class Atlas:
    """All sheets, those of joined maps first, and what could not be drawn on any.

    `dropped` visits and `unplaced` marks were on no square of the cartridge, or between two maps.
    """

    sheets: tuple[Sheet, ...]
    visits: int
    dropped: int
    unplaced: int
