"""Write emulator/data/red.json, the profile of Pokemon Red (US): addresses and names.

Addresses come from symbols.csv in a folder of facts; names of events and maps come from PyBoy. Where both have the same
data they are compared, and nothing is written when they differ.
"""

import csv
import importlib.metadata
import json
import sys
import tomllib
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

with warnings.catch_warnings():
    warnings.simplefilter("ignore", UserWarning)  # pysdl2-dll warns about its bundled SDL
    from pyboy.plugins.game_wrapper_pokemon_gen1_constants import EVENT_FLAGS, MAPS

DATA: Final = Path(__file__).resolve().parent.parent / "emulator" / "data" / "red.json"
SYMBOLS: Final = "symbols.csv"
EVENTS: Final = "events.csv"
KNOWN: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SOURCES: Final[dict[str, str]] = KNOWN["sources"]
TITLE: Final = "POKEMON RED"
SHA1: Final = "ea9bcae617fdf159b045185467ae58b2e4a48b9a"

Row: TypeAlias = Mapping[str, str]
Table: TypeAlias = dict[str, object]


def profile_text(facts: Path) -> str:
    """Return the profile as text with one row a line; raises SystemExit where the facts contradict PyBoy or themselves."""
    symbols = read_rows(facts / SYMBOLS)
    known = {
        (row["event"].removeprefix("EVENT_").lower(), int(row["bit_index"]))
        for row in read_rows(facts / EVENTS)
    }
    if differing := sorted(known ^ set(EVENT_FLAGS.items())):
        sys.exit(f"{EVENTS} and PyBoy disagree on event {differing[0][0]!r}; find the right one")
    pyboy = f"PyBoy {importlib.metadata.version('pyboy')}"
    rows = {
        "ram": ram_rows(symbols),
        "rom_tables": rom_rows(symbols),
        "events": dict(sorted(EVENT_FLAGS.items(), key=lambda event: event[1])),
        "maps": {str(number): name for number, name in sorted((n, m) for m, n in MAPS.items())},
    }
    tables = {
        name: {"source": KNOWN["notes"][name].format(pyboy=pyboy), "rows": each}
        for name, each in rows.items()
    }
    return format_profile({"title": TITLE, "sha1": SHA1, "sources": SOURCES, **tables})


def read_rows(file: Path) -> list[Row]:
    """Return the rows of a CSV file."""
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text, restval=""))


def ram_rows(symbols: Iterable[Row]) -> Table:
    """Return labels of work RAM and high RAM, ascending."""
    return by_label(
        (row, place(row))
        for row in symbols
        if row["region"] in ("WRAM", "HRAM")
        and (row["importance"] == "A" or row["label"] in KNOWN["also"])
    )


def rom_rows(symbols: Iterable[Row]) -> Table:
    """Return tables in ROM, ascending."""
    return by_label(
        (row, {"bank": int(row["bank"]), **place(row), "sources": origins(row)})
        for row in symbols
        if row["group"] == "rom_table"
    )


def place(row: Row) -> Table:
    """Return the address in a row, and the size where it is known."""
    size = {"size": int(row["size"])} if row["size"] else {}
    return {"address": f"0x{int(row['address'], 0):04X}", **size}


def origins(row: Row) -> list[str]:
    """Return the codes of the sources."""
    codes = row["sources"].split("+")
    if unknown := [code for code in codes if code not in SOURCES]:
        sys.exit(f"{SYMBOLS}: {row['label']!r} names the unknown source {unknown[0]!r}")
    return codes


def by_label(rows: Iterable[tuple[Row, Table]]) -> Table:
    """Return what the profile says of each label, ordered by bank, address and label."""
    found: Table = {}
    for row, table in sorted(rows, key=lambda each: order(each[0])):
        if row["label"] in found:
            sys.exit(f"{SYMBOLS} has {row['label']!r} twice")
        found[row["label"]] = table
    return found


def order(row: Row) -> tuple[int, int, str]:
    """Return bank, address and label; all of RAM counts as one bank."""
    bank = int(row["bank"]) if row["group"] == "rom_table" else 0
    return bank, int(row["address"], 0), row["label"]


def format_profile(profile: Mapping[str, object]) -> str:
    """Return JSON with each row of a table on its own line."""
    return "{\n" + ",\n".join(field(name, value) for name, value in profile.items()) + "\n}\n"


def field(name: str, value: object) -> str:
    """Return one field: scalars and rows on one line, containers of rows on several."""
    key = json.dumps(name)
    if not isinstance(value, Mapping):
        return f"{key}: {json.dumps(value)}"
    if name == "rows" or all(isinstance(each, str) for each in value.values()):
        rows = ",\n".join(f"{json.dumps(each)}: {json.dumps(row)}" for each, row in value.items())
        return f"{key}: {{\n{rows}\n}}"
    fields = ",\n".join(field(each, inner) for each, inner in value.items())
    return f"{key}: {{\n{fields}\n}}"


if __name__ == "__main__":
    DATA.write_text(profile_text(Path(sys.argv[1])), encoding="utf-8")
    print(f"wrote {DATA.name}")
