"""What closes a square until something is done about it: trees to cut, water to surf on, doors for a card key."""

from __future__ import annotations

from enum import Enum
from typing import Final

from emulator.world.tileset import Tileset

OVERWORLD, DOJO, GYM, SHIP_PORT, INTERIOR, FACILITY = 0, 5, 7, 14, 16, 22

TREES: Final = {OVERWORLD: 0x3D, GYM: 0x50}
WATER: Final = 0x14
SHORES: Final = frozenset({0x32, 0x48})  # water, too, as far as the game asks, but not in
SHORELESS: Final = frozenset({DOJO, GYM, SHIP_PORT})
DOORS: Final = {FACILITY: frozenset({0x18, 0x24}), INTERIOR: frozenset({0x5E})}
# SILPH_CO_1F to _11F: elsewhere the tiles of such doors are furniture.
DOOR_MAPS: Final = frozenset({181, *range(207, 214), 233, 234, 235})


class Obstacle(Enum):
    """What a square is closed by, and what opens it; the values are words for it."""

    TREE = "a tree that can be cut"
    WATER = "water"
    LOCKED_DOOR = "a door that a card key opens"


def obstacle_on(map_id: int, tileset: Tileset, tile: int) -> Obstacle | None:
    """Return what closes a square with this decisive tile; None where it is floor, or closed for good."""
    if tile in tileset.passable:
        return None
    if tileset.surfable and _is_water(tileset, tile):
        return Obstacle.WATER
    if tile == TREES.get(tileset.tileset_id):
        return Obstacle.TREE
    if map_id in DOOR_MAPS and tile in DOORS.get(tileset.tileset_id, ()):
        return Obstacle.LOCKED_DOOR
    return None


def _is_water(tileset: Tileset, tile: int) -> bool:
    return tile == WATER or (tile in SHORES and tileset.tileset_id not in SHORELESS)
