"""The player's position and direction, the other sprites on the map, and the squares that the screen shows."""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from emulator.profile import symbol
from emulator.ram.tile_map import (
    BOTTOM_LEFT,
    BOTTOM_RIGHT,
    COLUMNS,
    ROWS,
    TOP_LEFT,
    TOP_RIGHT,
    read_tiles,
)
from emulator.ram.view import Ram, cached_on
from emulator.text import bits

MAP: Final = symbol("wCurMap")
Y: Final = symbol("wYCoord")
X: Final = symbol("wXCoord")
TILESET: Final = symbol("wCurMapTileset")  # bit 7 is set for a moment after loading a save
HEIGHT: Final = symbol("wCurMapHeight")  # in blocks
WIDTH: Final = symbol("wCurMapWidth")  # in blocks
WALK_COUNTER: Final = symbol("wWalkCounter")
FACING: Final = symbol("wSpritePlayerStateData1FacingDirection")
TRAVEL: Final = symbol("wWalkBikeSurfState")


class Position(NamedTuple):
    """A square of a map, in steps from its top left corner."""

    x: int
    y: int


class MapPosition(NamedTuple):
    """A square of a particular map."""

    map_id: int
    x: int
    y: int


_DELTAS: Final = {0: Position(0, 1), 4: Position(0, -1), 8: Position(-1, 0), 12: Position(1, 0)}


class Facing(Enum):
    """A direction; the value is the game's code for it.

    `delta` is one step in this direction: `dx` to the right, `dy` down.
    """

    DOWN = 0
    UP = 4
    LEFT = 8
    RIGHT = 12

    # Routes read these very often: attributes are fastest.
    delta: Position
    dx: int
    dy: int

    def __init__(self, code: int) -> None:
        self.delta = _DELTAS[code]
        self.dx, self.dy = self.delta

    @property
    def opposite(self) -> "Facing":
        """The opposite direction."""
        return Facing(self.value ^ 4)


_FACINGS: Final = tuple([Facing(code & 0x0C) for code in range(0x100)])


class Travel(Enum):
    """How the player moves."""

    WALK = 0
    BIKE = 1
    SURF = 2


@dataclass(frozen=True, slots=True)
class MapState:
    """The player's location; `x` and `y` in steps, `width` and `height` in blocks of two steps."""

    map_id: int
    x: int
    y: int
    facing: Facing
    width: int
    height: int
    tileset: int
    travel: Travel

    @property
    def position(self) -> Position:
        """The player's square."""
        return Position(self.x, self.y)

    @property
    def on_map(self) -> bool:
        """Whether the square is inside the map; false while crossing an edge."""
        return self.x < 2 * self.width and self.y < 2 * self.height


@cached_on((FACING, 1), (MAP, WIDTH + 1 - MAP), (TRAVEL, 1))
def read_map(ram: Ram) -> MapState:
    """Return the player's location."""
    here = ram.span(MAP, WIDTH + 1 - MAP)
    travel = ram.byte(TRAVEL)
    return MapState(
        map_id=here[0],
        x=here[X - MAP],
        y=here[Y - MAP],
        facing=_FACINGS[ram.byte(FACING)],
        width=here[WIDTH - MAP],
        height=here[HEIGHT - MAP],
        tileset=here[TILESET - MAP] & 0x7F,
        travel=Travel(travel) if travel <= Travel.SURF.value else Travel.WALK,
    )


VISITED_TOWNS: Final = symbol("wTownVisitedFlag")  # one bit per town, by map id
FIRST_ROUTE: Final = 11


def read_visited(ram: Ram) -> frozenset[int]:
    """Return the map ids of the towns entered so far."""
    return _towns(ram.span(VISITED_TOWNS, 2))


@lru_cache(maxsize=64)
def _towns(marks: bytes) -> frozenset[int]:
    low, high = marks
    return frozenset((*bits(low), *(8 + bit for bit in bits(high)))) & frozenset(range(FIRST_ROUTE))


DATA_1: Final = symbol("wSpriteStateData1")  # 16 bytes per slot
DATA_2: Final = symbol("wSpriteStateData2")
SLOT_SIZE: Final = 16
SLOTS: Final = 16
# offsets into wSpriteStateData1
PICTURE: Final = 0
STATUS: Final = 1
IMAGE: Final = 2
SPRITE_FACING: Final = 9
# offsets into wSpriteStateData2
MAP_Y: Final = 4
MAP_X: Final = 5
BORDER: Final = 4  # added to map coordinates by the game

