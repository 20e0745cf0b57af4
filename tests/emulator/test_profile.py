"""What we know of the game beside what PyBoy's wrapper of it knows: every difference is listed here, and why."""

import csv
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import pyboy.plugins.game_wrapper_pokemon_gen1_constants as constants
import pytest
from pyboy import PyBoy
from pyboy.utils import bcd_to_dec

from emulator import EmulatorError, Ram
from emulator.dex import trainers
from emulator.profile import FILE, RED, symbol, table
from emulator.ram import battle, party, player
from emulator.ram import player as bag
from emulator.ram.view import HIGH_RAM, WORK_RAM
from emulator.text import END, bcd, charmap

FACTS: Final = Path(__file__).resolve().parents[3] / "shared" / "red"
Names: TypeAlias = Mapping[int, object]

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


class Kind(Enum):
    PYBOY_LACKS_IT = "PyBoy lacks it"
    WE_LACK_IT = "we lack it"
    NAMED_OTHERWISE = "both have it, under other names"


class Difference(NamedTuple):
    numbers: Iterable[int]
    kind: Kind
    why: str


DIFFERENCES: Final[Mapping[str, tuple[Difference, ...]]] = {
    "events": (),
    "maps": (),
    "badges": (),
    "trainer classes": (
        Difference(
            [0], Kind.WE_LACK_IT, "NOBODY stands for no class; the game's table begins at 1"
        ),
    ),
    "trainer sets": (
        Difference([0], Kind.WE_LACK_IT, "NOBODY has no sets, and the game's table begins at 1"),
    ),
    "moves": (
        Difference(
            [0], Kind.WE_LACK_IT, "NO_MOVE stands for an empty slot; there is no record of it"
        ),
    ),
    "species": (
        Difference(
            [0], Kind.WE_LACK_IT, "NO_MON stands for an empty slot; there is no record of it"
        ),
    ),
    "items": (
        Difference(
            [0x2C, 0x32], Kind.PYBOY_LACKS_IT, "ids without an item, which have names in ROM"
        ),
        Difference(
            range(0x54, 0x62), Kind.PYBOY_LACKS_IT, "floors, which only lists of lifts hold"
        ),
        Difference(range(0xC4, 0xC9), Kind.PYBOY_LACKS_IT, "HMs, whose names the game makes up"),
        Difference(range(0xC9, 0xFB), Kind.PYBOY_LACKS_IT, "TMs, whose names the game makes up"),
    ),
    "text": (
        Difference([0x00], Kind.WE_LACK_IT, "begins stored texts and is never printed"),
        Difference(
            [*range(0x49, 0x4D), *range(0x4E, 0x60)],
            Kind.WE_LACK_IT,
            "control codes: never on the screen; of those in names decode_name knows 50 and 54",
        ),
        Difference(
            [0x6D, 0x6E], Kind.PYBOY_LACKS_IT, "the colon and the level mark of a mon's page"
        ),
        Difference(range(0x70, 0x76), Kind.PYBOY_LACKS_IT, "quotation marks, a dot, an ellipsis"),
        Difference(range(0x79, 0x7F), Kind.PYBOY_LACKS_IT, "frames of boxes"),
        Difference([0xE1, 0xE2], Kind.NAMED_OTHERWISE, "one tile of two letters; PyBoy names it"),
        Difference([0xF2], Kind.NAMED_OTHERWISE, "a second full stop; PyBoy names it"),
        Difference(
            [0x17F],
            Kind.WE_LACK_IT,
            "no code but the space as PyBoy numbers tiles of the second half of video RAM",
        ),
    ),
}


def facts(name: str) -> dict[str, Any]:
    if not (FACTS / name).exists():
        pytest.skip(f"no facts of the game in {FACTS / name}")
    data: dict[str, Any] = json.loads((FACTS / name).read_text(encoding="utf-8"))
    return data


def by_number(names: Mapping[str, int]) -> Names:
    turned = {number: name for name, number in names.items()}
    assert len(turned) == len(names)
    return turned


def rows(name: str, table: str, number: str) -> Names:
    return {row[number]: row["key"] for row in facts(name)[table] if row["key"]}


