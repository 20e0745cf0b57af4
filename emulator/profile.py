"""Where things lie in the game we play, and what they are called: the one place of addresses.

The demo honours the same binary contract as Pokemon Red, the same addresses in RAM and the same tables in ROM, so
there is one profile for both cartridges; `title`, `sha1`, `events` and `maps` are Red's. The data is
written by `scripts/red_profile.py`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from emulator.errors import ProfileError

FILE: Final = Path(__file__).parent / "data" / "red.json"


class RomAddress(NamedTuple):
    """A place in ROM: its bank, and its address as the processor sees it."""

    bank: int
    address: int


class RamLabel(NamedTuple):
    """What lies at an address of RAM; `size` in bytes, None where unknown."""

    address: int
    size: int | None


class RomTable(NamedTuple):
    """A table in ROM; `size` in bytes, None where unknown."""

    place: RomAddress
    size: int | None


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of one game: RAM and ROM by pret label, event bits by name, map names by id."""

    title: str
    sha1: str
    ram: Mapping[str, RamLabel] = field(repr=False)
    rom_tables: Mapping[str, RomTable] = field(repr=False)
    events: Mapping[str, int] = field(repr=False)
    maps: Mapping[int, str] = field(repr=False)


def _load() -> Profile:
    data: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    ram = {
        label: RamLabel(int(row["address"], 16), row.get("size"))
        for label, row in data["ram"]["rows"].items()
    }
    rom_tables = {
        label: RomTable(RomAddress(row["bank"], int(row["address"], 16)), row.get("size"))
        for label, row in data["rom_tables"]["rows"].items()
    }
    maps = {int(number): name for number, name in data["maps"]["rows"].items()}
    return Profile(
        title=data["title"],
        sha1=data["sha1"],
        ram=MappingProxyType(ram),
        rom_tables=MappingProxyType(rom_tables),
        events=MappingProxyType(data["events"]["rows"]),
        maps=MappingProxyType(maps),
    )


RED: Final = _load()


def symbol(label: str) -> int:
    """Return the address of a label in work RAM or high RAM; a ProfileError when there is none."""
    if label not in RED.ram:
        message = f"no RAM is labelled {label!r} in {FILE.name}; {_ADVICE}"
        raise ProfileError(message)
    return RED.ram[label].address


def table(label: str) -> RomAddress:
    """Return where a table begins in ROM; a ProfileError when there is none of that label."""
    if label not in RED.rom_tables:
        message = f"no table is labelled {label!r} in {FILE.name}; {_ADVICE}"
        raise ProfileError(message)
    return RED.rom_tables[label].place


@lru_cache(maxsize=0x4000)
def label_of(address: int) -> tuple[str, int] | None:
    """Return the narrowest label that covers an address of RAM, and how far into it that is; None where none does."""
    covering = [
        (known.size or 1, label, address - known.address)
        for label, known in RED.ram.items()
        if 0 <= address - known.address < (known.size or 1)
    ]
    return min(covering)[1:] if covering else None


_ADVICE: Final = "take pret's name of it, or add it with scripts/red_profile.py"
