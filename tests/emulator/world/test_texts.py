"""What signs and people say: by hand, with every code and command, and on the demo, whose words are readable text."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator import Cartridge, Dex, Rom, World
from emulator.world.texts import (
    MOST_BYTES,
    MOST_COMMANDS,
    ScriptEnding,
    Text,
    TextKind,
    TextService,
    TextTable,
    read_script,
)

MAPS: Final = Path(__file__).resolve().parents[3] / "roms" / "demo" / "world" / "maps"
BANK, OTHER, TABLE, PLACE = 7, 9, 0x5000, 0x5800
END, PROGRAM = b"\x50", b"\x08"
HI, YOU = b"\x00\x87\xa8\x50", b"\x00\x98\xae\xb4\x50"  # as strings


def rom_with(tables: Mapping[tuple[int, int], bytes]) -> Rom:
    image = bytearray(1 << 18)
    for (bank, address), data in tables.items():
        start = address + (bank - 1) * 0x4000 if address >= 0x4000 else address
        image[start : start + len(data)] = data
    return Rom(bytes(image))


def word(value: int) -> bytes:
    return value.to_bytes(2, "little")


def far(address: int, bank: int = OTHER) -> bytes:
    return b"\x17" + word(address) + bytes([bank])


def read(script: bytes, elsewhere: bytes = b"") -> tuple[ScriptEnding, str]:
    return read_script(rom_with({(BANK, PLACE): script, (OTHER, PLACE): elsewhere}), BANK, PLACE)


@pytest.mark.parametrize(
    ("string", "words"),
    [
        (b"\x87\xa8\x4f\x98\xae\xb4\x57", "Hi\nYou"),
        (b"\x87\x51\xa8\x49\xa8\x55\xa8\x4b\xa8\x4c\xa8\x4e\xa8\x58", "H\n\ni\n\ni\ni\ni\ni\ni"),
        (b"\x52\xbd\x7f\x54\x5f", "{player}'s POKé."),
        (b"\x53\xf4\x59\xf4\x5a\x57", "{rival},{target},{user}"),
        (b"\x4a\x7f\x5b\x7f\x5c\x7f\x5d\x7f\x5e\x56\x57", "PKMN PC TM TRAINER ROCKET……"),
        (b"\x60\x61\x57", "  "),  # bold letters, which the screen's reader does not tell apart
    ],
)
def test_a_string_prints_letters_lines_and_what_is_filled_in(string: bytes, words: str) -> None:
    assert read(b"\x00" + string) == (ScriptEnding.END, words)


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
    assert read(HI + command + YOU + END) == (ScriptEnding.END, words)


def test_a_text_may_end_before_it_begins() -> None:
    assert read(END) == (ScriptEnding.END, "")


def test_a_text_goes_on_behind_one_of_another_bank() -> None:
    assert read(HI + far(PLACE) + HI + END, YOU + END) == (ScriptEnding.END, "HiYouHi")
    assert read(far(PLACE) + b"\x0b" + END, YOU[:-1] + b"\x57") == (ScriptEnding.END, "You")


def test_where_a_program_begins_nothing_more_is_known() -> None:
    assert read(PROGRAM + HI) == (ScriptEnding.PROGRAM, "")
    assert read(far(PLACE) + PROGRAM + HI, YOU + END) == (ScriptEnding.PROGRAM, "You")


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
def test_what_is_no_text_is_nonsense_behind_what_could_be_read(script: bytes) -> None:
    assert read(script) == (ScriptEnding.NONSENSE, "Hi")


def test_a_text_that_does_not_end_is_nonsense() -> None:
    ending, words = read(b"\x00" + b"\x80" * (2 * MOST_BYTES))
    assert ending is ScriptEnding.NONSENSE
    assert len(words) == MOST_BYTES - 1
    assert read(HI * MOST_BYTES)[0] is ScriptEnding.NONSENSE
    assert read(b"\x0c\xff" * MOST_BYTES)[0] is ScriptEnding.NONSENSE


def test_a_text_that_leads_back_to_itself_is_nonsense() -> None:
    assert read(far(PLACE), HI + far(PLACE)) == (ScriptEnding.NONSENSE, "Hi" * (MOST_COMMANDS // 2))


@settings(deadline=None)
@given(st.binary(max_size=0x200), st.integers(0, 0xFF), st.integers(0, 0xFFFF), st.integers(0, 255))
def test_whatever_lies_there_is_read_to_an_end(
    data: bytes, bank: int, address: int, text_id: int
) -> None:
    text = TextTable(Rom(data * 0x80), bank, address).read(text_id)
    assert text.kind in TextKind
    assert len(text.words) <= 0x100 * MOST_COMMANDS + 4 * MOST_BYTES
    assert (text.service is not None) == (text.kind is TextKind.SERVICE)


def test_a_table_counts_from_one_and_leads_to_its_bank_or_the_first() -> None:
    places = (PLACE, 0x2442, 0x8000, PLACE + 8, PLACE + 9)
    rom = rom_with(
        {
            (BANK, TABLE): b"".join(map(word, places)),
            (BANK, PLACE): HI + END,
            (0, 0x2442): YOU + END,
            (BANK, PLACE + 8): bytes([TextService.NURSE.value]),
            (BANK, PLACE + 9): far(0x6000),
        }
    )
    texts = TextTable(rom, BANK, TABLE)
    assert [texts.read(text_id) for text_id in range(6)] == [
        Text(TextKind.NONSENSE),
        Text(TextKind.PRINTED, "Hi"),
        Text(TextKind.PRINTED, "You"),
        Text(TextKind.NONSENSE),
        Text(TextKind.SERVICE, service=TextService.NURSE),
        Text(TextKind.NONSENSE),
    ]


def test_a_table_stays_in_its_bank_and_out_of_ram() -> None:
    rom = rom_with({(BANK, 0x7FFC): word(PLACE) * 2, (BANK, PLACE): HI + END})
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
    """Return the words of a text of the demo as they should be decoded."""

    def mark(token: re.Match[str]) -> str:
        kind, *numbers = token[1].split("-")
        if kind == "species":
            return dex.species(int(numbers[0])).name
        return "{string}" if kind == "string" else MARKS[kind]

    return re.sub("<([^>]+)>", mark, markup)


def as_decoded(said: str | dict[str, Any], dex: Dex) -> Text:
    """Return what a text of the demo should be decoded to."""
    if isinstance(said, str):
        return Text(TextKind.PRINTED, as_read(said, dex))
    name = "mart" if "mart" in said else said["service"]  # wares instead of a service's name
    return Text(TextKind.SERVICE, service=SERVICES[name])


def test_what_the_demo_says_is_what_its_sources_say(demo: Cartridge) -> None:
    world, dex = World.of(demo), Dex.of(demo)
    compared = 0
    for written in demo_maps():
        if "id" not in written:
            continue
        texts = world.map(written["id"]).texts
        for text_id, said in enumerate(written.get("texts", {}).values(), start=1):
            assert texts.read(text_id) == as_decoded(said, dex)
            compared += 1
    assert compared > 40


def test_signs_and_people_of_the_demo_say_what_their_map_has_for_them(demo: Cartridge) -> None:
    world, dex = World.of(demo), Dex.of(demo)
    for written in demo_maps():
        if "id" not in written:
            continue
        here = world.map(written["id"])
        for sign, row in zip(here.signs, written.get("signs", ()), strict=True):
            assert here.texts.read(sign.text_id) == as_decoded(written["texts"][row["text"]], dex)
        for person, row in zip(here.people, written.get("people", ()), strict=True):
            said = written["texts"].get(row["text"]) or written["trainers"][row["text"]]["before"]
            assert here.texts.read(person.text_id) == as_decoded(said, dex)
