"""Worlds of one small map, drawn in tiles: floor of two heights, grass, walls, ledges, water and trees."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

from emulator import Facing, GameMap, MapSquare, Obstacle, World
from emulator.world.game_map import LAST_MAP, Warp, WarpTrigger
from emulator.world.header import MapHeader
from emulator.world.layout import Layout
from emulator.world.tileset import Ground, Tileset
from emulator.world.world import Lift

LOW, HIGH, GRASS, WALL, LEDGE = range(5)
WATER, STAIRS, TREE = 0x14, 0x15, 0x3D  # as the game numbers them
SIDE = 8
LEDGES = frozenset({(Facing.DOWN, HIGH, LEDGE), (Facing.LEFT, HIGH, LEDGE)})
CLIFF = frozenset({LOW, HIGH})  # two floors that do not join
STEEP = frozenset({WATER, HIGH})  # SURF neither starts nor ends here
LANE = 12
PASSABLE = frozenset({LOW, HIGH, GRASS, STAIRS})


@dataclass(frozen=True)
class Drawn:
    """The tiles of a map."""

    rows: list[list[int]]

    def tile(self, x: int, y: int) -> int:
        inside = 0 <= y < len(self.rows) and 0 <= x < len(self.rows[0])
        return self.rows[y][x] if inside else WALL

    def is_floor(self, x: int, y: int) -> bool:
        return self.tile(x, y) in PASSABLE


@dataclass(frozen=True, eq=False)
class OneMapWorld:
    """A world of one map."""

    only: GameMap
    passes: frozenset[Obstacle] = frozenset()
    carries: Mapping[MapSquare, MapSquare] = field(default_factory=dict)
    lifts: Mapping[int, Lift] = field(default_factory=dict)
    map_ids: frozenset[int] = frozenset()

    def end_of(self, _map_id: int, _warp: Warp) -> None:
        return None

    def simplest_equal(self, _map_id: int) -> "OneMapWorld":
        return self

    def map(self, _map_id: int) -> GameMap:
        return self.only


def world_of(
    drawn: Drawn,
    passes: frozenset[Obstacle] = frozenset(),
    carries: Mapping[MapSquare, MapSquare] | None = None,
    mats: Iterable[tuple[int, int]] = (),
) -> World:
    tileset = Tileset(
        tileset_id=0,
        blocks=b"",
        graphics=b"",
        passable=PASSABLE,
        counters=frozenset(),
        grass=GRASS,
        animated=False,
        warps=frozenset(),
        doors=frozenset(),
        pairs=frozenset({CLIFF}),
        water_pairs=frozenset({STEEP}),
        surfable=True,
    )
    warps = tuple(
        Warp(index, x, y, LAST_MAP, 0, WarpTrigger.PRESS, frozenset({Facing.DOWN}))
        for index, (x, y) in enumerate(mats)
    )
    height, width = ((size + 1) // 2 for size in (len(drawn.rows), len(drawn.rows[0])))
    header = SimpleNamespace(width=width, height=height, connections=())
    game_map = GameMap(
        map_id=LANE,
        header=cast("MapHeader", header),
        tileset=tileset,
        layout=cast("Layout", drawn),
        ground=Ground(LEDGES, {facing: frozenset() for facing in Facing}),
        warps=warps,
        _warp_on={(warp.x, warp.y): warp for warp in warps},
    )
    return cast("World", OneMapWorld(game_map, passes, carries or {}))
