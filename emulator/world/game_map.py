"""One decoded map: passable squares, obstacles, ledges, warps and connections."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from emulator.ram.map import Facing, MapPosition, Position
from emulator.world.header import Connection, MapHeader, RawWarp
from emulator.world.layout import Layout
from emulator.world.map_objects import MapObject
from emulator.world.tileset import Ground, Obstacle, Tileset, obstacle_on

Square = tuple[int, int]

LAST_MAP: Final = 0xFF  # as a warp's destination: the outdoor map the player came from

# Maps on which a warp fires towards a warp mat ahead, not towards the edge of the map.
CARPET_TILESETS: Final = (0, 13, 14, 23)  # OVERWORLD, SHIP, SHIP_PORT, PLATEAU
CARPET_MAPS: Final = (199, 200, 202, 82)  # ROCKET_HIDEOUT_B1F, _B2F, _B4F, ROCK_TUNNEL_1F
EDGE_MAPS: Final = (97,)  # SS_ANNE_3F
BOW_MAP: Final = 99  # SS_ANNE_BOW
BOW_TILE: Final = 0x15
LEDGE_TILESET: Final = 0  # OVERWORLD


class WarpTrigger(Enum):
    """What makes a warp fire."""

    STEP = "step"  # stepping onto it
    PRESS = "press"  # standing on it and pressing a direction
    NONE = "none"  # an arrival point, or used by scripts only


@dataclass(frozen=True, slots=True)
class Warp:
    """A warp; `map_id` 0xFF is the last outdoor map.

    `press` holds the directions that fire the warp when the player stands on it, as after arriving by it.
    """

    index: int
    x: int
    y: int
    map_id: int
    warp_index: int
    trigger: WarpTrigger
    press: frozenset[Facing]

    @property
    def position(self) -> Position:
        """The square of the warp."""
        return Position(self.x, self.y)

    @property
    def steps(self) -> bool:
        """Whether stepping onto the square is enough."""
        return self.trigger is WarpTrigger.STEP


@dataclass(frozen=True, slots=True)
class GameMap:
    """A map of `columns` by `rows` squares, two by two per block of its header."""

    map_id: int
    header: MapHeader = field(repr=False)
    tileset: Tileset = field(repr=False)
    layout: Layout = field(repr=False)
    ground: Ground = field(repr=False)
    warps: tuple[Warp, ...]
    _warp_on: Mapping[Square, Warp] = field(default_factory=dict, repr=False, compare=False)

    @property
    def columns(self) -> int:
        """Width in squares."""
        return 2 * self.header.width

    @property
    def rows(self) -> int:
        """Height in squares."""
        return 2 * self.header.height

    @property
    def people(self) -> tuple[MapObject, ...]:
        """The people, items and trainers that the map defines."""
        return self.header.people

    def contains(self, x: int, y: int) -> bool:
        """Return whether a square is on this map."""
        return 0 <= x < self.columns and 0 <= y < self.rows

    def tile(self, x: int, y: int) -> int:
        """Return the collision tile of a square, up to five squares beyond the edges."""
        return self.layout.tile(x, y)

    def passable(self, x: int, y: int) -> bool:
        """Return whether a square is on the map and passable."""
        header = self.header  # `contains` written out: called very often
        inside = 0 <= x < 2 * header.width and 0 <= y < 2 * header.height
        return inside and self.layout.is_floor(x, y)

    def obstacle(self, x: int, y: int) -> Obstacle | None:
        """Return the obstacle on a square of this map, or None."""
        if not self.contains(x, y):
            return None
        return obstacle_on(self.map_id, self.tileset, self.tile(x, y))

    @property
    def obstacles(self) -> frozenset[Obstacle]:
        """Every kind of obstacle on this map."""
        squares = ((x, y) for y in range(self.rows) for x in range(self.columns))
        return frozenset(found for square in squares if (found := self.obstacle(*square)))

    def can_surf(self, square: Square, facing: Facing) -> bool:
        """Return whether SURF can cross from `square` to the next one, at least one of them water."""
        x, y = square
        pair = frozenset((self.tile(x, y), self.tile(x + facing.dx, y + facing.dy)))
        return pair not in self.tileset.water_pairs

    def can_step(self, square: Square, facing: Facing) -> bool:
        """Return whether the player can walk from `square` to the next one, ignoring people."""
        x, y = square
        ahead_x, ahead_y = x + facing.dx, y + facing.dy
        if not self.passable(ahead_x, ahead_y):
            return False
        if not self.tileset.pairs:
            return True
        return self.tileset.joined(self.tile(x, y), self.tile(ahead_x, ahead_y))

    def hop(self, square: Square, facing: Facing) -> Position | None:
        """Return the landing square of a jump over the ledge ahead of `square`, or None without a ledge.

        A ledge is crossed in this direction only and in one move: the player never stands on the square between.
        The game does not check the landing, so neither collision nor people matter there;
        only a landing beyond the edge of the map is excluded.
        """
        if self.tileset.tileset_id != LEDGE_TILESET:
            return None
        x, y = square
        dx, dy = facing.delta
        edge = (facing, self.tile(x, y), self.tile(x + dx, y + dy))
        if edge not in self.ground.ledges:
            return None
        landing = Position(x + 2 * dx, y + 2 * dy)
        return landing if self.contains(*landing) else None

    def crossing(self, square: Square, facing: Facing) -> MapPosition | None:
        """Return the destination of a step over the edge to the connected map, or None."""
        x, y = square[0] + facing.dx, square[1] + facing.dy
        if self.contains(x, y):
            return None
        joined = (_cross(each, x, y) for each in self.header.connections if each.side is facing)
        return next(joined, None)

    def warp_at(self, x: int, y: int) -> Warp | None:
        """Return the warp on a square, or None."""
        return self._warp_on.get((x, y))

    def count_differences(self, shown: Mapping[Square, int]) -> int:
        """Return on how many squares `shown` (see State.tiles_in_sight) has another tile than this map."""
        return sum(self.tile(*square) != tile for square, tile in shown.items())

    def with_blocks(self, live: bytes) -> "GameMap":
        """Return this map with the blocks of wOverworldMap, which scripts change at run time.

        Warp triggers are computed again from the new tiles.
        """
        layout = Layout.of_live(self.header, self.tileset, live)
        return make_map(self.header, self.tileset, layout, self.ground)


def make_map(header: MapHeader, tileset: Tileset, layout: Layout, ground: Ground) -> GameMap:
    """Return the map of `header` with its warps resolved."""
    bare = GameMap(header.map_id, header, tileset, layout, ground, ())
    warps = tuple([_warp(bare, index, raw) for index, raw in enumerate(header.warps)])
    # Of two warps on one square the game takes the first.
    on = {(warp.x, warp.y): warp for warp in reversed(warps)}
    return replace(bare, warps=warps, _warp_on=on)


def _cross(connection: Connection, x: int, y: int) -> MapPosition:
    if connection.side in (Facing.UP, Facing.DOWN):
        return MapPosition(connection.map_id, (x + connection.x_align) & 0xFF, connection.y_align)
    return MapPosition(connection.map_id, connection.x_align, (y + connection.y_align) & 0xFF)


def _warp(game_map: GameMap, index: int, raw: RawWarp) -> Warp:
    trigger, press = WarpTrigger.NONE, frozenset[Facing]()
    if game_map.contains(raw.x, raw.y):  # others are unused leftovers in the data
        press = _press(game_map, raw)
        tileset = game_map.tileset
        if game_map.tile(raw.x, raw.y) in tileset.warps | tileset.doors:
            trigger = WarpTrigger.STEP
        elif press:
            trigger = WarpTrigger.PRESS
    return Warp(index, raw.x, raw.y, raw.map_id, raw.warp_index, trigger, press)


def _press(game_map: GameMap, raw: RawWarp) -> frozenset[Facing]:
    by_carpet = (
        game_map.tileset.tileset_id in CARPET_TILESETS or game_map.map_id in CARPET_MAPS
    ) and game_map.map_id not in EDGE_MAPS
    fires = _is_carpet_ahead if by_carpet else _is_edge_ahead
    return frozenset(facing for facing in Facing if fires(game_map, raw, facing))


def _is_edge_ahead(game_map: GameMap, raw: RawWarp, facing: Facing) -> bool:
    return not game_map.contains(raw.x + facing.dx, raw.y + facing.dy)


def _is_carpet_ahead(game_map: GameMap, raw: RawWarp, facing: Facing) -> bool:
    tile = game_map.tile(raw.x + facing.dx, raw.y + facing.dy)
    if game_map.map_id == BOW_MAP:
        return tile == BOW_TILE
    return tile in game_map.ground.carpets[facing]
