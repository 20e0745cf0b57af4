"""The world's tables follow the binary contract: parsed here from the written formats alone.

The image is what `roms/demo/world` compiles to; the committed cartridge must carry the same bytes.
"""

import csv
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from tests.contract.world_rom import (
    HEADER,
    LIST_END,
    LIVE_BLOCKS,
    MAP_COUNT,
    ROOT,
    Map,
    Rom,
    Tileset,
    compile_world,
    doors,
    special,
)
from tests.contract.world_ways import FACINGS, signed

CARTRIDGE = ROOT / "roms" / "demo.gb"
TILESET_COUNT = 24
METHOD_TWO = {0, 13, 14, 23}  # their mats are recognised by the tile ahead, not by the map's edge
EVENT_FLAGS = range(0xD747, 0xD747 + 320)
TOGGLE_HIDDEN, TOGGLE_SHOWN = 0x11, 0x15
PADS = {0: 0x80, 4: 0x40, 8: 0x20, 12: 0x10}
FLY_ENTRIES, TRAINER_CLASSES, LANE = 13, 200, 12
END, NAMES = 0x50, {0x52: 7, 0x53: 7, 0x59: 16, 0x5A: 16}
NEXT_LINE, NEW_PAGE, SCROLL, DONE, PROMPT = 0x4F, 0x51, 0x55, 0x57, 0x58
STRING, RAM_STRING, BCD, NUMBER = 0x00, 0x01, 0x02, 0x09
LONGEST_RAM_STRING = 10
SERVICES = 0xF0  # and above, as the first byte of a text


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


def test_every_map_id_has_a_valid_header(rom: Rom) -> None:
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


def test_lists_end_where_they_should(rom: Rom) -> None:
    assert len(rom.until(rom.tables["Overworld_Coll"], 0xFF)) < 20
    assert len(rom.until(rom.tables["TilePairCollisionsLand"], 0xFF)) % 3 == 0
    assert rom.data[rom.tables["TilePairCollisionsWater"]] == 0xFF
    assert len(rom.until(rom.tables["LedgeTiles"], 0xFF)) % 4 == 0
    for facing in range(4):
        carpets = rom.word(rom.tables["WarpTileListPointers"] + 2 * facing)
        rom.until(rom.at(3, carpets), 0xFF)
    assert all(number < TILESET_COUNT and tiles for number, tiles in doors(rom).items())
    for number in range(MAP_COUNT):
        toggles = rom.word(rom.tables["ToggleableObjectMapPointers"] + 2 * number)
        assert rom.data[rom.at(3, toggles)] in {number, 0xFF}


def toggle_states(rom: Rom) -> list[bytes]:
    data = rom.until_entry(rom.tables["ToggleableObjectStates"], 3)
    return [data[at : at + 3] for at in range(0, len(data), 3)]


def test_toggles_name_people_and_begin_as_they_should(rom: Rom, maps: dict[int, Map]) -> None:
    states = toggle_states(rom)
    assert len(states) < 228
    for number, slot, state in states:
        assert 1 <= slot <= len(maps[number].people)
        assert state in {TOGGLE_HIDDEN, TOGGLE_SHOWN}
    assert len({(number, slot) for number, slot, _ in states}) == len(states)
    found = [number for number, _ in groupby(states, key=lambda state: state[0])]
    assert len(found) == len(set(found))


def test_each_map_points_to_its_toggles(rom: Rom) -> None:
    numbers = [state[0] for state in toggle_states(rom)]
    for number in range(MAP_COUNT):
        pointer = rom.word(rom.tables["ToggleableObjectMapPointers"] + 2 * number)
        first = (rom.at(3, pointer) - rom.tables["ToggleableObjectStates"]) / 3
        assert first == (numbers.index(number) if number in numbers else len(numbers))


def test_scenes_find_people_by_name(rom: Rom, maps: dict[int, Map]) -> None:
    states = toggle_states(rom)
    for name, index in rom.numbers("TOGGLE_").items():
        number, slot, _ = states[index]
        assert slot == rom.number(f"SLOT_{name}")
        assert name.startswith(rom.map_names[number])
    lab = maps[rom.number("MAP_LAB")].people
    assert [(person.x, person.y) for person in lab[:5]] == [(4, 3), (6, 3), (7, 3), (8, 3), (5, 2)]


