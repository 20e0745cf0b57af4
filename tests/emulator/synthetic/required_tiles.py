"""The tiles that maps must show so that their warps fire as in the facts (formats.md 3.7)."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Final

from tests.emulator.synthetic.facts import Facts, load, real_maps
from tests.emulator.synthetic.tiles import numbers, tilesets

AHEAD: Final = {"down": (0, 1), "up": (0, -1), "left": (-1, 0), "right": (1, 0)}
MAT_TILESETS: Final = ("OVERWORLD", "SHIP", "SHIP_PORT", "PLATEAU")
MAT_MAPS: Final = (
    *("ROCKET_HIDEOUT_B1F", "ROCKET_HIDEOUT_B2F", "ROCKET_HIDEOUT_B4F"),
    "ROCK_TUNNEL_1F",
)
EDGE_MAPS: Final = ("SS_ANNE_3F",)
BOW, BOW_TILE = "SS_ANNE_BOW", 0x15
TILES: Final = frozenset(range(0x60))

# A square of a map, or (in place of its coordinates) the border block of a tileset.
Spot = tuple[str, int, int]


def uses_mats(each: Facts) -> bool:
    """Return whether warps of a map need a mat ahead; those of other maps need the map's edge."""
    listed = each["tileset_name"] in MAT_TILESETS or each["name"] in MAT_MAPS
    return listed and each["name"] not in EDGE_MAPS


def spot(each: Facts, x: int, y: int) -> Spot:
    if 0 <= x < each["w_steps"] and 0 <= y < each["h_steps"]:
        return each["name"], x, y
    assert not each["connections"], "a connected map shows its own tiles"
    return "border", each["tileset"], each["border_block"]


@cache
def required_tiles() -> dict[Spot, int]:
    """Return the required tile for every spot that matters."""
    allowed: dict[Spot, frozenset[int]] = defaultdict(lambda: TILES)
    floor: dict[Spot, frozenset[int]] = {}
    plain = {}
    for each in real_maps():
        tileset = tilesets()[each["tileset"]]
        for place, tiles in conditions(each):
            allowed[place] &= tiles
            plain[place] = tileset.plain
        for warp in each["warps"]:
            floor[spot(each, warp["x"], warp["y"])] = tileset.passable
    assert all(allowed.values()), "conditions contradict each other"
    return {
        place: choose(tiles, floor.get(place, frozenset({plain[place]})))
        for place, tiles in allowed.items()
    }


def choose(allowed: frozenset[int], preferred: frozenset[int]) -> int:
    return min(allowed & preferred or allowed)


def conditions(each: Facts) -> Iterator[tuple[Spot, frozenset[int]]]:
    """Yield the allowed tiles per spot, so that the warps of a map fire as in the facts."""
    mats = {
        facing: frozenset({BOW_TILE}) if each["name"] == BOW else numbers(tiles)
        for facing, tiles in load("data/tilesets.json")["carpet"].items()
    }
    fires = tilesets()[each["tileset"]].fires
    for warp in each["warps"]:
        here = spot(each, warp["x"], warp["y"])
        if warp["trigger"] == "step":
            yield here, fires  # the facts do not say in which directions it also fires by pressing
            continue
        yield here, TILES - fires
        for facing, (dx, dy) in AHEAD.items() if uses_mats(each) else ():
            ahead = spot(each, warp["x"] + dx, warp["y"] + dy)
            leads = facing in warp.get("press", ())
            yield ahead, mats[facing] if leads else TILES - mats[facing]