MOVING: Final = 3
NOT_DRAWN: Final = 0xFF


@dataclass(frozen=True, slots=True)
class Person:
    """A person or thing on the map that may block a square."""

    slot: int
    picture: int
    x: int
    y: int
    facing: Facing
    moving: bool
    on_screen: bool

    @property
    def position(self) -> Position:
        """The square it occupies."""
        return Position(self.x, self.y)


def read_people(ram: Ram) -> tuple[Person, ...]:
    """Return the sprites of the map, slots 1 to 15; hidden ones are listed as not on the screen."""
    looks = ram.span(DATA_1, SLOTS * SLOT_SIZE)
    places = ram.span(DATA_2, SLOTS * SLOT_SIZE)
    return _decode_people(
        looks[PICTURE::SLOT_SIZE],
        looks[STATUS::SLOT_SIZE].translate(_MOVES),
        looks[IMAGE::SLOT_SIZE].translate(_SHOWS),
        looks[SPRITE_FACING::SLOT_SIZE].translate(_FACES),
        places[MAP_X::SLOT_SIZE],
        places[MAP_Y::SLOT_SIZE],
    )


# A sprite's bytes change with every animation frame; the decoded values do not.
_MOVES: Final = bytes(status & 0x7F == MOVING for status in range(0x100))
_SHOWS: Final = bytes(image != NOT_DRAWN for image in range(0x100))
_FACES: Final = bytes(facing & 0x0C for facing in range(0x100))


@lru_cache(maxsize=64)
def _decode_people(
    pictures: bytes, moving: bytes, shown: bytes, facings: bytes, xs: bytes, ys: bytes
) -> tuple[Person, ...]:
    rows = zip(pictures, moving, shown, facings, xs, ys, strict=True)
    return tuple(
        [
            Person(
                slot=slot,
                picture=picture,
                x=x - BORDER,
                y=y - BORDER,
                facing=Facing(facing),
                moving=bool(moves),
                on_screen=bool(shows),
            )
            for slot, (picture, moves, shows, facing, x, y) in enumerate(rows)
            if slot and picture
        ]
    )


LIST: Final = symbol("wToggleableObjectList")  # pairs: sprite slot, toggle index
LIST_SIZE: Final = 33
LIST_END: Final = 0xFF


def read_hidden_slots(ram: Ram, hidden: bytes) -> frozenset[int]:
    """Return the sprite slots of this map whose bit is set in `hidden`, wToggleableObjectFlags."""
    listed = ram.span(LIST, LIST_SIZE).split(bytes([LIST_END]), 1)[0]
    pairs = zip(listed[::2], listed[1::2], strict=False)
    return frozenset(slot for slot, toggle in pairs if hidden[toggle >> 3] >> (toggle & 7) & 1)


Square: TypeAlias = tuple[int, int]

SQUARES_WIDE: Final = COLUMNS // 2
SQUARES_HIGH: Final = ROWS // 2
# The player stands in the fifth column and fifth row of squares.
LEFT: Final = 4
ABOVE: Final = 4
CORNERS: Final = frozenset({TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT})


def read_tiles_in_sight(ram: Ram, here: Position) -> dict[Square, int] | None:
    """Return the collision tile of each square in sight of `here`; None while a box covers some.

    These are 10 columns and 9 rows of squares; some may be beyond the edges of the map.
    """
    tiles = read_tiles(ram)
    if not CORNERS.isdisjoint(tiles):
        return None
    return dict(zip(squares_in_sight(here), collision_tiles(tiles), strict=True))


def squares_in_sight(here: Position) -> list[Square]:
    """Return the squares that the screen shows around the player, row by row."""
    left, top = here.x - LEFT, here.y - ABOVE
    return [
        (x, y) for y in range(top, top + SQUARES_HIGH) for x in range(left, left + SQUARES_WIDE)
    ]


def is_in_sight(here: Position, square: Square) -> bool:
    """Return whether the screen shows a square when the player stands on `here`."""
    column, row = square[0] - here.x + LEFT, square[1] - here.y + ABOVE
    return 0 <= column < SQUARES_WIDE and 0 <= row < SQUARES_HIGH


def collision_tiles(tiles: bytes) -> bytes:
    """Return the collision tiles of the screen, the bottom left tile of each square."""
    return b"".join(tiles[row * COLUMNS : (row + 1) * COLUMNS : 2] for row in range(1, ROWS, 2))
