"""The profile compared with PyBoy's wrapper of the game: every difference is listed here with its reason."""

import json
import re
import runpy
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pyboy.plugins.game_wrapper_pokemon_gen1_constants as constants
import pytest

from emulator import EmulatorError
from emulator.dex import trainers
from emulator.profile import FILE, RED, symbol, table
from emulator.ram import battle, party, player
from emulator.ram import player as bag
from emulator.ram.view import HIGH_RAM, WORK_RAM
from emulator.text import END, bcd, charmap

ADDRESSES: Final = {
    "BAG_ITEMS_ADDRESS": "wBagItems",
    "BAG_ITEM_COUNT_ADDRESS": "wNumBagItems",
    "BATTLE_TYPE_ADDRESS": "wBattleType",
    "CURRENT_ENEMY_LEVEL_ADDRESS": "wCurEnemyLevel",
    "CURRENT_OPPONENT_ADDRESS": "wCurOpponent",
    "DESTINATION_WARP_ID_ADDRESS": "wDestinationWarpID",
    "EVENT_FLAGS_ADDRESS": "wEventFlags",
    "OBTAINED_BADGES_ADDRESS": "wObtainedBadges",
    "PARTY_COUNT_ADDRESS": "wPartyCount",
    "PARTY_MONS_ADDRESS": "wPartyMons",
    "PARTY_MON_NICKNAME_ADDRESS": "wPartyMonNicks",
    "PARTY_MON_OT_ADDRESS": "wPartyMonOT",
    "PARTY_SPECIES_ADDRESS": "wPartySpecies",
    "PLAYER_MONEY_ADDRESS": "wPlayerMoney",
    "PLAYER_NAME_ADDRESS": "wPlayerName",
    "STATUS_FLAGS3_ADDRESS": "wStatusFlags3",
    "TRAINER_NUMBER_ADDRESS": "wTrainerNo",
    "WARP_DESTINATION_MAP_ADDRESS": "hWarpDestinationMap",
}
SIZES: Final = {
    "wBagItems": 2 * constants.BAG_ITEM_CAPACITY + 1,  # and an end mark
    "wPartySpecies": constants.PARTY_LENGTH + 1,
    "wPartyMons": constants.PARTY_LENGTH * constants.PARTY_MON_SIZE,
    "wPartyMonOT": constants.PARTY_LENGTH * constants.NAME_LENGTH,
    "wPartyMonNicks": constants.PARTY_LENGTH * constants.NAME_LENGTH,
    "wPlayerName": constants.NAME_LENGTH,
}
NUMBERS: Final = {
    "BAG_ITEM_CAPACITY": bag.BAG_CAPACITY,
    "MAX_MONEY": bcd(b"\x99\x99\x99"),
    "NAME_LENGTH": party.NAME_SIZE,
    "OPPONENT_ID_OFFSET": battle.FIRST_TRAINER,
    "PARTY_LENGTH": party.CAPACITY,
    "PARTY_MON_SIZE": party.MON_SIZE,
    "PARTY_SPECIES_SENTINEL": party.SPECIES_END,
    "TEXT_TERMINATOR": END,
    "TRAINER_CLASS_COUNT": trainers.COUNT,
}
NOT_OURS: Final = {
    "BIT_WARP_FROM_CURRENT_SCRIPT": "a bit of wStatusFlags3 for jumping to a map; we only walk",
    "ITEM_QUANTITY_MAX": "a limit when writing the bag; we only read it",
}


PYBOY_LACKS_IT, WE_LACK_IT, NAMED_OTHERWISE = "PyBoy lacks it", "we lack it", "named otherwise"
# How letters differ, and why.
DIFFERENCES: Final[tuple[tuple[Iterable[int], str, str], ...]] = (
    ([0x00], WE_LACK_IT, "begins stored texts and is never printed"),
    (
        [*range(0x49, 0x4D), *range(0x4E, 0x60)],
        WE_LACK_IT,
        "control codes: never on the screen; of those in names decode_name knows 50 and 54",
    ),
    ([0x6D, 0x6E], PYBOY_LACKS_IT, "the colon and the level mark of a mon's page"),
    (range(0x70, 0x76), PYBOY_LACKS_IT, "quotation marks, a dot, an ellipsis"),
    (range(0x79, 0x7F), PYBOY_LACKS_IT, "frames of boxes"),
    ([0xE1, 0xE2], NAMED_OTHERWISE, "one tile of two letters; PyBoy names it"),
    ([0xF2], NAMED_OTHERWISE, "a second full stop; PyBoy names it"),
    (
        [0x17F],
        WE_LACK_IT,
        "no code but the space as PyBoy numbers tiles of the second half of video RAM",
    ),
)


