"""The compiled world, read only by the written formats."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from emulator.profile import RED

ROOT = Path(__file__).parents[2]
MAP_COUNT = 248
LIVE_BLOCKS = 0xC6E8
DIRECTIONS = {"north": 8, "south": 4, "west": 2, "east": 1}
TRAINER, ITEM = 0x40, 0x80
LIST_END, HEADER = 0xFF, 12
HOLE_SIZE = 8


class Square(NamedTuple):
    map: int
    x: int
    y: int


class Connection(NamedTuple):
    target: int
    strip: int
    destination: int
    length: int
    width: int
    y: int
    x: int
    view: int


class Warp(NamedTuple):
    y: int
    x: int
    entrance: int
    target: int


class Person(NamedTuple):
    picture: int
    y: int
    x: int
    movement: int
    facing: int
    text: int
    flags: int
    extra: bytes

    @property
    def is_trainer(self) -> bool:
        return bool(self.flags & TRAINER)


@dataclass(frozen=True)
class Rom:
    data: bytes
    tables: Mapping[str, int]
    macros: Mapping[str, str]

    def word(self, offset: int) -> int:
        return int.from_bytes(self.data[offset : offset + 2], "little")

    def at(self, bank: int, address: int) -> int:
        """Return the offset of an address, which must be in that bank."""
        if bank == 0:
            assert address < 0x4000
            return address
        assert 0x4000 <= address < 0x8000, f"{bank}:{address:04X} is not an address in a bank"
        return bank * 0x4000 + address - 0x4000

    def until(self, offset: int, end: int, *, limit: int = 64) -> bytes:
        """Return the bytes before `end`, which must come within `limit`."""
        stop = self.data.find(end, offset, offset + limit)
        assert stop >= 0, f"the list at {offset:06X} does not end in {end:02X}"
        return self.data[offset:stop]

    def until_entry(self, offset: int, size: int, *, limit: int = 256) -> bytes:
        """Return the entries of `size` bytes before one that begins with the end mark."""
        stop = next(
            at for at in range(offset, offset + size * limit, size) if self.data[at] == LIST_END
        )
        return self.data[offset:stop]

    def number(self, macro: str) -> int:
        return int(self.macros[macro], 0)

    @cached_property
    def ledges(self) -> set[bytes]:
        """The ledges of the overworld tileset: facing, the tile under the player, and the tile ahead."""
        data = self.until(self.tables["LedgeTiles"], 0xFF)
        return {data[at : at + 3] for at in range(0, len(data), 4)}

    def numbers(self, prefix: str) -> dict[str, int]:
        """Return the macros that begin with `prefix`, by the rest of their names."""
        names = (name for name in self.macros if name.startswith(prefix))
        return {name.removeprefix(prefix): self.number(name) for name in names}

    @cached_property
    def map_names(self) -> dict[int, str]:
        """The name that the macros give each map."""
        return {found: name for name, found in self.numbers("MAP_").items() if "TEXT_" not in name}


@dataclass(frozen=True)
class Tileset:
    offset: int
    rom: Rom

    @property
    def bank(self) -> int:
        return self.rom.data[self.offset]

    @cached_property
    def blocks(self) -> int:
        return self.rom.at(self.bank, self.rom.word(self.offset + 1))

    def tile(self, block: int, column: int, row: int) -> int:
        return self.rom.data[self.blocks + 16 * block + 4 * row + column]

    def pixels(self) -> list[bytes]:
        start = self.rom.at(self.bank, self.rom.word(self.offset + 3))
        return [self.rom.data[start + 16 * tile : start + 16 * tile + 16] for tile in range(0x60)]

    @property
    def counters(self) -> bytes:
        tiles = self.rom.data[self.offset + 7 : self.offset + 10]
        return bytes(tile for tile in tiles if tile != 0xFF)

    @property
    def grass(self) -> int:
        return self.rom.data[self.offset + 10]

    @cached_property
    def passable(self) -> bytes:
        return self.rom.until(self.rom.at(0, self.rom.word(self.offset + 5)), 0xFF)


class Map:
    def __init__(self, rom: Rom, number: int) -> None:
        self.rom, self.number = rom, number
        self.changed: dict[tuple[int, int], int] = {}
        self.passed: frozenset[int] = frozenset()  # tiles that field moves make passable
        self.bank = rom.data[rom.tables["MapHeaderBanks"] + number]
        self.header = rom.at(self.bank, rom.word(rom.tables["MapHeaderPointers"] + 2 * number))
        self.tileset_id, self.height, self.width = rom.data[self.header : self.header + 3]
        self.blocks = rom.at(self.bank, rom.word(self.header + 3))
        self.texts = rom.at(self.bank, rom.word(self.header + 5))
        self.script = rom.at(self.bank, rom.word(self.header + 7))
        self.tileset = Tileset(rom.tables["Tilesets"] + 12 * self.tileset_id, rom)
        self.connections = dict(self._connections())
        self.elevations = list(self._elevations())
        self.holes = dict(self._holes())
        objects = rom.word(self.header + 10 + 11 * len(self.connections))
        self._read_objects(rom.at(self.bank, objects))

    def _connections(self) -> Iterator[tuple[str, Connection]]:
        offset = self.header + 10
        for direction, bit in DIRECTIONS.items():
            if self.rom.data[self.header + 9] & bit:
                data, word = self.rom.data, self.rom.word
                target, (length, width, y, x) = data[offset], data[offset + 5 : offset + 9]
                strip, destination, view = word(offset + 1), word(offset + 3), word(offset + 9)
                yield (direction, Connection(target, strip, destination, length, width, y, x, view))
                offset += 11

    def _elevations(self) -> Iterator[set[int]]:
        """Yield the pairs of tiles between which the player cannot walk."""
        pairs = self.rom.until_entry(self.rom.tables["TilePairCollisionsLand"], 3)
        for at in range(0, len(pairs), 3):
            if pairs[at] == self.tileset_id:
                yield set(pairs[at + 1 : at + 3])

    def _holes(self) -> Iterator[tuple[tuple[int, int], Square]]:
        """Yield the squares of holes, and their landings."""
        rom = self.rom
        start = rom.at(rom.number("GROUND_BANK"), rom.number("HOLES_ADDR"))
        rows, landings = rom.until_entry(start, HOLE_SIZE), self._landings()
        for at in range(0, len(rows), HOLE_SIZE):
            here, y, x, target, number = rows[at : at + 5]
            if here == self.number:
                yield (x, y), landings[target, number]

    def _landings(self) -> dict[tuple[int, int], Square]:
        """Return the landings by map and number."""
        pairs = self.rom.until_entry(self.rom.tables["DungeonWarpList"], 2)
        found, record = {}, self.rom.tables["DungeonWarpData"]
        for at in range(0, len(pairs), 2):
            target, number = pairs[at : at + 2]
            y, x = self.rom.data[record + 2 : record + 4]
            found[target, number] = Square(target, x, y)
            record += 6
        return found

    def _read_objects(self, offset: int) -> None:
        data = self.rom.data

        def records(size: int) -> list[bytes]:
            nonlocal offset
            count = data[offset]
            start, offset = offset + 1, offset + 1 + size * count
            return [data[start + size * n : start + size * n + size] for n in range(count)]

        self.border, offset = data[offset], offset + 1
        self.warps = [Warp(*record) for record in records(4)]
        self.signs = [(x, y, text) for y, x, text in records(3)]
        self.people = []
        count, offset = data[offset], offset + 1
        for _ in range(count):
            picture, y, x, movement, facing, text = data[offset : offset + 6]
            size = 2 if text & TRAINER else 1 if text & ITEM else 0
            extra = data[offset + 6 : offset + 6 + size]
            kind = text & (TRAINER | ITEM)
            self.people.append(
                Person(picture, y - 4, x - 4, movement, facing, text & 0x3F, kind, extra)
            )
            offset += 6 + size
        self.arrivals = [data[offset + 4 * n : offset + 4 * n + 4] for n in range(len(self.warps))]

    def view(self, x: int, y: int) -> int:
        """Return the block pointer of the screen's corner when the player stands at (x, y)."""
        column, row = (x - 4) // 2 + 3, (y - 4) // 2 + 3
        return LIVE_BLOCKS + row * (self.width + 6) + column

    def block(self, x: int, y: int) -> int:
        return self.changed.get((x, y), self.rom.data[self.blocks + y * self.width + x])

    def tile(self, x: int, y: int) -> int:
        return self.tileset.tile(self.block(x >> 1, y >> 1), (2 * x) & 3, (2 * y + 1) & 3)

    def holds(self, x: int, y: int) -> bool:
        return 0 <= x < 2 * self.width and 0 <= y < 2 * self.height

    def walkable(self, x: int, y: int) -> bool:
        if not self.holds(x, y):
            return False
        tile = self.tile(x, y)
        return tile in self.tileset.passable or tile in self.passed

    def script_at(self, text: int) -> int:
        assert text > 0
        return self.rom.at(self.bank, self.rom.word(self.texts + 2 * (text - 1)))

    def trainer_headers(self) -> list[int]:
        """Return the offset of each trainer's header, in the order of the trainers."""
        entry = self.rom.at(
            self.rom.number("TRAINER_HEADERS_BANK"), self.rom.number("TRAINER_HEADERS_ADDR")
        )
        while self.rom.data[entry] != LIST_END:
            if self.rom.data[entry] == self.number:
                start = self.rom.at(self.bank, self.rom.word(entry + 1))
                count = len(self.rom.until_entry(start, HEADER)) // HEADER
                return [start + HEADER * n for n in range(count)]
            entry += 3
        return []

    def steps(self) -> Iterator[tuple[int, int]]:
        for y in range(2 * self.height):
            for x in range(2 * self.width):
                yield x, y


