"""Write emulator/data/red.json, the profile of Pokemon Red (US): addresses and names.

Addresses come from CSV files of facts; names of events and maps come from PyBoy. Where both have the same
data they are compared, and nothing is written when they differ.
"""

import csv
import importlib.metadata
import json
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

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
LIMITS: Final = {"address": 0x10000, "bank": 0x40, "size": 0x4000}  # exclusive maximum of a column

Row: TypeAlias = Mapping[str, str]
Table: TypeAlias = dict[str, object]


class FactsError(Exception):
    """The facts cannot be used; the message states the reason."""


def main(
    facts: Annotated[Path, typer.Argument(help="The folder with symbols.csv and events.csv.")],
) -> None:
    """Write emulator/data/red.json from the facts in a folder."""
    try:
        text = profile_text(facts)
    except FactsError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from None
    DATA.write_text(text, encoding="utf-8")
    print(f"wrote {DATA.name}")


def profile_text(facts: Path) -> str:
    """Return the profile as text with one row a line, or raise a FactsError."""
    symbols = read_rows(facts, SYMBOLS, KNOWN["symbol_columns"])
    check_events(read_rows(facts, EVENTS, KNOWN["event_columns"]))
    pyboy = f"PyBoy {importlib.metadata.version('pyboy')}"
    events = dict(sorted(EVENT_FLAGS.items(), key=lambda event: event[1]))
    maps = {str(number): name for name, number in sorted(MAPS.items(), key=lambda pair: pair[1])}
    rows = {
        "ram": ram_rows(symbols), "rom_tables": rom_rows(symbols), "events": events, "maps": maps,
    }  # fmt: skip
    tables = {
        name: {"source": KNOWN["notes"][name].format(pyboy=pyboy), "rows": each}
        for name, each in rows.items()
    }
    return format_profile({"title": TITLE, "sha1": SHA1, "sources": SOURCES, **tables})


def read_rows(facts: Path, name: str, columns: Sequence[str]) -> list[Row]:
    """Return the rows of a CSV file that has the columns, or raise a FactsError."""
    if not facts.is_dir():
        message = f"no folder at {str(facts)!r}; name the one with {SYMBOLS} and {EVENTS}"
        raise FactsError(message)
    try:
        with (facts / name).open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, restval="")
            header = reader.fieldnames or ()
            rows: list[Row] = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        message = f"cannot read {name} in {str(facts)!r}: {error}"
        raise FactsError(message) from None
    missing = [column for column in columns if column not in header]
    if missing:
        message = f"{name} in {str(facts)!r} lacks the column {missing[0]!r}"
        raise FactsError(message)
    return rows


def check_events(rows: Iterable[Row]) -> None:
    """Raise a FactsError unless events.csv and PyBoy agree on every event."""
    known = {row["event"].removeprefix("EVENT_").lower(): row["bit_index"] for row in rows}
    named = {name: str(bit) for name, bit in EVENT_FLAGS.items()}
    differing = sorted(set(known.items()) ^ set(named.items()))
    if differing:
        message = f"{EVENTS} and PyBoy disagree on event {differing[0][0]!r}; find the right one"
        raise FactsError(message)


def ram_rows(symbols: Iterable[Row]) -> Table:
    """Return labels of work RAM and high RAM, ascending."""
    wanted = [
        row
        for row in symbols
        if row["region"] in ("WRAM", "HRAM")
        and (row["importance"] == "A" or row["label"] in KNOWN["also"])
    ]
    wanted.sort(key=lambda row: (number(row, "address"), row["label"]))
    return {
        row["label"]: {
            "address": f"0x{number(row, 'address'):04X}",
            **({"size": number(row, "size")} if row["size"] else {}),
        }
        for row in by_label(wanted, "work RAM or high RAM")
    }


def rom_rows(symbols: Iterable[Row]) -> Table:
    """Return tables in ROM, ascending."""
    wanted = [row for row in symbols if row["group"] == "rom_table"]
    wanted.sort(key=lambda row: (number(row, "bank"), number(row, "address"), row["label"]))
    return {
        row["label"]: {
            "bank": number(row, "bank"),
            "address": f"0x{number(row, 'address'):04X}",
            **({"size": number(row, "size")} if row["size"] else {}),
            "sources": origins(row),
        }
        for row in by_label(wanted, "rom_table")
    }


def number(row: Row, column: str) -> int:
    """Return a number of a row, or raise a FactsError."""
    try:
        value = int(row[column], 0)
    except (TypeError, ValueError):
        message = f"{SYMBOLS}: {column} of {row['label']!r} is not a number: {row[column]!r}"
        raise FactsError(message) from None
    if not 0 <= value < LIMITS[column]:
        message = f"{SYMBOLS}: {column} of {row['label']!r} is out of range: {row[column]!r}"
        raise FactsError(message)
    return value


def origins(row: Row) -> list[str]:
    """Return the codes of the sources, or raise a FactsError."""
    codes = row["sources"].split("+")
    if unknown := [code for code in codes if code not in SOURCES]:
        message = f"{SYMBOLS}: {row['label']!r} names the unknown source {unknown[0]!r}"
        raise FactsError(message)
    return codes


def by_label(rows: Sequence[Row], what: str) -> Sequence[Row]:
    """Return rows, at least one and with distinct labels; otherwise raise a FactsError."""
    labels = Counter(row["label"] for row in rows)
    if not labels:
        message = f"{SYMBOLS} has no row of {what}"
        raise FactsError(message)
    label, times = labels.most_common(1)[0]
    if times > 1:
        message = f"{SYMBOLS} has {label!r} {times} times"
        raise FactsError(message)
    return rows


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
    typer.run(main)
