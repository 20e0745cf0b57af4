"""Map data outside of the header, and the texts of signs and people."""

import re
import tomllib
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator import Cartridge, Dex, World
from emulator.cartridge import Rom
from emulator.profile import RomAddress, table
from emulator.world.header import TownMapEntry, read_town_map_entry
from emulator.world.map_objects import (
    HiddenItem,
    MapObject,
    MapObjectKind,
    Shop,
    Toggle,
    read_hidden_items,
    read_shops,
    read_toggles,
)
from emulator.world.texts import (
    MAX_BYTES,
    MAX_COMMANDS,
    Text,
    TextKind,
    TextService,
    TextTable,
    read_script,
)
from emulator.world.tileset import read_tileset
from emulator.world.world import DungeonWarp, read_dungeon_warps
from tests.emulator.synthetic.image import offset, word

END = 0xFF
BEDROOM = 38
SURFABLE = (0, 3, 5, 7, 13, 14, 17, 22, 23)


def rom_with(tables: Mapping[tuple[int, int], bytes], blank: int = END) -> Rom:
    """Return an image with these bytes, and `blank` in all other places."""
    image = bytearray([blank]) * (1 << 20)
    for place, data in tables.items():
        image[offset(*place) : offset(*place) + len(data)] = data
    return Rom(bytes(image))


def entry(label: str, at: int) -> RomAddress:
    bank, address = table(label)
    return RomAddress(bank, address + at)


def person_with_text(slot: int, text_id: int) -> MapObject:
    return MapObject(slot, 1, 0, 0, False, text_id, MapObjectKind.PERSON)


def test_shops_are_recognised_by_their_text() -> None:
    rom = rom_with(
        {
            (7, 0x5000): word(0x2442) + word(0x5100) + word(0x5200) + word(0x5300),
            (0, 0x2442): bytes([0xFE, 2, 4, 11, END]),
            (7, 0x5100): bytes([0x17, 0, 0, 0]),
            (7, 0x5200): bytes([0xFE, 1, 9, END]),
            (7, 0x5300): bytes([0xFE, 2, 9, 9, 9]),  # a list that does not end
        }
    )
    people = [person_with_text(slot, text) for slot, text in enumerate((0, 1, 2, 3, 4), start=1)]
    assert tuple(read_shops(TextTable(rom, 7, 0x5000), people)) == (Shop(2, (4, 11)), Shop(4, (9,)))


def test_toggles_of_a_map_are_consecutive_and_numbered_across_maps() -> None:
    bank, states = table("ToggleableObjectStates")
    rows = [(3, 1, 0x15), (5, 2, 0x11), (5, 4, 0x15), (6, 1, 0x11)]
    rom = rom_with(
        {
            (bank, states): bytes(chain.from_iterable(rows)),
            entry("ToggleableObjectMapPointers", 2 * 5): word(states + 3),
            entry("ToggleableObjectMapPointers", 2 * 4): word(states),
            entry("ToggleableObjectMapPointers", 2 * 2): word(0),
        }
    )
    assert read_toggles(rom, 5) == (Toggle(1, 2, hidden=True), Toggle(2, 4, hidden=False))
    assert [read_toggles(rom, map_id) for map_id in (4, 2, 1)] == [(), (), ()]


def test_hidden_items_are_those_in_both_tables() -> None:
    elsewhere, unknown, found, coins = (8, 2, 1), (9, 7, 7), (9, 2, 1), (9, 5, 6)
    rom = rom_with(
        {
            table("HiddenItemCoords"): bytes([*elsewhere, *unknown, *found]),
            table("HiddenCoinCoords"): bytes([*elsewhere, *coins]),
            table("HiddenEventMaps"): bytes([4, 9, END]),
            entry("HiddenEventPointers", 2): word(0x5000),
            (17, 0x5000): bytes([2, 1, 20, 29, 0, 0, 2, 1, 77, 29, 0, 0, 5, 6, 99, 29, 1, 0, END]),
        }
    )
    assert read_hidden_items(rom, 9) == (HiddenItem(x=1, y=2, flag=2, item=20),)
    assert read_hidden_items(rom, 8) == ()