def test_letters_differ_from_pyboy_only_where_listed() -> None:
    theirs, ours = constants.POKEMON_TEXT_DECODING, charmap()
    found = {
        code: difference(theirs.get(code), ours.get(code))
        for code in theirs.keys() | ours.keys()
        if theirs.get(code) != ours.get(code)
    }
    assert found == {code: kind for codes, kind, _ in DIFFERENCES for code in codes}


def difference(theirs: str | None, ours: str | None) -> str:
    if theirs is None:
        return PYBOY_LACKS_IT
    return WE_LACK_IT if ours is None else NAMED_OTHERWISE


def by_number(names: Mapping[str, int]) -> Mapping[int, str]:
    turned = {number: name for name, number in names.items()}
    assert len(turned) == len(names)
    return turned


def test_the_profile_has_the_names_of_pyboy() -> None:
    assert by_number(RED.events) == by_number(constants.EVENT_FLAGS)
    assert RED.maps == by_number(constants.MAPS)


def test_addresses_and_numbers_are_those_of_pyboy() -> None:
    theirs = {name: n for name, n in vars(constants).items() if name.isupper() and type(n) is int}
    ours = {name: symbol(label) for name, label in ADDRESSES.items()} | NUMBERS
    assert ours == {name: n for name, n in theirs.items() if name not in NOT_OURS}
    assert NOT_OURS.keys() <= theirs.keys()
    assert player.NAME_SIZE == constants.NAME_LENGTH


def test_sizes_are_those_of_pyboy() -> None:
    assert {label: RED.ram[label].size for label in SIZES} == SIZES


ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPT: Final = ROOT / "scripts" / "red_profile.py"
SCRIPT_FACTS: Final = ROOT.parent / "shared" / "red"
SOURCES: Final = [*(ROOT / "emulator").rglob("*.py"), *(ROOT / "agent").rglob("*.py")]

LABELS: Final = re.compile(r'\b(symbol|table)\(\s*"(\w+)"')
RAM_ADDRESS: Final = re.compile(r"\b0x[CD][0-9A-F]{3}\b|\b0xFF(?!FF)[89A-F][0-9A-F]\b")
ROM_ADDRESS: Final = re.compile(r"\(\d+, 0x[0-9A-F]{4}\)")


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_the_profile_is_what_the_script_makes_of_the_facts(script: dict[str, Any]) -> None:
    if not SCRIPT_FACTS.exists():
        pytest.skip(f"no facts of the game in {SCRIPT_FACTS}")
    assert script["profile_text"](SCRIPT_FACTS) == FILE.read_text(encoding="utf-8")


def test_every_table_names_its_sources() -> None:
    data = json.loads(FILE.read_text(encoding="utf-8"))
    tables = data["rom_tables"]["rows"].values()
    assert all(
        table["sources"] and data["sources"].keys() >= {*table["sources"]} for table in tables
    )


def test_every_label_in_the_code_is_known() -> None:
    known: dict[str, Callable[[str], object]] = {"symbol": symbol, "table": table}
    asked = [pair for path in SOURCES for pair in LABELS.findall(path.read_text(encoding="utf-8"))]
    assert asked
    for function, label in asked:
        known[function](label)


@pytest.mark.parametrize("ask", [symbol, table])
def test_an_unknown_label_is_named_with_what_to_do(ask: Callable[[str], object]) -> None:
    with pytest.raises(EmulatorError, match=r"'wNoSuchLabel' in red.json; use pret's name"):
        ask("wNoSuchLabel")


def test_the_code_holds_no_address_of_its_own() -> None:
    machine = {f"0x{start:04X}" for start, _ in (WORK_RAM, HIGH_RAM)}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert not ROM_ADDRESS.findall(text), path
        assert set(RAM_ADDRESS.findall(text)) <= machine, path


def symbol_row(**changes: str) -> dict[str, str]:
    row = {"label": "Moves", "region": "ROM", "group": "rom_table", "importance": "A"}
    return row | {"address": "0x4000", "bank": "14", "size": "990", "sources": "S1"} | changes


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([symbol_row(), symbol_row()], "symbols.csv has 'Moves' twice"),
        ([symbol_row(sources="S1+S99")], "'Moves' names the unknown source 'S99'"),
    ],
)
def test_facts_that_contradict_themselves_are_refused(
    script: dict[str, Any], rows: list[dict[str, str]], message: str
) -> None:
    with pytest.raises(SystemExit, match=message):
        script["rom_rows"](rows)


def test_events_that_contradict_pyboy_are_refused(script: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "symbols.csv").write_text("label\n", encoding="utf-8")
    (tmp_path / "events.csv").write_text("event,bit_index\nEVENT_NONE,1\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="and PyBoy disagree on event"):
        script["profile_text"](tmp_path)
