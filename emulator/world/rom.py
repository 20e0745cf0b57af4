"""Reading a cartridge image by bank and address. Knows banks; knows nothing of what lies there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

BANK_SIZE: Final = 0x4000
LIST_LIMIT: Final = 0x100  # no list of the game is longer; garbage may have no end at all


@dataclass(frozen=True, slots=True)
class Rom:
    """A cartridge image; what lies past the end of a bank reads as zero, as a bad pointer may."""

    data: bytes = field(repr=False)

    def span(self, bank: int, address: int, size: int) -> bytes:
        """Return `size` bytes from `bank`:`address` on."""
        offset = address % BANK_SIZE
        start = offset + (bank * BANK_SIZE if address >= BANK_SIZE else 0)
        return self.data[start : start + min(size, BANK_SIZE - offset)].ljust(size, b"\0")

    def byte(self, bank: int, address: int) -> int:
        """Return the byte at `bank`:`address`."""
        return self.span(bank, address, 1)[0]

    def pointer(self, bank: int, address: int) -> int:
        """Return the address stored at `bank`:`address`, low byte first."""
        return int.from_bytes(self.span(bank, address, 2), "little")

    def until(self, bank: int, address: int, end: int) -> bytes:
        """Return the bytes from `bank`:`address` up to the first that equals `end`."""
        return self.span(bank, address, LIST_LIMIT).split(bytes([end]), 1)[0]

    def rows(self, bank: int, address: int, size: int, *, end: int = 0xFF) -> tuple[bytes, ...]:
        """Return the rows of `size` bytes from `bank`:`address` up to one that begins with `end`."""
        rows = []
        for at in range(address, address + LIST_LIMIT * size, size):
            row = self.span(bank, at, size)
            if row[0] == end:
                break
            rows.append(row)
        return tuple(rows)
