"""The written facts of Pokemon Red from which the synthetic image is made, and the addresses of tables."""

import csv
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).resolve().parents[4] / "shared" / "red"
MISSING: Final = f"no facts of the real game in {FOLDER}"

Facts = Any  # JSON; each file describes its content in its own _schema


@cache
def load(name: str) -> Facts:
    """Return one file of the facts."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


@cache
def labels() -> Mapping[str, tuple[int, int, int]]:
    """Return bank, address and size (0 where unknown) of every label in ROM."""
    with (FOLDER / "symbols.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["label"]: (int(row["bank"]), int(row["address"], 16), int(row["size"] or 0))
            for row in csv.DictReader(file)
            if row["region"] == "ROM"
        }


@cache
def event_numbers() -> Mapping[str, int]:
    """Return the bit number of every event."""
    with (FOLDER / "events.csv").open(encoding="utf-8", newline="") as file:
        return {row["event"]: int(row["bit_index"]) for row in csv.DictReader(file)}


@cache
def tables() -> tuple[tuple[int, int, int], ...]:
    """Return bank, address and size of every table whose size is known."""
    with (FOLDER / "symbols.csv").open(encoding="utf-8", newline="") as file:
        names = [row["label"] for row in csv.DictReader(file) if row["group"] == "rom_table"]
    return tuple(labels()[name] for name in names if labels()[name][2])


def all_maps() -> list[Facts]:
    """Return the facts of all 248 map ids, used or not."""
    maps: list[Facts] = load("maps.json")["maps"]
    return maps


def real_maps() -> list[Facts]:
    """Return the facts of the map ids that have a map of their own."""
    return [each for each in all_maps() if "header" in each]
