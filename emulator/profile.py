"""Addresses and names of the supported game's data: the only module that holds addresses.

The demo follows the same binary contract as Pokemon Red: the same addresses in RAM and the same tables in ROM. One
profile therefore serves both cartridges; `title`, `sha1`, `events` and `maps` are Red's. The data is
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
    """A location in ROM: its bank, and its address as the processor sees it."""

    bank: int
    address: int


class RamLabel(NamedTuple):
    """An address in RAM; `size` in bytes, None if unknown."""

    address: int
    size: int | None


class RomTable(NamedTuple):
    """A table in ROM; `size` in bytes, None if unknown."""

    place: RomAddress
    size: int | None


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of one game: RAM and ROM by pret label, event bits by name, map names by id."""

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
    """Return the address of a label in work RAM or high RAM, or raise a ProfileError."""
    if label not in RED.ram:
        raise ProfileError(f"no RAM label {label!r} in {FILE.name}; {_ADVICE}")
    return RED.ram[label].address


def table(label: str) -> RomAddress:
    """Return where the ROM table with this label begins, or raise a ProfileError."""
    if label not in RED.rom_tables:
        raise ProfileError(f"no ROM table {label!r} in {FILE.name}; {_ADVICE}")
    return RED.rom_tables[label].place


@lru_cache(maxsize=0x4000)
def label_of(address: int) -> tuple[str, int] | None:
    """Return the smallest label that covers a RAM address, and the offset into it; None when no label does."""
    covering = [
        (known.size or 1, label, address - known.address)
        for label, known in RED.ram.items()
        if 0 <= address - known.address < (known.size or 1)
    ]
    return min(covering)[1:] if covering else None


_ADVICE: Final = "use pret's name, or add it with scripts/red_profile.py"