def badges() -> Names:
    return dict(enumerate(facts("data/enums.json")["badges (wObtainedBadges D356)"]))


def sets() -> Names:
    return {row["class"]: len(row["sets"]) for row in facts("data/trainers.json")["trainers"]}


PYBOY: Final[Mapping[str, Names]] = {
    "events": by_number(constants.EVENT_FLAGS),
    "maps": by_number(constants.MAPS),
    "badges": by_number({name.upper(): bit for name, bit in constants.BADGES.items()}),
    "trainer classes": by_number(constants.TRAINER_CLASSES),
    "trainer sets": {
        constants.TRAINER_CLASSES[name]: count
        for name, count in constants.TRAINER_SET_COUNTS.items()
    },
    "moves": by_number(constants.POKEMON_MOVES),
    "species": by_number(constants.POKEMON_SPECIES),
    "items": by_number(constants.ITEMS),
    "text": constants.POKEMON_TEXT_DECODING,
}


def events() -> Names:
    if not (FACTS / "events.csv").exists():
        pytest.skip(f"no facts of the game in {SCRIPT_FACTS}")
    with (FACTS / "events.csv").open(encoding="utf-8", newline="") as file:
        return {
            int(row["bit_index"]): row["event"].removeprefix("EVENT_").lower()
            for row in csv.DictReader(file)
        }


