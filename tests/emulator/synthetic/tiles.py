"""Tilesets, and blocks of our own that put a required tile under each step.

The facts have no blocks. Here a step shows a single tile, four steps make a block, and a block is
created when a map first needs it.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from tests.emulator.synthetic.facts import Facts, labels, load, real_maps
from tests.emulator.synthetic.image import Image, word

NONE: Final = 0xFF
FIRST_BANK_OF_BLOCKS: Final = 48  # the game's own banks end before
TILESETS_A_BANK: Final = 4
ANIMATIONS: Final = {"none": 0, "water": 1, "water_flower": 2}
FACINGS: Final = {"down": 0, "up": 4, "left": 8, "right": 12}
LEDGE_PADS: Final = {"down": 0x80, "up": 0x40, "left": 0x20, "right": 0x10}
FIXED_LISTS: Final = {"UNDERGROUND": "Underground_Coll", "OVERWORLD": "Overworld_Coll"}


class Tileset(NamedTuple):
    """The functions of a tileset's tiles, as numbers, and one plain tile that is not passable."""

    passable: frozenset[int]
    fires: frozenset[int]  # a warp on it fires by stepping
    plain: int


@cache
def tilesets() -> tuple[Tileset, ...]:
    """Return the tilesets by number."""
    facts = load("data/tilesets.json")
    carpets = {tile for tiles in facts["carpet"].values() for tile in numbers(tiles)}
    found = []
    for each in facts["tilesets"]:
        passable, fires = numbers(each["passable"]), numbers(each["warp"] + each["door"])
        special = passable | fires | carpets | numbers(each["counter"]) | {0x14, 0x15, 0x32, 0x48}
        plain = next(tile for tile in range(0x5F, 0, -1) if tile not in special)
        found.append(Tileset(passable, fires, plain))
    return tuple(found)


def numbers(tiles: list[str]) -> frozenset[int]:
    return frozenset(int(tile, 16) for tile in tiles)


def shape(tiles: tuple[int, ...]) -> bytes:
    """Return the block that shows these tiles on its four steps, row by row."""
    upper, lower = (bytes([left, left, right, right]) for left, right in (tiles[:2], tiles[2:]))
    return upper * 2 + lower * 2


class Blocks:
    """The blocks of every tileset; border blocks have numbers in the facts and come first."""

    def __init__(self, borders: Mapping[tuple[int, int], int]) -> None:
        self._numbers: list[dict[tuple[int, ...], int]] = [{} for _ in tilesets()]
        self._shapes: list[dict[int, bytes]] = [{} for _ in tilesets()]
        for each in real_maps():
            tileset, number = each["tileset"], each["border_block"]
            tile = borders.get((tileset, number), tilesets()[tileset].plain)
            self._shapes[tileset][number] = shape((tile,) * 4)

    def number(self, tileset: int, tiles: tuple[int, ...]) -> int:
        """Return the block that shows these tiles, creating it if necessary."""
        numbers, shapes = self._numbers[tileset], self._shapes[tileset]
        if tiles not in numbers:
            numbers[tiles] = next(n for n in range(256) if n not in shapes)
            shapes[numbers[tiles]] = shape(tiles)
        return numbers[tiles]

    def of(self, tileset: int) -> bytes:
        """Return the blocks of a tileset as they are stored."""
        shapes = self._shapes[tileset]
        return b"".join(shapes.get(n, bytes(16)) for n in range(max(shapes, default=0) + 1))


def put_tilesets(image: Image, blocks: Blocks) -> None:
    """Write the tilesets and every table indexed by tileset."""
    facts = load("data/tilesets.json")
    header, rows = b"", facts["tilesets"]
    for each in rows:
        bank = FIRST_BANK_OF_BLOCKS + each["id"] // TILESETS_A_BANK
        shapes = word(image.allocate(bank, blocks.of(each["id"])))
        graphics = word(image.allocate(bank, bytes(0x600)))  # no facts
        header += bytes([bank]) + shapes + graphics + word(passable_list(image, each))
        header += bytes([*counters(each), tile_or_none(each["grass"]), ANIMATIONS[each["anim"]]])
    image.put_table("Tilesets", header)
    put_lists(image, "WarpTileIDPointers", [each["warp"] for each in rows])
    put_lists(image, "WarpTileListPointers", list(facts["carpet"].values()))
    put_doors(image, rows)
    put_rows(image, "TilePairCollisionsLand", [pair_row(row) for row in facts["land_pairs"]])
    put_rows(image, "TilePairCollisionsWater", [pair_row(row) for row in facts["water_pairs"]])
    put_rows(image, "WarpPadAndHoleData", [pair_row(row) for row in facts["warp_pad_hole"]])
    put_rows(image, "LedgeTiles", [ledge(*row) for row in facts["ledges"]])
    put_rows(image, "WaterTilesets", [bytes([each["id"]]) for each in rows if each["surfable"]])


def passable_list(image: Image, tileset: Facts) -> int:
    tiles = bytes(int(tile, 16) for tile in tileset["passable"]) + bytes([NONE])
    if tileset["key"] in FIXED_LISTS:
        bank, address, _ = labels()[FIXED_LISTS[tileset["key"]]]
        image.put(bank, address, tiles)
        return address
    return image.allocate(0, tiles)


def counters(tileset: Facts) -> bytes:
    return bytes(int(tile, 16) for tile in tileset["counter"]).ljust(3, bytes([NONE]))


def tile_or_none(tile: str | None) -> int:
    return NONE if tile is None else int(tile, 16)


def put_lists(image: Image, label: str, lists: list[list[str]]) -> None:
    bank = labels()[label][0]
    ended = [bytes(int(tile, 16) for tile in tiles) + bytes([NONE]) for tiles in lists]
    image.put_table(label, b"".join(word(image.allocate(bank, tiles)) for tiles in ended))


def put_doors(image: Image, rows: list[Facts]) -> None:
    bank, address, _ = labels()["DoorTileIDPointers"]
    table = b""
    for each in rows:
        if each["door"]:
            tiles = bytes(int(tile, 16) for tile in each["door"]) + b"\0"
            table += bytes([each["id"]]) + word(image.allocate(bank, tiles))
    image.put(bank, address, table + bytes([NONE]))


def put_rows(image: Image, label: str, rows: list[bytes]) -> None:
    bank, address, size = labels()[label]
    assert size == len(b"".join(rows)), label
    image.put(bank, address, b"".join(rows) + bytes([NONE]))


def pair_row(row: list[int | str]) -> bytes:
    return bytes(int(value, 16) if isinstance(value, str) else value for value in row)


def ledge(facing: str, stood: str, ahead: str) -> bytes:
    return bytes([FACINGS[facing], int(stood, 16), int(ahead, 16), LEDGE_PADS[facing]])