@pytest.mark.parametrize(
    ("map_id", "place"),
    [
        (2, TownMapEntry("A", 3, 12)),
        (36, None),
        (37, TownMapEntry("POKéB", 1, 2)),
        (39, TownMapEntry("POKéB", 1, 2)),
        (40, TownMapEntry("PKMN A", 15, 0)),
        (60, None),
    ],
)
def test_town_map_entries_by_map(map_id: int, place: TownMapEntry | None) -> None:
    name, other, third = 0x7000, 0x7010, 0x7020
    groups = bytes([40, 0x21]) + word(other) + bytes([60, 0x0F]) + word(third) + bytes([END])
    rom = rom_with(
        {
            entry("ExternalMapEntries", 3 * 2): bytes([0xC3]) + word(name),
            table("InternalMapEntries"): groups,
            (28, name): bytes([0x80, 0x50]),
            (28, other): bytes([0x54, 0x81, 0x50]),
            (28, third): bytes([0x4A, 0x7F, 0x80, 0x50]),
        }
    )
    assert read_town_map_entry(rom, map_id) == place


def test_holes_have_numbered_landings() -> None:
    rom = rom_with(
        {
            table("DungeonWarpList"): bytes([160, 1, 160, 2, END]),
            table("DungeonWarpData"): bytes([0, 0, 7, 19, 1, 1, 0, 0, 8, 22, 0, 0]),
        }
    )
    assert read_dungeon_warps(rom) == (DungeonWarp(160, 1, 19, 7), DungeonWarp(160, 2, 22, 8))


def test_water_and_hole_tiles_depend_on_the_tileset() -> None:
    rom = rom_with(
        {
            table("TilePairCollisionsWater"): bytes([3, 0x14, 0x2E, 17, 0x14, 0x05, END]),
            table("WaterTilesets"): bytes([0, 3, 17, END]),
            table("WarpPadAndHoleData"): bytes([17, 0x20, 1, 17, 0x22, 2, 3, 0x11, 2, END]),
        }
    )
    cave, forest, house = (read_tileset(rom, number) for number in (17, 3, 1))
    assert cave.water_pairs == {frozenset({0x14, 0x05})}
    assert (cave.surfable, forest.surfable, house.surfable) == (True, True, False)
    assert cave.holes == {0x22}
    assert forest.holes == {0x11}
    assert not house.water_pairs | house.holes


def test_tables_the_demo_lacks_are_empty(demo: Cartridge) -> None:
    for here in World.of(demo).maps:
        assert here.tileset.surfable == (here.tileset.tileset_id in SURFABLE)
        assert not here.tileset.water_pairs


def test_holes_of_the_demo_are_those_of_the_game(demo: Cartridge) -> None:
    world = World.of(demo)
    assert len(world.dungeon_warps) == 2
    assert all(world.map(each.map_id).passable(each.x, each.y) for each in world.dungeon_warps)
    cave, works = (world.tileset(number) for number in (17, 22))
    assert [set(each.holes) for each in (cave, works)] == [{0x22}, {0x11}]


def test_hidden_items_of_the_demo_are_read(demo: Cartridge) -> None:
    hidden = {
        here.map_id: here.header.hidden_items
        for here in World.of(demo).maps
        if here.header.hidden_items
    }
    assert hidden[BEDROOM] == (HiddenItem(x=0, y=7, flag=hidden[BEDROOM][0].flag, item=20),)
    flags = sorted(each.flag for items in hidden.values() for each in items)
    assert flags == list(range(len(flags)))


def test_towns_of_the_demo_have_town_map_names(demo: Cartridge) -> None:
    places = [World.of(demo).map(map_id).header.town_map for map_id in (0, 1, 13, 40)]
    names = ["THISTLE END", "ALDERBROOK", "HEATHER WAY", "LAB"]
    assert [place.name for place in places if place is not None] == names


def test_the_shops_of_the_demo_sell_what_its_texts_list(demo: Cartridge) -> None:
    shops = {here.map_id: here.header.shops for here in World.of(demo).maps if here.header.shops}
    assert shops == {
        42: (Shop(slot=1, items=(4, 20, 11, 12, 14, 15)),),
        56: (Shop(slot=1, items=(4, 20, 19, 11, 15, 30, 29)),),
        67: (Shop(slot=1, items=(3, 4, 19, 20, 11, 15, 30, 56)),),
        150: (Shop(slot=2, items=(3, 19, 53, 52, 56, 57)),),
        172: (Shop(slot=1, items=(2, 3, 18, 19, 53, 52, 56, 57)),),
        174: (Shop(slot=2, items=(19, 20, 53, 52, 11, 15)),),
    }


def test_toggles_of_the_demo_name_objects_of_its_maps(demo: Cartridge) -> None:
    toggled = [(here, one) for here in World.of(demo).maps for one in here.header.toggles]
    assert [one.flag for _, one in toggled] == list(range(len(toggled)))
    assert toggled
    for here, one in toggled:
        assert 1 <= one.slot <= len(here.people)


def test_every_person_of_the_demo_stands_or_walks(demo: Cartridge) -> None:
    for here in World.of(demo).maps:
        for one in here.people:
            assert one.walks == bool(one.ways)
            assert one.walks or one.facing is not None or one.kind is MapObjectKind.BOULDER


