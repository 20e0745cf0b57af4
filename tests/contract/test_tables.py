"""The world's tables keep the binary contract: parsed here from the written formats alone.

The image is what `roms/demo/world` compiles to; the committed cartridge must carry the same bytes.
"""

import csv
import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
CARTRIDGE = ROOT / "roms" / "demo.gb"
MAP_COUNT, TILESET_COUNT = 248, 24
LIVE_BLOCKS = 0xC6E8
LAST_MAP, OUTDOORS = 0xFF, 37
METHOD_TWO = {
    0,
    13,
    14,
    23,
}  # tilesets whose mats are told by the tile ahead, not by the map's edge
END, NAMES = 0x50, {0x52, 0x53}
NEXT_LINE, NEW_PAGE, SCROLL, DONE, PROMPT = 0x4F, 0x51, 0x55, 0x57, 0x58
DIRECTIONS = {"north": 8, "south": 4, "west": 2, "east": 1}
OPPOSITE = {"north": "south", "south": "north", "west": "east", "east": "west"}
WAYS = ((0, 1), (0, -1), (-1, 0), (1, 0))


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


@dataclass(frozen=True)
class Rom:
    data: bytes
    tables: Mapping[str, int]
    macros: Mapping[str, str]

    def word(self, offset: int) -> int:
        return int.from_bytes(self.data[offset : offset + 2], "little")

    def at(self, bank: int, address: int) -> int:
        """Return the offset of an address, which must be one of that bank."""
        if bank == 0:
            assert address < 0x4000
            return address
        assert 0x4000 <= address < 0x8000, f"{bank}:{address:04X} is no address of a bank"
        return bank * 0x4000 + address - 0x4000

    def until(self, offset: int, end: int, *, limit: int = 64) -> bytes:
        """Return the bytes before `end`, which must come within `limit`."""
        stop = self.data.find(end, offset, offset + limit)
        assert stop >= 0, f"the list at {offset:06X} does not end in {end:02X}"
        return self.data[offset:stop]

    def number(self, macro: str) -> int:
        return int(self.macros[macro], 0)


@dataclass(frozen=True)
class Tileset:
    offset: int
    rom: Rom

    @property
    def bank(self) -> int:
        return self.rom.data[self.offset]

    def tile(self, block: int, column: int, row: int) -> int:
        blocks = self.rom.at(self.bank, self.rom.word(self.offset + 1))
        return self.rom.data[blocks + 16 * block + 4 * row + column]

    def pixels(self) -> list[bytes]:
        start = self.rom.at(self.bank, self.rom.word(self.offset + 3))
        return [self.rom.data[start + 16 * tile : start + 16 * tile + 16] for tile in range(0x60)]

    @property
    def passable(self) -> bytes:
        return self.rom.until(self.rom.at(0, self.rom.word(self.offset + 5)), 0xFF)


