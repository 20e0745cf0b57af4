"""The profile is what its script makes of the facts, and the only place of addresses."""

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from emulator import EmulatorError
from emulator.profile import FILE, symbol, table
from emulator.ram.view import HIGH_RAM, WORK_RAM

ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPT: Final = ROOT / "scripts" / "red_profile.py"
FACTS: Final = ROOT.parent / "shared" / "red"
SOURCES: Final = [*(ROOT / "emulator").rglob("*.py"), *(ROOT / "agent").rglob("*.py")]
SYMBOLS: Final = "label,address,bank,size,region,group,importance,sources\n"

LABELS: Final = re.compile(r'\b(symbol|table)\(\s*"(\w+)"')
RAM_ADDRESS: Final = re.compile(r"\b0x[CD][0-9A-F]{3}\b|\b0xFF(?!FF)[89A-F][0-9A-F]\b")
ROM_ADDRESS: Final = re.compile(r"\(\d+, 0x[0-9A-F]{4}\)")


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_the_profile_is_what_the_script_makes_of_the_facts(script: dict[str, Any]) -> None:
    if not FACTS.exists():
        pytest.skip(f"no facts of the game in {FACTS}")
    assert script["profile_text"](FACTS) == FILE.read_text(encoding="utf-8")


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