def test_trainers_have_headers(rom: Rom, maps: dict[int, Map]) -> None:
    flags = []
    for each in maps.values():
        trainers, headers = [p for p in each.people if p.is_trainer], each.trainer_headers()
        assert len(headers) == len(trainers)
        for trainer, header in zip(trainers, headers, strict=True):
            opponent, party = trainer.extra
            assert opponent > TRAINER_CLASSES
            assert party >= 1
            bit, sight = rom.data[header : header + 2]
            flag = rom.word(header + 2)
            assert bit < 8
            assert 0 <= sight >> 4 <= 4
            assert sight & 15 == 0
            assert flag in EVENT_FLAGS
            flags.append((flag, bit))
            texts = [rom.word(header + at) for at in range(4, HEADER, 2)]
            assert all(lines_of(rom, rom.at(each.bank, text)) for text in texts)
            assert each.script_at(trainer.text) == rom.at(each.bank, texts[0])
    assert (0xD7C3, 2) in flags
    assert len(set(flags)) == len(flags)


def test_the_list_of_trainer_headers_names_each_map_once(rom: Rom, maps: dict[int, Map]) -> None:
    start = rom.at(rom.number("TRAINER_HEADERS_BANK"), rom.number("TRAINER_HEADERS_ADDR"))
    listed = list(rom.until_entry(start, 3)[::3])
    assert listed == [n for n, each in maps.items() if any(p.is_trainer for p in each.people)]


def test_town_landings_are_below_a_door(rom: Rom, maps: dict[int, Map]) -> None:
    start, towns = rom.tables["FlyWarpDataPtr"], []
    for entry in range(start, start + 4 * FLY_ENTRIES, 4):
        number, unused = rom.data[entry : entry + 2]
        if number == LIST_END:
            continue
        towns.append(number)
        here, record = maps[number], rom.at(1, rom.word(entry + 2))
        y, x, *parities = rom.data[record + 2 : record + 6]
        assert unused == 0
        assert parities == [y & 1, x & 1]
        assert rom.word(record) == here.view(x, y)
        assert here.walkable(x, y)
        assert any((warp.x, warp.y) == (x, y - 1) for warp in here.warps)
    assert towns == [0, 1, 2, 3, 8, 14]  # and the road with the bazaar


def test_ledges_lead_from_passable_onto_impassable_squares(rom: Rom) -> None:
    data = rom.until(rom.tables["LedgeTiles"], LIST_END, limit=32)
    overworld = Tileset(rom.tables["Tilesets"], rom)
    assert data
    for at in range(0, len(data), 4):
        facing, stood, ledge, pad = data[at : at + 4]
        assert facing in FACINGS
        assert pad == PADS[facing]
        assert stood in overworld.passable
        assert ledge not in overworld.passable


def test_the_lane_is_for_beginners(rom: Rom) -> None:
    offset = rom.at(3, rom.word(rom.tables["WildDataPointers"] + 2 * LANE))
    rate, levels = rom.data[offset], rom.data[offset + 1 : offset + 21 : 2]
    assert rate == 25
    assert set(levels) == {2, 3, 4}


def test_arrival_records_put_the_player_in_the_middle(maps: dict[int, Map]) -> None:
    for each in maps.values():
        for warp, arrival in zip(each.warps, each.arrivals, strict=True):
            view = each.view(warp.x, warp.y)
            assert arrival == view.to_bytes(2, "little") + bytes([warp.y, warp.x])


def faces_carpet(rom: Rom, here: Map, x: int, y: int) -> bool:
    """Return whether the square below fires a warp outdoors."""
    down = rom.at(3, rom.word(rom.tables["WarpTileListPointers"]))
    return here.holds(x, y + 1) and here.tile(x, y + 1) in rom.until(down, LIST_END)


def test_every_warp_can_fire(rom: Rom, maps: dict[int, Map]) -> None:
    for each in maps.values():
        for warp in each.warps:
            steps = each.tile(warp.x, warp.y) in special(rom, each.tileset_id)
            at_edge = warp.y in {0, 2 * each.height - 1} or warp.x in {0, 2 * each.width - 1}
            if each.tileset_id in METHOD_TWO:
                assert steps or faces_carpet(rom, each, warp.x, warp.y)
            else:
                assert steps or at_edge


def test_doors_lead_onto_open_ground(rom: Rom, maps: dict[int, Map]) -> None:
    for each in maps.values():
        for warp in each.warps:
            if each.tile(warp.x, warp.y) in doors(rom).get(each.tileset_id, b""):
                assert each.walkable(warp.x, warp.y + 1)
                assert all((p.x, p.y) != (warp.x, warp.y + 1) for p in each.people)


def test_connection_strips_show_the_connected_map(rom: Rom, maps: dict[int, Map]) -> None:
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