MAPS: Final = Path(__file__).resolve().parents[3] / "roms" / "demo" / "world" / "maps"
BANK, OTHER, TABLE, PLACE = 7, 9, 0x5000, 0x5800
TEXTS_END, PROGRAM = b"\x50", b"\x08"
HI, YOU = b"\x00\x87\xa8\x50", b"\x00\x98\xae\xb4\x50"  # as strings


def far(address: int, bank: int = OTHER) -> bytes:
    return b"\x17" + word(address) + bytes([bank])


def read(script: bytes, elsewhere: bytes = b"") -> tuple[TextKind, str]:
    text = read_script(
        rom_with({(BANK, PLACE): script, (OTHER, PLACE): elsewhere}, blank=0), BANK, PLACE
    )
    return text.kind, text.words


@pytest.mark.parametrize(
    ("string", "words"),
    [
        (b"\x87\xa8\x4f\x98\xae\xb4\x57", "Hi\nYou"),
        (b"\x87\x51\xa8\x49\xa8\x55\xa8\x4b\xa8\x4c\xa8\x4e\xa8\x58", "H\n\ni\n\ni\ni\ni\ni\ni"),
        (b"\x52\xbd\x7f\x54\x5f", "{player}'s POKé."),
        (b"\x53\xf4\x59\xf4\x5a\x57", "{rival},{target},{user}"),
        (b"\x4a\x7f\x5b\x7f\x5c\x7f\x5d\x7f\x5e\x56\x57", "PKMN PC TM TRAINER ROCKET……"),
        (b"\x60\x61\x57", "  "),  # bold letters, which the screen's reader does not distinguish
    ],
)
def test_a_string_prints_letters_lines_and_inserted_names(string: bytes, words: str) -> None:
    assert read(b"\x00" + string) == (TextKind.PRINTED, words)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (b"\x01\x6d\xcd", "Hi{string}You"),
        (b"\x02\x79\xd0\xc3", "Hi{number}You"),
        (b"\x09\x96\xcf\x12", "Hi{number}You"),
        (b"\x03\xb9\xc4", "Hi\nYou"),
        (b"\x04\x90\xc4\x04\x12", "HiYou"),
        (b"\x05", "Hi\nYou"),
        (b"\x06\x07", "Hi\nYou"),
        (b"\x0c\x02", "Hi……You"),
        (b"\x0a\x0b\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16", "HiYou"),
        (b"", "HiYou"),
    ],
)
def test_commands_between_strings(command: bytes, words: str) -> None:
    assert read(HI + command + YOU + TEXTS_END) == (TextKind.PRINTED, words)


def test_a_text_may_end_before_it_begins() -> None:
    assert read(TEXTS_END) == (TextKind.PRINTED, "")


def test_a_text_continues_after_a_jump_to_another_bank() -> None:
    assert read(HI + far(PLACE) + HI + TEXTS_END, YOU + TEXTS_END) == (TextKind.PRINTED, "HiYouHi")
    assert read(far(PLACE) + b"\x0b" + TEXTS_END, YOU[:-1] + b"\x57") == (TextKind.PRINTED, "You")


def test_decoding_stops_at_the_start_of_a_program() -> None:
    assert read(PROGRAM + HI) == (TextKind.PROGRAM, "")
    assert read(far(PLACE) + PROGRAM + HI, YOU + TEXTS_END) == (TextKind.PROGRAM, "You")


@pytest.mark.parametrize(
    "script",
    [
        HI + b"\x18",  # no command
        b"\x00\x87\xa8\x4d",  # no code of a string
        b"\x00\x87\xa8\x00",
        b"\x00\x87\xa8\xea\x50",
        HI + far(PLACE, 0xF0),  # beyond the image
        HI + far(0xC000),  # RAM
    ],
)
def test_an_invalid_script_keeps_the_words_before_the_fault(script: bytes) -> None:
    assert read(script) == (TextKind.INVALID, "Hi")


def test_a_text_without_an_end_is_invalid() -> None:
    ending, words = read(b"\x00" + b"\x80" * (2 * MAX_BYTES))
    assert ending is TextKind.INVALID
    assert len(words) == MAX_BYTES - 1
    assert read(HI * MAX_BYTES)[0] is TextKind.INVALID
    assert read(b"\x0c\xff" * MAX_BYTES)[0] is TextKind.INVALID