class Map:
    def __init__(self, rom: Rom, number: int) -> None:
        self.rom, self.number = rom, number
        self.bank = rom.data[rom.tables["MapHeaderBanks"] + number]
        self.header = rom.at(self.bank, rom.word(rom.tables["MapHeaderPointers"] + 2 * number))
        self.tileset_id, self.height, self.width = rom.data[self.header : self.header + 3]
        self.blocks = rom.at(self.bank, rom.word(self.header + 3))
        self.texts = rom.at(self.bank, rom.word(self.header + 5))
        self.script = rom.at(self.bank, rom.word(self.header + 7))
        self.tileset = Tileset(rom.tables["Tilesets"] + 12 * self.tileset_id, rom)
        self.connections = dict(self._connections())
        objects = rom.word(self.header + 10 + 11 * len(self.connections))
        self._read_objects(rom.at(self.bank, objects))

    def _connections(self) -> Iterator[tuple[str, Connection]]:
        offset = self.header + 10
        for direction, bit in DIRECTIONS.items():
            if self.rom.data[self.header + 9] & bit:
                data, word = self.rom.data, self.rom.word
                target, (length, width, y, x) = data[offset], data[offset + 5 : offset + 9]
                strip, destination, view = word(offset + 1), word(offset + 3), word(offset + 9)
                yield (
                    direction,
                    Connection(target, strip, destination, length, width, y, x, view),
                )
                offset += 11

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
            self.people.append(Person(picture, y - 4, x - 4, movement, facing, text & 0x3F))
            offset += 8 if text & 0x40 else 7 if text & 0x80 else 6
        self.arrivals = [data[offset + 4 * n : offset + 4 * n + 4] for n in range(len(self.warps))]

    def view(self, x: int, y: int) -> int:
        """Return the block pointer of the screen's corner when the player stands at (x, y)."""
        column, row = (x - 4) // 2 + 3, (y - 4) // 2 + 3
        return LIVE_BLOCKS + row * (self.width + 6) + column

    def block(self, x: int, y: int) -> int:
        return self.rom.data[self.blocks + y * self.width + x]

    def tile(self, x: int, y: int) -> int:
        return self.tileset.tile(self.block(x >> 1, y >> 1), (2 * x) & 3, (2 * y + 1) & 3)

    def holds(self, x: int, y: int) -> bool:
        return 0 <= x < 2 * self.width and 0 <= y < 2 * self.height

    def walkable(self, x: int, y: int) -> bool:
        return self.holds(x, y) and self.tile(x, y) in self.tileset.passable

    def script_at(self, text: int) -> int:
        assert text > 0
        return self.rom.at(self.bank, self.rom.word(self.texts + 2 * (text - 1)))

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


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_world(tmp_path_factory.mktemp("world"), "1")


