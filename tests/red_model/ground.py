"""The ground of Pokemon Red for the route search: a World whose squares are as in the facts, in tiles of our own.

The facts give a class for each square (floor, solid, grass, water, ledge and so on) and no block. Each class gets one tile
with that function, or one that its warps need as well.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from typing import Final, TypeAlias

import numpy as np

from emulator import GameMap, MapSquare, Obstacle, World
from emulator.world.game_map import make_map
from emulator.world.layout import BORDER, Layout
from emulator.world.world import Lift
from tests.emulator.synthetic.facts import Facts, load, real_maps
from tests.emulator.synthetic.required_tiles import TILES, conditions
from tests.emulator.synthetic.tiles import numbers, tilesets

EDGE: Final = 2 * BORDER  # squares around the map
OVERWORLD, FOREST, GYM, INTERIOR, CAVERN, FACILITY = 0, 3, 7, 16, 17, 22
STAIRS, LEDGE_TOP, CAVE_FLOOR = 0x15, 0x2C, 0x2D
# Water, ledges by direction, and stairs that boulders refuse.
FUNCTIONS: Final = {"~": 0x14, "v": 0x37, "<": 0x27, ">": 0x0D, "=": STAIRS}
# Trees, and doors that a card key opens; two levels, between which no step leads and of which water joins one.
OF_TILESET: Final = {
    (OVERWORLD, "T"): 0x3D,
    (GYM, "T"): 0x50,
    (INTERIOR, "L"): 0x5E,
    (FACILITY, "L"): 0x18,
    (CAVERN, "A"): 0x05,
    (CAVERN, "B"): 0x21,
    (FOREST, "A"): 0x2E,
    (FOREST, "B"): 0x30,
}
OBSTACLES: Final = {*FUNCTIONS.values(), 0x18, 0x1D, 0x24, 0x32, 0x36, 0x48, 0x50, 0x5E}
LEVEL_TILES: Final = {0x05, 0x20, 0x21, 0x2A, 0x2E, 0x30, 0x52, 0x5E, 0x5F}

Ground: TypeAlias = Mapping[MapSquare, str]  # squares with another class than at first
Squares: TypeAlias = tuple[tuple[MapSquare, str], ...]
VariantKey: TypeAlias = tuple[World, Squares, frozenset[Obstacle]]


@cache
def carpets() -> frozenset[int]:
    """Return the tiles before which mats fire."""
    lists = load("data/tilesets.json")["carpet"].values()
    return frozenset(tile for tiles in lists for tile in numbers(tiles))


@cache
def tiles_of(tileset: int, kind: str) -> frozenset[int]:
    """Return the tiles of a tileset that are of a class of the facts."""
    facts = load("data/tilesets.json")["tilesets"][tileset]
    passable, fires = tilesets()[tileset].passable, tilesets()[tileset].fires
    grass = frozenset() if facts["grass"] is None else numbers([facts["grass"]])
    match kind:
        case "D":
            return numbers(facts["door"])
        case '"':
            return grass
        case "c":
            return numbers(facts["counter"])
        case ".":
            levels = LEVEL_TILES if tileset in (CAVERN, FOREST) else set()
            return passable - grass - levels - {LEDGE_TOP}
        case "#":
            special = passable | fires | numbers(facts["counter"]) | OBSTACLES
            return (TILES - special - {0x3D}) | (carpets() - special)
        case _:
            return frozenset({OF_TILESET.get((tileset, kind)) or FUNCTIONS[kind]})


@cache
def choose(allowed: frozenset[int], tileset: int, kind: str) -> int:
    """Return the tile of a square: of its class, and one that its warps allow."""
    usual = {OVERWORLD: LEDGE_TOP, CAVERN: CAVE_FLOOR}.get(tileset)
    if kind == "." and usual in allowed:
        return usual
    fires = tilesets()[tileset].fires
    found = allowed & tiles_of(tileset, kind)
    return min(found - fires - carpets() or found - fires or found or allowed)


class RedGround:
    """The world of Red, and its variants for what scripts opened and shut."""

    def __init__(self, tables: World) -> None:
        self.tables = tables
        self.rows = {int(key): row["rows"] for key, row in load("ground.json")["maps"].items()}
        self._allowed: dict[tuple[str, int, int], frozenset[int]] = defaultdict(lambda: TILES)
        for each in real_maps():
            for spot, tiles in conditions(each):
                self._allowed[spot] &= tiles
        self._facts = {each["id"]: each for each in real_maps()}
        self._maps = {map_id: self._game_map(map_id, {}) for map_id in self.rows}
        self._variants: dict[VariantKey, World] = {}
        self._changed: dict[tuple[int, Squares], GameMap] = {}

    def kind(self, square: MapSquare) -> str:
        """Return the class of a square at first."""
        map_id, x, y = square
        return str(self.rows[map_id][y][x])

    def plain(self, carries: Mapping[MapSquare, MapSquare], lifts: Mapping[int, Lift]) -> World:
        """Return the world with nothing opened or shut."""
        maps = {each.map_id: each for each in self.tables.maps} | self._maps
        return replace(self.tables, _maps=maps, carries=carries, lifts=lifts)

    def variant(self, plain: World, ground: Ground, passes: Collection[Obstacle]) -> World:
        """Return `plain` with some squares of other classes, for a player who can pass these obstacles."""
        key = plain, tuple(sorted(ground.items())), frozenset(passes)
        if key not in self._variants:  # routes are cached per world object
            self._variants[key] = self._variant(*key)
        return self._variants[key]

    def _variant(self, plain: World, ground: Squares, passes: frozenset[Obstacle]) -> World:
        changes: defaultdict[int, dict[MapSquare, str]] = defaultdict(dict)
        for square, kind in ground:
            if self.kind(square) != kind:
                changes[square[0]][square] = kind
        changed = {}
        for map_id, squares in changes.items():
            key = map_id, tuple(sorted(squares.items()))
            if key not in self._changed:
                self._changed[key] = self._game_map(map_id, squares)
            changed[map_id] = self._changed[key]
        return replace(plain, _plain=plain, _changed=changed, passes=passes)

    def _game_map(self, map_id: int, ground: Ground) -> GameMap:
        known, facts = self.tables.map(map_id), self._facts[map_id]
        tiles = np.full(
            (known.rows + 2 * EDGE, known.columns + 2 * EDGE), self._border(facts), np.uint8
        )
        inside = [self._tile(facts, x, y, ground) for y, x in np.ndindex(known.rows, known.columns)]
        tiles[EDGE:-EDGE, EDGE:-EDGE] = np.reshape(inside, (known.rows, known.columns))
        corners = tiles.tobytes()
        floor = corners.translate(bytes(tile in known.tileset.passable for tile in range(0x100)))
        layout = Layout(known.layout.blocks, tiles, corners, floor, known.columns + 2 * EDGE)
        return make_map(known.header, known.tileset, layout, known.ground)

    def _tile(self, facts: Facts, x: int, y: int, ground: Ground) -> int:
        kind = ground.get((facts["id"], x, y)) or self.kind((facts["id"], x, y))
        if (facts["tileset"], kind) == (CAVERN, ".") and 0 < y < facts["h_steps"] - 1:
            beside = {self.rows[facts["id"]][row][x] for row in (y - 1, y + 1)}
            kind = "=" if beside == {"A", "B"} else kind  # stairs, which boulders refuse
        return choose(self._allowed.get((facts["name"], x, y), TILES), facts["tileset"], kind)

    def _border(self, facts: Facts) -> int:
        spot = "border", facts["tileset"], facts["border_block"]
        return choose(self._allowed.get(spot, TILES), facts["tileset"], "#")