def test_people_stand_on_open_ground_and_signs_do_not(rom: Rom, maps: dict[int, Map]) -> None:
    sheets = rom.at(rom.number("SPRITE_SHEETS_BANK"), rom.number("SPRITE_SHEETS_ADDR"))
    pictures = range(1, rom.number("SPRITE_SHEETS_COUNT") + 1)
    things = {number for number in pictures if rom.data[sheets + 3 * number - 1] == 4}
    for each in maps.values():
        for person in each.people:
            is_thing = person.picture in things
            assert each.walkable(person.x, person.y) or is_thing  # an item may lie on a table
            assert 2 <= person.picture <= rom.number("SPRITE_SHEETS_COUNT")
            assert person.movement in {0xFE, 0xFF}
        for x, y, _ in each.signs:
            assert each.holds(x, y)
            assert not each.walkable(x, y)


def codes_of(rom: Rom, offset: int) -> Iterator[int | str]:
    """Yield the codes of a text script; text printed from RAM counts as its number of letters."""
    while True:
        command, offset = rom.data[offset], offset + 1
        assert command in {STRING, RAM_STRING, BCD, NUMBER}, f"{command:02X} at {offset:06X}"
        if command == STRING:
            while (code := rom.data[offset]) != END:
                yield code
                offset += 1
                if code in {DONE, PROMPT}:
                    assert rom.data[offset] == END
                    return
            offset += 1
            continue
        size = rom.data[offset + 2]
        yield "?" * {RAM_STRING: LONGEST_RAM_STRING, BCD: 2 * size, NUMBER: size & 15}[command]
        offset += 2 if command == RAM_STRING else 3


def lines_of(rom: Rom, offset: int) -> list[int]:
    """Return the length of each line of a text script, after checking that it is valid."""
    *codes, last = codes_of(rom, offset)
    assert last in {DONE, PROMPT}
    lengths, row = [0], 0
    for code in codes:
        if isinstance(code, str):
            lengths[-1] += len(code)
        elif code in {NEXT_LINE, NEW_PAGE, SCROLL}:
            assert (row == 1) >= (code == SCROLL)
            assert (row == 0) >= (code == NEXT_LINE)
            row = 0 if code == NEW_PAGE else 1
            lengths.append(0)
        else:
            assert code in NAMES or code == 0x7F or code >= 0x80, f"{code:02X} at {offset:06X}"
            lengths[-1] += NAMES.get(code, 1)
    return lengths


def map_texts(rom: Rom, maps: dict[int, Map]) -> Iterator[int]:
    """Yield the offset of every text of every map, without services."""
    for each in maps.values():
        for text in rom.numbers(f"MAP_TEXT_{rom.map_names[each.number]}_").values():
            if rom.data[each.script_at(text)] < SERVICES:
                yield each.script_at(text)


def test_texts_decode_and_fit_their_box(rom: Rom, maps: dict[int, Map]) -> None:
    spoken = list(map_texts(rom, maps))
    bank, table = rom.number("SYSTEM_TEXTS_BANK"), rom.number("SYSTEM_TEXTS_ADDR")
    start, count = rom.at(bank, table), rom.number("SYSTEM_TEXTS_COUNT")
    spoken += [rom.at(bank, rom.word(start + 2 * number)) for number in range(count)]
    for script in spoken:
        assert all(0 < length <= 18 for length in lines_of(rom, script))


def test_the_balls_name_the_starters(rom: Rom, maps: dict[int, Map]) -> None:
    lab = maps[rom.number("MAP_LAB")]
    names = rom.numbers("SPECIES_").items()
    species = {number: name for name, number in names if not name.startswith("STARTER")}
    for place in (1, 2, 3):
        text = lab.script_at(rom.number(f"MAP_TEXT_LAB_BALL_{place}"))
        letters = {0x80 + n: chr(ord("A") + n) for n in range(26)}
        codes = (code for code in codes_of(rom, text) if isinstance(code, int))
        said = "".join(letters.get(code, " ") for code in codes)
        assert species[rom.number(f"SPECIES_STARTER_{place}")] in said


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


def test_sprite_sheets_are_complete(rom: Rom) -> None:
    bank = rom.number("SPRITE_SHEETS_BANK")
    table = rom.at(bank, rom.number("SPRITE_SHEETS_ADDR"))
    for number in range(rom.number("SPRITE_SHEETS_COUNT")):
        start, count = rom.word(table + 3 * number), rom.data[table + 3 * number + 2]
        assert count in {4, 24}
        assert any(rom.data[rom.at(bank, start) : rom.at(bank, start + 16 * count - 1)])


def test_the_title_can_be_read_from_its_tiles(rom: Rom) -> None:
    start = rom.at(rom.number("TITLE_MAP_BANK"), rom.number("TITLE_MAP_ADDR"))
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
