"""Where the player stands and which way he looks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.excerpt import remembered
from emulator.ram.view import Ram

MAP: Final = symbol("wCurMap")
Y: Final = symbol("wYCoord")
X: Final = symbol("wXCoord")
LAST_MAP: Final = symbol("wLastMap")
TILESET: Final = symbol("wCurMapTileset")  # bit 7 is set for a moment after loading a save
HEIGHT: Final = symbol("wCurMapHeight")  # in blocks
WIDTH: Final = symbol("wCurMapWidth")  # in blocks
CONNECTIONS: Final = symbol("wCurMapConnections")
WALK_COUNTER: Final = symbol("wWalkCounter")
FACING: Final = symbol("wSpritePlayerStateData1FacingDirection")
TRAVEL: Final = symbol("wWalkBikeSurfState")


class Position(NamedTuple):
    """A square of a map, in steps from its top left corner."""

    x: int
    y: int


_DELTAS: Final = {0: Position(0, 1), 4: Position(0, -1), 8: Position(-1, 0), 12: Position(1, 0)}


class Facing(Enum):
    """A direction; the value is what the game stores for it.

    `delta` is one step this way: `dx` to the right, `dy` down.
    """

    DOWN = 0
    UP = 4
    LEFT = 8
    RIGHT = 12

    # Routes ask for these by the thousand: attributes are found at once.
    delta: Position
    dx: int
    dy: int

    def __init__(self, code: int) -> None:
        self.delta = _DELTAS[code]
        self.dx, self.dy = self.delta

    @property
    def opposite(self) -> Facing:
        """The other way."""
        return Facing(self.value ^ 4)


_FACINGS: Final = tuple([Facing(code & 0x0C) for code in range(0x100)])


class Travel(Enum):
    """How the player gets along."""

    WALK = 0
    BIKE = 1
    SURF = 2


@dataclass(frozen=True, slots=True)
class Connections:
    """On which sides another map joins this one."""

    north: bool
    south: bool
    west: bool
    east: bool


_CONNECTIONS: Final = tuple(
    [Connections(bool(f & 8), bool(f & 4), bool(f & 2), bool(f & 1)) for f in range(16)]
)


@dataclass(frozen=True, slots=True)
class MapState:
    """Where the player is; `x` and `y` in steps, `width` and `height` in blocks of two steps."""

    map_id: int
    x: int
    y: int
    facing: Facing
    width: int
    height: int
    tileset: int
    last_map: int
    walk_counter: int
    connections: Connections
    travel: Travel

    @property
    def position(self) -> Position:
        """The square the player stands on."""
        return Position(self.x, self.y)

    @property
    def on_map(self) -> bool:
        """Whether the square is inside the map, which it is not while crossing an edge."""
        return self.x < 2 * self.width and self.y < 2 * self.height


@remembered(
    (FACING, 1),
    (WALK_COUNTER, 1),
    (MAP, CONNECTIONS + 1 - MAP),
    (TRAVEL, 1),
)
def read_map(ram: Ram) -> MapState:
    """Return where the player is."""
    here = ram.span(MAP, CONNECTIONS + 1 - MAP)
    travel = ram.byte(TRAVEL)
    return MapState(
        map_id=here[0],
        x=here[X - MAP],
        y=here[Y - MAP],
        facing=_FACINGS[ram.byte(FACING)],
        width=here[WIDTH - MAP],
        height=here[HEIGHT - MAP],
        tileset=here[TILESET - MAP] & 0x7F,
        last_map=here[LAST_MAP - MAP],
        walk_counter=ram.byte(WALK_COUNTER),
        connections=_CONNECTIONS[here[CONNECTIONS - MAP] & 15],
        travel=Travel(travel) if travel <= Travel.SURF.value else Travel.WALK,
    )
