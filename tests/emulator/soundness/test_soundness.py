"""The survey of a valid cartridge, and of cartridges with a single corrupt table."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from emulator import Cartridge, CartridgeError, World, demo_cartridge_path, load_cartridge
from emulator.cartridge import BANK_SIZE, Rom
from emulator.profile import table
from emulator.soundness.check import EXAMPLES, maps_in_use
from emulator.soundness.survey import INVARIANTS, require_valid, survey
from emulator.world.header import CONNECTION_SIZE, HEADER_SIZE

Patch: TypeAlias = tuple[int, bytes]

TOWN, LANE, HOUSE, BEDROOM, UNUSED = 0, 12, 37, 38, 200
UNREACHABLE = 244  # a map of the demo that no warp leads to
NO_BANK = 0xF0  # beyond the end of the image
DRAWN: Final = Path(__file__).parents[3] / "roms" / "demo" / "world" / "maps"
DEMO: Final = load_cartridge(demo_cartridge_path())
ROM: Final = Rom(DEMO.rom)


def offset(bank: int, address: int) -> int:
    return (bank * BANK_SIZE if address >= BANK_SIZE else 0) + address % BANK_SIZE


def within(label: str, at: int = 0) -> int:
    """Return the file offset of byte `at` of a table."""
    return offset(*table(label)) + at


def pointed(label: str, entry: int) -> int:
    """Return the file offset to which an entry of a pointer table points."""
    bank, address = table(label)
    return offset(bank, ROM.pointer(bank, address + 2 * entry))


def header(map_id: int) -> tuple[int, int]:
    """Return the bank and address of a map's header."""
    headers, banks = table("MapHeaderPointers"), table("MapHeaderBanks")
    address = ROM.pointer(headers.bank, headers.address + 2 * map_id)
    return ROM.byte(banks.bank, banks.address + map_id), address


def objects(map_id: int, connections: int = 0) -> int:
    bank, address = header(map_id)
    return offset(bank, ROM.pointer(bank, address + HEADER_SIZE + connections * CONNECTION_SIZE))


def patched(*patches: Patch, base: Cartridge = DEMO) -> Cartridge:
    """Return a cartridge with some bytes replaced, without the checks of loading."""
    rom = bytearray(base.rom)
    for at, data in patches:
        rom[at : at + len(data)] = data
    return replace(base, rom=bytes(rom), sha1=f"{base.sha1} spoilt {patches}")


def test_the_demo_meets_every_invariant(demo: Cartridge) -> None:
    checks = survey(demo)
    assert [check.invariant for check in checks] == [each.description for each in INVARIANTS]
    assert [check.violations for check in checks if not check.is_sound] == []
    assert sum(check.checked for check in checks) > 500
    require_valid(demo, checks)


def test_the_tables_of_the_real_game_meet_every_invariant(synthetic_cartridge: Cartridge) -> None:
    checks = survey(synthetic_cartridge)
    assert [check.violations for check in checks if not check.is_sound] == []
    assert [check.invariant for check in checks if not check.checked] == []


def test_maps_in_use_are_those_the_player_can_reach(demo: Cartridge) -> None:
    in_use = {here.map_id for here in maps_in_use(World.of(demo))}
    drawn = {tomllib.loads(file.read_text(encoding="utf-8"))["id"] for file in DRAWN.glob("*.toml")}
    assert in_use == drawn - {UNREACHABLE}
    assert UNREACHABLE in World.of(demo).map_ids


def first_warp(map_id: int, connections: int = 0) -> int:
    border, count = 1, 1
    return objects(map_id, connections) + border + count


def text(map_id: int, text_id: int) -> int:
    """Return the address of a text of a map."""
    bank, address = header(map_id)
    entry = ROM.pointer(bank, address + 5) + 2 * (text_id - 1)
    return offset(bank, ROM.pointer(bank, entry))