def compile_world(folder: Path, seed: str) -> Path:
    subprocess.run(
        [sys.executable, "-m", "world.compile", str(folder)],
        cwd=ROOT / "roms" / "demo",
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )
    return folder


def read_rom(compiled: Path) -> Rom:
    """Return what `compile_world` wrote into a folder."""
    places = {label: table.place for label, table in RED.rom_tables.items()}
    tables = {label: max(bank - 1, 0) * 0x4000 + at for label, (bank, at) in places.items()}
    header = (compiled / "world.h").read_text(encoding="ascii")
    macros = dict(re.findall(r"^#define (\w+) (.+)$", header, re.MULTILINE))
    return Rom((compiled / "world.bin").read_bytes(), tables, macros)


def made_maps(rom: Rom) -> dict[int, Map]:
    """Return the maps with a source; other ids share one header."""
    everything = [Map(rom, number) for number in range(MAP_COUNT)]
    headers = [each.header for each in everything]
    return {each.number: each for each in everything if headers.count(each.header) == 1}


def opened_maps(rom: Rom) -> dict[int, Map]:
    """Return the maps with every block in place that a scene may put there."""
    maps = made_maps(rom)
    for name, block in rom.numbers("BLOCK_").items():
        if name.endswith(("_X", "_Y")):
            continue
        x, y = (rom.number(f"BLOCK_{name}_{axis}") for axis in "XY")
        here = next(each for n, each in maps.items() if name.startswith(f"{rom.map_names[n]}_"))
        here.changed[x, y] = block
    return maps


TREES, WATER, SEAS = (
    {0: 0x3D, 7: 0x50},
    0x14,
    {0, 17},
)  # cut trees by tileset, water and where it is met


def crossed_maps(rom: Rom, *, trees: bool, water: bool) -> dict[int, Map]:
    """Return the opened maps for a player who passes trees, water, or both."""
    maps = opened_maps(rom)
    for here in maps.values():
        tree = {TREES[here.tileset_id]} if trees and here.tileset_id in TREES else set()
        sea = {WATER} if water and here.tileset_id in SEAS else set()
        here.passed = frozenset(tree | sea)
    return maps


def special(rom: Rom, tileset: int) -> bytes:
    """Return the tiles that warp when the player steps on them."""
    return rom.until(rom.at(3, rom.word(rom.tables["WarpTileIDPointers"] + 2 * tileset)), 0xFF)


def doors(rom: Rom) -> dict[int, bytes]:
    found, offset = {}, rom.tables["DoorTileIDPointers"]
    while rom.data[offset] != 0xFF:
        found[rom.data[offset]] = rom.until(rom.at(6, rom.word(offset + 1)), 0)
        offset += 3
    return found