def test_a_text_that_jumps_to_itself_is_invalid() -> None:
    assert read(far(PLACE), HI + far(PLACE)) == (TextKind.INVALID, "Hi" * (MAX_COMMANDS // 2))


@given(st.binary(max_size=0x200), st.integers(0, 0xFF), st.integers(0, 0xFFFF), st.integers(0, 255))
def test_decoding_of_random_bytes_always_ends(
    data: bytes, bank: int, address: int, text_id: int
) -> None:
    text = TextTable(Rom(data * 0x80), bank, address).read(text_id)
    assert text.kind in TextKind
    assert len(text.words) <= 0x100 * MAX_COMMANDS + 4 * MAX_BYTES
    assert (text.service is not None) == (text.kind is TextKind.SERVICE)


def test_a_text_table_counts_from_one_and_points_to_its_bank_or_the_first() -> None:
    places = (PLACE, 0x2442, 0x8000, PLACE + 8, PLACE + 9)
    rom = rom_with(
        {
            (BANK, TABLE): b"".join(map(word, places)),
            (BANK, PLACE): HI + TEXTS_END,
            (0, 0x2442): YOU + TEXTS_END,
            (BANK, PLACE + 8): bytes([TextService.NURSE.value]),
            (BANK, PLACE + 9): far(0x6000),
        },
        blank=0,
    )
    texts = TextTable(rom, BANK, TABLE)
    assert [texts.read(text_id) for text_id in range(6)] == [
        Text(TextKind.INVALID),
        Text(TextKind.PRINTED, "Hi"),
        Text(TextKind.PRINTED, "You"),
        Text(TextKind.INVALID),
        Text(TextKind.SERVICE, service=TextService.NURSE),
        Text(TextKind.INVALID),
    ]


def test_a_text_table_stays_in_its_bank_and_out_of_ram() -> None:
    rom = rom_with({(BANK, 0x7FFC): word(PLACE) * 2, (BANK, PLACE): HI + TEXTS_END}, blank=0)
    assert TextTable(rom, BANK, 0x7FFC).place(2) == PLACE
    assert TextTable(rom, BANK, 0x7FFC).place(3) is None
    assert TextTable(rom, BANK, 0x7FFD).place(2) is None
    assert TextTable(rom, BANK, 0xC000).place(1) is None


def demo_maps() -> list[dict[str, Any]]:
    return [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(MAPS.glob("*.toml"))]


MARKS: Final = {
    "line": "\n",
    "cont": "\n",
    "para": "\n\n",
    "done": "",
    "prompt": "",
    "player": "{player}",
    "rival": "{rival}",
}
SERVICES: Final = {  # by what the demo's sources call them
    "nurse": TextService.NURSE,
    "mart": TextService.MART,
    "pc": TextService.PC,
    "player_pc": TextService.PLAYERS_PC,
    "boxes": TextService.BILLS_PC,
    "machine": TextService.VENDING,
}


def as_read(markup: str, dex: Dex) -> str:
    """Return the words of a demo text as they should be decoded."""

    def mark(token: re.Match[str]) -> str:
        kind, *numbers = token[1].split("-")
        if kind == "species":
            return dex.species(int(numbers[0])).name
        return "{string}" if kind == "string" else MARKS[kind]

    return re.sub("<([^>]+)>", mark, markup)


def as_decoded(source: str | dict[str, Any], dex: Dex) -> Text:
    """Return the expected decoded form of a demo text."""
    if isinstance(source, str):
        return Text(TextKind.PRINTED, as_read(source, dex))
    name = "mart" if "mart" in source else source["service"]  # shops have a stock instead
    return Text(TextKind.SERVICE, service=SERVICES[name])


def test_decoded_texts_of_the_demo_match_its_sources(demo: Cartridge) -> None:
    world, dex = World.of(demo), Dex.of(demo)
    compared = 0
    for written in demo_maps():
        if "id" not in written:
            continue
        texts = world.map(written["id"]).header.texts
        for text_id, source in enumerate(written.get("texts", {}).values(), start=1):
            assert texts.read(text_id) == as_decoded(source, dex)
            compared += 1
    assert compared > 40


def test_signs_and_people_of_the_demo_have_the_texts_of_their_map(demo: Cartridge) -> None:
    world, dex = World.of(demo), Dex.of(demo)
    for written in demo_maps():
        if "id" not in written:
            continue
        here = world.map(written["id"])
        for sign, row in zip(here.header.signs, written.get("signs", ()), strict=True):
            assert here.header.texts.read(sign.text_id) == as_decoded(
                written["texts"][row["text"]], dex
            )
        for person, row in zip(here.people, written.get("people", ()), strict=True):
            texts = written.get("texts", {})
            source = texts.get(row["text"]) or written["trainers"][row["text"]]["before"]
            assert here.header.texts.read(person.text_id) == as_decoded(source, dex)