OURS: Final[Mapping[str, Callable[[], Names]]] = {
    "events": events,
    "maps": lambda: {row["id"]: row["name"].lower() for row in facts("maps.json")["maps"]},
    "badges": badges,
    "trainer classes": lambda: rows("data/trainers.json", "trainers", "class"),
    "trainer sets": sets,
    "moves": lambda: rows("data/moves.json", "moves", "id"),
    "species": lambda: rows("data/species.json", "index_table", "index"),
    "items": lambda: rows("data/items.json", "items", "id"),
    "text": charmap,
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_pyboy_differs_where_it_is_known_to_and_nowhere_else(name: str) -> None:
    theirs, ours = PYBOY[name], OURS[name]()
    listed = {number: each.kind for each in DIFFERENCES[name] for number in each.numbers}
    found = {
        number: kind(theirs.get(number), ours.get(number))
        for number in theirs.keys() | ours.keys()
        if theirs.get(number) != ours.get(number)
    }
    assert found == listed


def kind(theirs: object, ours: object) -> Kind:
    if theirs is None:
        return Kind.PYBOY_LACKS_IT
    return Kind.WE_LACK_IT if ours is None else Kind.NAMED_OTHERWISE


def test_the_profile_has_the_names_of_pyboy() -> None:
    assert by_number(RED.events) == PYBOY["events"]
    assert RED.maps == PYBOY["maps"]


def test_addresses_and_numbers_are_those_of_pyboy() -> None:
    theirs = {name: n for name, n in vars(constants).items() if name.isupper() and type(n) is int}
    ours = {name: symbol(label) for name, label in ADDRESSES.items()} | NUMBERS
    assert ours == {name: n for name, n in theirs.items() if name not in NOT_OURS}
    assert NOT_OURS.keys() <= theirs.keys()
    assert player.NAME_SIZE == constants.NAME_LENGTH


def test_sizes_are_those_of_pyboy() -> None:
    assert {label: RED.ram[label].size for label in SIZES} == SIZES


def test_pyboy_reads_money_from_its_wrong_end(rom_of: Callable[..., bytes]) -> None:
    # Two reversals are one too many: the bytes are put together with the high one first, and taken
    # apart again with the high one first by a loop that wants the low one first.
    digits = bytes.fromhex("123456")
    as_the_wrapper_calls_it = int.from_bytes(digits, "big")
    assert bcd_to_dec(as_the_wrapper_calls_it, byte_width=3, byteorder="big") == 563412
    console = PyBoy(
        BytesIO(rom_of(title=RED.title)), window="null", ram_file=BytesIO(bytes(0x8000))
    )
    console.memory[symbol("wPlayerMoney") : symbol("wPlayerMoney") + 3] = list(digits)
    assert console.game_wrapper.money == 563412
    console.stop(save=False)
    assert bcd(digits) == 123456


def test_the_first_prize_says_from_which_end_money_is_read(ram_image: Callable[[str], Ram]) -> None:
    if not (FACTS / "wram").exists():
        pytest.skip(f"no RAM images of the real game in {FACTS / 'wram'}")
    before, after = (
        bcd(ram_image(name).span(player.MONEY, 3))
        for name in ("rival_battle_sendout", "pallet_town_walking")
    )
    assert after - before == 175  # what the first rival pays: a base of 35, times level 5


ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPT: Final = ROOT / "scripts" / "red_profile.py"
SCRIPT_FACTS: Final = ROOT.parent / "shared" / "red"
SOURCES: Final = [*(ROOT / "emulator").rglob("*.py"), *(ROOT / "agent").rglob("*.py")]
SYMBOLS: Final = "label,address,bank,size,region,group,importance,sources\n"

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


def test_whoever_vouches_for_a_table_is_named() -> None:
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
    with pytest.raises(EmulatorError, match=r"'wNoSuchLabel' in red.json; take pret's name"):
        ask("wNoSuchLabel")


def test_the_code_holds_no_address_of_its_own() -> None:
    machine = {f"0x{start:04X}" for start, _ in (WORK_RAM, HIGH_RAM)}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert not ROM_ADDRESS.findall(text), path
        assert set(RAM_ADDRESS.findall(text)) <= machine, path


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, r"cannot read symbols.csv in .*"),
        ({"symbols.csv": SYMBOLS}, r"cannot read events.csv in .*"),
        ({"symbols.csv": "label,address\n"}, r"symbols.csv in .* lacks the column 'bank'"),
        ({"symbols.csv": b"\xff\xfe"}, r"cannot read symbols.csv in .*"),
        ({"symbols.csv": ""}, r"symbols.csv in .* lacks the column 'label'"),
        (
            {"symbols.csv": SYMBOLS, "events.csv": "event,bit_index\nEVENT_NONE,1\n"},
            r"events.csv and PyBoy disagree on event '\w+'; find out who is right",
        ),
    ],
)
def test_bad_facts_are_refused_in_one_line(
    script: dict[str, Any], tmp_path: Path, files: dict[str, str | bytes], message: str
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(script["FactsError"]) as refused:
        script["profile_text"](tmp_path)
    assert re.fullmatch(message, str(refused.value))


def test_a_number_that_is_none_is_refused(script: dict[str, Any]) -> None:
    row = {"label": "wCurMap", "region": "WRAM", "importance": "A", "address": "nowhere"}
    with pytest.raises(script["FactsError"], match="address of 'wCurMap' is no number: 'nowhere'"):
        script["ram_rows"]([row])


def symbol_row(**changes: str) -> dict[str, str]:
    row = {"label": "Moves", "region": "ROM", "group": "rom_table", "importance": "A"}
    return row | {"address": "0x4000", "bank": "14", "size": "990", "sources": "S1"} | changes


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "symbols.csv has no row of rom_table"),
        ([symbol_row(), symbol_row()], "symbols.csv has 'Moves' 2 times"),
        ([symbol_row(address="-5")], "address of 'Moves' is out of range: '-5'"),
        ([symbol_row(address="0x99999")], "address of 'Moves' is out of range: '0x99999'"),
        ([symbol_row(bank="64")], "bank of 'Moves' is out of range: '64'"),
        ([symbol_row(sources="S1+S99")], "'Moves' names no source by 'S99'"),
        ([symbol_row(sources="")], "'Moves' names no source by ''"),
    ],
)
def test_rows_that_cannot_be_are_refused(
    script: dict[str, Any], rows: list[dict[str, str]], message: str
) -> None:
    with pytest.raises(script["FactsError"], match=message):
        script["rom_rows"](rows)


def test_a_missing_folder_ends_the_script_with_one_line(tmp_path: Path) -> None:
    before = FILE.read_bytes()
    ended = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path / "none")],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 1
    assert re.fullmatch(r"no folder at '.*none'; name the one with .*\n", ended.stderr)
    assert FILE.read_bytes() == before