@pytest.fixture(scope="session")
def rom(compiled: Path) -> Rom:
    with (Path(__file__).parent / "tables.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    bank_start = {row["label"]: max(int(row["bank"]) - 1, 0) * 0x4000 for row in rows}
    tables = {row["label"]: bank_start[row["label"]] + int(row["address"], 0) for row in rows}
    header = (compiled / "world.h").read_text(encoding="ascii")
    macros = dict(re.findall(r"^#define (\w+) (.+)$", header, re.MULTILINE))
    return Rom((compiled / "world.bin").read_bytes(), tables, macros)


@pytest.fixture(scope="session")
def maps(rom: Rom) -> dict[int, Map]:
    """Return the maps somebody made; other ids share one header."""
    everything = [Map(rom, number) for number in range(MAP_COUNT)]
    headers = [each.header for each in everything]
    return {each.number: each for each in everything if headers.count(each.header) == 1}


def special(rom: Rom, tileset: int) -> bytes:
    """Return the tiles that warp when stepped on."""
    return rom.until(rom.at(3, rom.word(rom.tables["WarpTileIDPointers"] + 2 * tileset)), 0xFF)


def doors(rom: Rom) -> dict[int, bytes]:
    found, offset = {}, rom.tables["DoorTileIDPointers"]
    while rom.data[offset] != 0xFF:
        found[rom.data[offset]] = rom.until(rom.at(6, rom.word(offset + 1)), 0)
        offset += 3
    return found


def test_the_committed_cartridge_carries_the_same_world(compiled: Path, rom: Rom) -> None:
    if not CARTRIDGE.exists():
        pytest.skip("roms/demo.gb is not built yet")
    cartridge = CARTRIDGE.read_bytes()
    with (compiled / "world.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            start, size = int(row["offset"], 0), int(row["size"])
            same = cartridge[start : start + size] == rom.data[start : start + size]
            assert same, f"{row['name']} differs: build the cartridge again"


def test_the_same_sources_give_the_same_bytes(compiled: Path, tmp_path: Path) -> None:
    again = compile_world(tmp_path, "2")
    for name in ("world.bin", "world.h", "world.csv"):
        assert (again / name).read_bytes() == (compiled / name).read_bytes()


def test_every_map_id_has_a_sound_header(rom: Rom) -> None:
    for number in range(MAP_COUNT):
        each = Map(rom, number)
        assert 48 <= each.bank <= 55
        assert each.tileset_id < TILESET_COUNT
        assert (each.width + 6) * (each.height + 6) <= 1300
        assert rom.data[each.script] == 0xC9
        tiles = {
            each.tileset.tile(block, column, row)
            for block in {
                each.border,
                *rom.data[each.blocks : each.blocks + each.width * each.height],
            }
            for column in range(4)
            for row in range(4)
        }
        assert max(tiles) < 0x60


def test_every_tileset_id_is_sound(rom: Rom) -> None:
    for number in range(TILESET_COUNT):
        tileset = Tileset(rom.tables["Tilesets"] + 12 * number, rom)
        assert 48 <= tileset.bank <= 55
        assert tileset.passable
        special(rom, number)


def test_lists_end_where_they_should(rom: Rom) -> None:
    assert len(rom.until(rom.tables["Overworld_Coll"], 0xFF)) < 20
    for label in ("TilePairCollisionsLand", "TilePairCollisionsWater"):
        assert rom.data[rom.tables[label]] == 0xFF
    assert len(rom.until(rom.tables["LedgeTiles"], 0xFF)) % 4 == 0
    for facing in range(4):
        carpets = rom.word(rom.tables["WarpTileListPointers"] + 2 * facing)
        rom.until(rom.at(3, carpets), 0xFF)
    assert all(number < TILESET_COUNT and tiles for number, tiles in doors(rom).items())
    for number in range(MAP_COUNT):
        toggles = rom.word(rom.tables["ToggleableObjectMapPointers"] + 2 * number)
        assert rom.data[rom.at(3, toggles)] in {number, 0xFF}


def test_wild_ground_is_well_formed(rom: Rom) -> None:
    for number in range(MAP_COUNT):
        offset = rom.at(3, rom.word(rom.tables["WildDataPointers"] + 2 * number))
        for _ in ("grass", "water"):
            slots = rom.data[offset + 1 : offset + 21] if rom.data[offset] else b""
            assert all(1 <= level <= 100 for level in slots[::2])
            offset += 1 + len(slots)
    assert rom.word(rom.tables["WildDataPointers"] + 2 * MAP_COUNT) == 0xFFFF


def test_warps_lead_to_warps(rom: Rom, maps: dict[int, Map]) -> None:
    for each in maps.values():
        for number, warp in enumerate(each.warps):
            assert each.walkable(warp.x, warp.y)
            for target in places_of(each, warp, maps):
                assert warp.entrance < len(maps[target].warps), f"warp {number} of {each.number}"


def places_of(here: Map, warp: Warp, maps: Mapping[int, Map]) -> list[int]:
    """Return the maps a warp may lead to: 0xFF is each outdoor map with a way in."""
    if warp.target != LAST_MAP:
        return [warp.target]
    outside = [
        each.number
        for each in maps.values()
        if each.number < OUTDOORS and any(there.target == here.number for there in each.warps)
    ]
    assert outside, f"nobody comes into map {here.number} from outdoors"
    return outside


def test_arrival_records_put_the_player_in_the_middle(maps: dict[int, Map]) -> None:
    for each in maps.values():
        for warp, arrival in zip(each.warps, each.arrivals, strict=True):
            view = each.view(warp.x, warp.y)
            assert arrival == view.to_bytes(2, "little") + bytes([warp.y, warp.x])


def test_every_warp_can_fire(rom: Rom, maps: dict[int, Map]) -> None:
    for each in maps.values():
        for warp in each.warps:
            steps = each.tile(warp.x, warp.y) in special(rom, each.tileset_id)
            at_edge = warp.y in {0, 2 * each.height - 1} or warp.x in {0, 2 * each.width - 1}
            assert steps or (at_edge and each.tileset_id not in METHOD_TWO)


def test_one_steps_out_of_a_door_onto_open_ground(rom: Rom, maps: dict[int, Map]) -> None:
    for each in maps.values():
        for warp in each.warps:
            if each.tile(warp.x, warp.y) in doors(rom).get(each.tileset_id, b""):
                assert each.walkable(warp.x, warp.y + 1)
                assert all((p.x, p.y) != (warp.x, warp.y + 1) for p in each.people)


def test_connections_are_mutual(maps: dict[int, Map]) -> None:
    for each in maps.values():
        for direction, connection in each.connections.items():
            there = maps[connection.target]
            back = there.connections[OPPOSITE[direction]]
            assert back.target == each.number
            assert connection.width == there.width
            along = "x" if direction in ("north", "south") else "y"
            assert (getattr(connection, along) + getattr(back, along)) % 256 == 0


def signed(value: int) -> int:
    return value - 256 if value >= 128 else value


def crossed(here: Map, direction: str, x: int, y: int) -> Square:
    """Return where a step off the edge of `here` leads."""
    connection = here.connections[direction]
    if direction in ("north", "south"):
        return Square(connection.target, x + signed(connection.x), connection.y)
    return Square(connection.target, connection.x, y + signed(connection.y))


def test_connection_strips_show_what_lies_beyond(rom: Rom, maps: dict[int, Map]) -> None:
    for here in maps.values():
        for direction, connection in here.connections.items():
            there = maps[connection.target]
            shown = list(strip(here, direction, there))
            assert shown
            for x, y, block in shown:
                origin = {"north": (0, -there.height), "south": (0, here.height)}
                origin |= {"west": (-there.width, 0), "east": (here.width, 0)}
                shift_x = -signed(connection.x) // 2 if direction in ("north", "south") else 0
                shift_y = -signed(connection.y) // 2 if direction in ("west", "east") else 0
                left, top = origin[direction]
                assert block == there.block(x - left - shift_x, y - top - shift_y)


def strip(here: Map, direction: str, there: Map) -> Iterator[tuple[int, int, int]]:
    """Yield (x, y, block) of the strip as the engine copies it, in blocks of `here`."""
    connection, stride = here.connections[direction], here.width + 6
    vertical = direction in ("north", "south")
    rows, columns = (3, connection.length) if vertical else (connection.length, 3)
    source = here.rom.at(there.bank, connection.strip)
    for row in range(rows):
        for column in range(columns):
            place = connection.destination - LIVE_BLOCKS + row * stride + column
            block = here.rom.data[source + row * there.width + column]
            yield place % stride - 3, place // stride - 3, block


def test_views_after_crossing_fit_the_new_place(maps: dict[int, Map]) -> None:
    for here in maps.values():
        for direction, connection in here.connections.items():
            there = maps[connection.target]
            along = direction in ("north", "south")
            place = (0, connection.y) if along else (connection.x, 0)
            assert connection.view == there.view(*place)


def neighbours(square: Square, rom: Rom, maps: Mapping[int, Map]) -> Iterator[Square]:
    """Yield the squares one step or one warp away."""
    here = maps[square.map]
    taken = {(person.x, person.y) for person in here.people}
    for warp in here.warps:
        if (warp.x, warp.y) == (square.x, square.y):
            for number in places_of(here, warp, maps):
                there = maps[number].warps[warp.entrance]
                yield Square(number, there.x, there.y)
    for across, down in WAYS:
        x, y = square.x + across, square.y + down
        if here.holds(x, y):
            if here.walkable(x, y) and (x, y) not in taken:
                yield Square(here.number, x, y)
            continue
        side = {(0, 1): "south", (0, -1): "north", (-1, 0): "west", (1, 0): "east"}[across, down]
        if side in here.connections:
            landing = crossed(here, side, square.x, square.y)
            if maps[landing.map].walkable(landing.x, landing.y):
                yield landing


@pytest.fixture(scope="session")
def reached(rom: Rom, maps: dict[int, Map]) -> set[Square]:
    start = Square(*(rom.number(f"START_{name}") for name in ("MAP", "X", "Y")))
    found, frontier = {start}, deque([start])
    while frontier:
        for square in neighbours(frontier.popleft(), rom, maps):
            if square not in found:
                found.add(square)
                frontier.append(square)
    return found


def beside(square: Square, reached: set[Square]) -> bool:
    return any(Square(square.map, square.x + x, square.y + y) in reached for x, y in WAYS)


def test_every_place_can_be_reached(maps: dict[int, Map], reached: set[Square]) -> None:
    assert {square.map for square in reached} == set(maps)
    for each in maps.values():
        for warp in each.warps:
            assert Square(each.number, warp.x, warp.y) in reached
        for x, y, _ in each.signs:
            assert beside(Square(each.number, x, y), reached)
        for person in each.people:
            assert beside(Square(each.number, person.x, person.y), reached)


def test_every_connection_can_be_walked(maps: dict[int, Map], reached: set[Square]) -> None:
    for each in maps.values():
        for direction in each.connections:
            edges = [s for s in reached if s.map == each.number and edge(each, s, direction)]
            landings = [crossed(each, direction, s.x, s.y) for s in edges]
            assert any(landing in reached for landing in landings)


def edge(each: Map, square: Square, direction: str) -> bool:
    sides = {"north": square.y == 0, "south": square.y == 2 * each.height - 1}
    sides |= {"west": square.x == 0, "east": square.x == 2 * each.width - 1}
    return sides[direction]


def test_no_open_ground_is_walled_off(maps: dict[int, Map], reached: set[Square]) -> None:
    for each in maps.values():
        taken = {(person.x, person.y) for person in each.people}
        for x, y in each.steps():
            if each.walkable(x, y) and (x, y) not in taken:
                assert Square(each.number, x, y) in reached


def test_edges_are_open_only_where_a_map_follows(maps: dict[int, Map]) -> None:
    for each in maps.values():
        warps = {(warp.x, warp.y) for warp in each.warps}
        for x, y in each.steps():
            for direction in each.connections if each.walkable(x, y) else ():
                if edge(each, Square(each.number, x, y), direction) and (x, y) not in warps:
                    landing = crossed(each, direction, x, y)
                    assert maps[landing.map].walkable(landing.x, landing.y)


def test_people_stand_on_open_ground_and_signs_do_not(rom: Rom, maps: dict[int, Map]) -> None:
    for each in maps.values():
        for person in each.people:
            assert each.walkable(person.x, person.y)
            assert 2 <= person.picture <= rom.number("SPRITE_SHEETS_COUNT")
            assert person.movement in {0xFE, 0xFF}
        for x, y, _ in each.signs:
            assert each.holds(x, y)
            assert not each.walkable(x, y)


def lines_of(rom: Rom, offset: int) -> list[int]:
    """Return the length of each line of a text script, after checking that it is one."""
    assert rom.data[offset] == 0x00
    body = rom.until(offset + 1, END, limit=400)
    assert body[-1] in {DONE, PROMPT}
    lengths, row = [0], 0
    for code in body[:-1]:
        if code in {NEXT_LINE, NEW_PAGE, SCROLL}:
            assert (row == 1) >= (code == SCROLL)
            assert (row == 0) >= (code == NEXT_LINE)
            row = 0 if code == NEW_PAGE else 1
            lengths.append(0)
            continue
        assert code in NAMES or code == 0x7F or code >= 0x80, f"{code:02X} at {offset:06X}"
        lengths[-1] += 7 if code in NAMES else 1
    return lengths


def test_texts_decode_and_fit_their_box(rom: Rom, maps: dict[int, Map]) -> None:
    spoken = [
        each.script_at(text)
        for each in maps.values()
        for text in [*(sign[2] for sign in each.signs), *(person.text for person in each.people)]
        if rom.data[each.script_at(text)] < 0xF0  # the rest start services
    ]
    bank, table = rom.number("SYSTEM_TEXTS_BANK"), rom.number("SYSTEM_TEXTS_ADDR")
    start, count = rom.at(bank, table), rom.number("SYSTEM_TEXTS_COUNT")
    spoken += [rom.at(bank, rom.word(start + 2 * number)) for number in range(count)]
    for script in spoken:
        lengths = lines_of(rom, script)
        assert all(0 < length <= 18 for length in lengths)


def test_the_introduction_has_pages_and_scrolls(rom: Rom) -> None:
    bank, table = rom.number("SYSTEM_TEXTS_BANK"), rom.number("SYSTEM_TEXTS_ADDR")
    entry = rom.at(bank, table) + 2 * rom.number("TEXT_INTRO")
    body = rom.until(rom.at(bank, rom.word(entry)), END, limit=400)
    assert body.count(NEW_PAGE) >= 2
    assert body.count(SCROLL) >= 1


def test_menu_words_end(rom: Rom) -> None:
    words = {name: value for name, value in rom.macros.items() if name.startswith("STR_")}
    for name, value in words.items():
        if not name.endswith("_LENGTH"):
            codes = [int(code, 0) for code in value.split(",")]
            assert codes.index(END) == len(codes) - 1 == rom.number(f"{name}_LENGTH")
    for preset in (1, 2, 3):
        assert rom.number(f"STR_PRESET_{preset}_LENGTH") <= 7


def test_sprite_sheets_are_whole(rom: Rom) -> None:
    bank = rom.number("SPRITE_SHEETS_BANK")
    table = rom.at(bank, rom.number("SPRITE_SHEETS_ADDR"))
    for number in range(rom.number("SPRITE_SHEETS_COUNT")):
        start, count = rom.word(table + 3 * number), rom.data[table + 3 * number + 2]
        assert count in {4, 24}
        assert any(rom.data[rom.at(bank, start) : rom.at(bank, start + 16 * count - 1)])


def test_the_title_can_be_read_from_its_tiles(rom: Rom) -> None:
    bank = rom.number("TITLE_MAP_BANK")
    start = rom.at(bank, rom.number("TITLE_MAP_ADDR"))
    cells = rom.data[start : start + 360]
    letters = {0x80 + n: chr(ord("A") + n) for n in range(26)}
    rows = [
        "".join(letters.get(cell, " ") for cell in cells[at : at + 20]) for at in range(0, 360, 20)
    ]
    assert any("PRESS START" in row for row in rows)
    drawn = rom.number("TITLE_TILES_COUNT")
    assert all(cell < drawn or cell >= 0x79 for cell in cells)


def glyphs(rom: Rom) -> dict[int, bytes]:
    """Return the pixels on screen of every text tile that is not blank."""
    letters, boxes = rom.tables["FontGraphics"], rom.tables["TextBoxGraphics"]
    font = {0x80 + n: rom.data[letters + 8 * n : letters + 8 * n + 8] for n in range(0x80)}
    shown = {code: bytes(row for row in glyph for _ in (0, 1)) for code, glyph in font.items()}
    shown |= {0x60 + n: rom.data[boxes + 16 * n : boxes + 16 * n + 16] for n in range(0x20)}
    return {code: pixels for code, pixels in shown.items() if any(pixels)}


def test_every_letter_has_a_glyph_of_its_own(rom: Rom) -> None:
    drawn = glyphs(rom)
    assert len(set(drawn.values())) == len(drawn)
    needed = {*range(0x80, 0xC0), *range(0xE0, 0xE9), *range(0xEC, 0x100), *range(0x79, 0x7F)}
    assert needed <= set(drawn)
    assert 0x7F not in drawn


def test_scenery_never_looks_like_other_scenery_or_text(rom: Rom) -> None:
    text = set(glyphs(rom).values())
    for number in range(TILESET_COUNT):
        tiles = Tileset(rom.tables["Tilesets"] + 12 * number, rom).pixels()
        drawn = [pixels for pixels in tiles if any(pixels)]
        assert len(set(drawn)) == len(drawn)
        assert not text & set(drawn)