HEIGHT: Final = offset(*header(LANE)) + 1
STAIRS: Final = first_warp(BEDROOM)
EDGE: Final = offset(*header(TOWN)) + HEADER_SIZE  # its last two bytes are the coordinate offsets
SIGN_TEXT: Final = text(LANE, 1)
LEARNSET: Final = pointed("EvosMovesPointerTable", 2)
TRAINER: Final = objects(LANE, connections=2) + 3 + 2 * 3 + 1
CLASS_1: Final = pointed("TrainerDataPointers", 0)
FIRST_LEVEL_UP_MOVE: Final = 4  # of a species that evolves at a level: three bytes and their end

# Corrupt bytes by the invariant they break, and the fault reported.
CORRUPT_BYTES: Final[dict[str, list[tuple[int, bytes, str]]]] = {
    "has a size": [
        (HEIGHT, b"\0", "map 12 has no size"),
        (HEIGHT, b"\xff", "map 12 has no size, or does not fit into RAM"),
        (STAIRS - 1, b"\x21", "map 38 has no size, or does not fit into RAM"),
    ],
    "tileset": [(offset(*header(TOWN)), b"\x18", "map 0 has tileset 24; there are 24")],
    "stand on their map": [(STAIRS + 1, b"\x63", "warp 0 of map 38 is at (99, 1), outside")],
    "lands on a warp": [
        (STAIRS + 3, b"\xf8", "warp 0 of map 38 leads to map 248, which does not exist"),
        (STAIRS + 2, b"\x03", "warp 0 of map 38 leads to warp 3 of map 37, which has 3"),
    ],
    "connected maps": [
        (EDGE, b"\x01", "the north edge of map 0 connects to map 1, which does not connect back"),
        (
            EDGE + 7,
            b"\x05",
            "the north edge of map 0 connects to map 12, but the way back ends elsewhere",
        ),
    ],
    "trainers on maps": [
        (TRAINER + 7, b"\x03", "sprite 1 of map 12 has team 3 of class 1, which has 2"),
        (TRAINER + 6, b"\xf8", "sprite 1 of map 12 is of trainer class 48, which does not exist"),
        (TRAINER + 6, b"\x01", "sprite 1 of map 12 is species 1, which does not exist"),
    ],
    "items on maps": [
        (TRAINER + 5, b"\x81\x78", "sprite 1 on map 12 is item 120, which does not exist")
    ],
    "can be decoded": [
        (TRAINER + 5, b"\x40", "sprite 1 of map 12 has text 0, which is invalid"),
        (SIGN_TEXT, b"\x18", "sign 1 of map 12 has text 1, which is invalid"),
        (SIGN_TEXT + 5, b"\x4d", "sign 1 of map 12 has text 1, which is invalid after 'BRAM'"),
    ],
    "trainers' Pokemon": [
        (CLASS_1 + 2, b"\x01", "team 1 of class 1 has species 1, which does not exist")
    ],
    "holds only teams": [(CLASS_1 + 1, b"\xf0", "class 1 has 0 teams and other data")],
    "wild Pokemon": [
        (pointed("WildDataPointers", LANE) + 1, b"\0", "map 12 has wild species 33 at level 0")
    ],
    "dex numbers": [(within("PokedexOrder", 32), b"\x01", "2 species have number 1 in the dex")],
    "species have stats": [
        (within("BaseStats", 6), b"\x1b", "species 3 has types (27, 20); there are 27")
    ],
    "more experience": [
        (within("GrowthRateTable", 1), b"\xff", "needs less experience for a higher level")
    ],
    "learnsets": [(LEARNSET + FIRST_LEVEL_UP_MOVE, b"\x65", "species 3 learns move")],
    "evolutions": [
        (LEARNSET, b"\x01\x10\x01\x00", "species 3 evolves into species 1, which does not exist")
    ],
    "moves have PP": [(within("Moves", 5), b"\0", "move 1 has 0 PP")],
    "machines teach": [
        (within("TechnicalMachines"), b"\xa3", "item 201 teaches move 163, which does not exist")
    ],
    "special moves of leaders exist": [
        (
            within("LoneMoves"),
            b"\x01\xa3",
            "the special move of leader 1 is 163, which does not exist",
        )
    ],
    "names that can be decoded": [
        (within("MonsterNames", 20), b"\x01", "species 3 is called ' OASTNUT'")
    ],
    "decimal digits": [
        (within("ItemPrices", 2), b"\x0a", "the price of item 1 is stored as 00000a")
    ],
    "type chart": [(within("TypeEffects", 2), b"\x0b", "type 20 against type 22 has 11 tenths")],
    "a higher stage": [(within("StatModifierRatios"), b"\x09", "9/8 is not below 2/7")],
}


MISSINGNO: Final = b"\x1f"
CORRUPT_BYTES_RED: Final[dict[str, list[tuple[int, bytes, str]]]] = {
    "every hole": [(within("DungeonWarpList"), b"\xf8", "a hole leads to (")],
    "town map": [(within("ExternalMapEntries", 1), b"\xff\x7f", "map 0 is called ' ")],
    "also of rods": [
        (within("GoodRodMons", 1), MISSINGNO, "a rod catches species 31, which does not exist")
    ],
    "trades": [(within("TradeMons", 1), MISSINGNO, "trade 0 has species 31, which does not exist")],
    "complete or empty": [
        (within("TechnicalMachines"), b"\xa7", "only 54 of 55 machines are valid")
    ],
    "shops and vending machines": [
        (within("VendingPrices"), b"\xc0", "a vending machine sells item 192, which does not exist")
    ],
}


def rows(table: dict[str, list[tuple[int, bytes, str]]]) -> list[tuple[str, int, bytes, str]]:
    return [(invariant, *row) for invariant, found in table.items() for row in found]


def check_names(cartridge: Cartridge, invariant: str, words: str) -> None:
    """Check that the survey breaks exactly one invariant, with a fault that contains `words`."""
    broken = [check for check in survey(cartridge) if not check.is_sound]
    named = [check for check in broken if invariant in check.invariant]
    assert len(named) == 1
    assert words in named[0].violations[0]


@pytest.mark.parametrize(("invariant", "at", "data", "words"), rows(CORRUPT_BYTES))
def test_a_corrupt_table_is_reported(invariant: str, at: int, data: bytes, words: str) -> None:
    check_names(patched((at, data)), invariant, words)


@pytest.mark.parametrize(("invariant", "at", "data", "words"), rows(CORRUPT_BYTES_RED))
def test_a_corrupt_table_of_the_real_game_is_reported(
    invariant: str, at: int, data: bytes, words: str, synthetic_cartridge: Cartridge
) -> None:
    check_names(patched((at, data), base=synthetic_cartridge), invariant, words)


def test_an_invalid_cartridge_is_refused_in_one_line_that_says_what_to_do() -> None:
    cartridge = replace(patched((within("Moves", 5), b"\0")), path=Path("red.gb"))
    with pytest.raises(CartridgeError) as raised:
        require_valid(cartridge, survey(cartridge))
    message = str(raised.value)
    assert message.startswith("'red.gb' is invalid: move 1 has 0 PP (of 1 faults in 1 of ")
    assert "copy the image again" in message
    assert "\n" not in message


def test_a_survey_counts_all_faults_and_lists_the_first_few() -> None:
    start, size = within("Moves"), 6 * 32
    worst = max(survey(patched((start, b"\xff" * size))), key=lambda check: check.broken)
    assert worst.broken > EXAMPLES == len(worst.violations)


def rewritten_warp(warp_index: int) -> Cartridge:
    """Return a cartridge whose bedroom stairs lead to an id with the house's address in an empty bank."""
    _, address = header(HOUSE)
    return patched(
        (within("MapHeaderPointers", 2 * UNUSED), address.to_bytes(2, "little")),
        (within("MapHeaderBanks", UNUSED), bytes([NO_BANK])),
        (first_warp(BEDROOM) + 2, bytes([warp_index, UNUSED])),
    )


def test_a_warp_that_the_game_rewrites_before_use_is_not_checked() -> None:
    cartridge = rewritten_warp(2)
    assert all(check.is_sound for check in survey(cartridge))
    assert UNUSED not in {here.map_id for here in maps_in_use(World.of(cartridge))}


def test_a_warp_to_an_id_without_a_map_is_reported() -> None:
    violations = [words for check in survey(rewritten_warp(3)) for words in check.violations]
    assert "warp 0 of map 38 leads to warp 3 of map 200, which has 0" in violations
