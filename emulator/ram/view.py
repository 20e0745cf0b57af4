"""What RAM held at one moment, as an immutable value.

Knows addresses as numbers; knows nothing of what lies at them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple, NoReturn, TypeAlias

from emulator.errors import ConsoleError

Window: TypeAlias = tuple[int, bytes]

WORK_RAM: Final = (0xC000, 0x2000)
HIGH_RAM: Final = (0xFF80, 0x7F)


class _Layout(NamedTuple):
    """Where the windows lie: what to put between them, and for each byte where its window ends."""

    gaps: tuple[bytes, ...]
    ends: tuple[int, ...]


@lru_cache(maxsize=32)
def _layout(ranges: tuple[tuple[int, int], ...]) -> _Layout:
    base = ranges[0][0]
    ends: list[int] = []
    gaps = []
    for start, size in ranges:
        gap = start - base - len(ends)
        if gap < 0 or size < 1:
            message = f"RAM windows ascend, hold bytes and do not overlap; {start:#06x} does not"
            raise ConsoleError(message)
        gaps.append(bytes(gap))
        ends += [0] * gap + [start + size] * size
    return _Layout(tuple(gaps), tuple(ends))


@dataclass(frozen=True, slots=True)
class Ram:
    """Windows of RAM at one moment; reading outside of them is a ConsoleError."""

    windows: tuple[Window, ...]
    _base: int = field(init=False, repr=False, compare=False)
    _ends: tuple[int, ...] = field(init=False, repr=False, compare=False)
    _image: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # One image with the gaps filled makes every read a plain slice.
        layout = _layout(tuple([(start, len(data)) for start, data in self.windows]))
        parts = [gap + window[1] for gap, window in zip(layout.gaps, self.windows, strict=True)]
        object.__setattr__(self, "_base", self.windows[0][0])
        object.__setattr__(self, "_ends", layout.ends)
        object.__setattr__(self, "_image", b"".join(parts))

    @classmethod
    def of_image(cls, wram: bytes, hram: bytes) -> Ram:
        """Return all of work RAM and high RAM as one view."""
        return cls(((WORK_RAM[0], wram), (HIGH_RAM[0], hram)))

    def byte(self, address: int) -> int:
        """Return the byte at `address`."""
        offset = address - self._base
        if 0 <= offset < len(self._ends) and self._ends[offset]:
            return self._image[offset]
        return self._fail(address, 1)

    def span(self, address: int, size: int) -> bytes:
        """Return `size` bytes from `address` on."""
        offset = address - self._base
        if 0 <= offset < len(self._ends) and address + size <= self._ends[offset]:
            return self._image[offset : offset + size]
        return self._fail(address, size)

    def covers(self, address: int, size: int = 1) -> bool:
        """Return whether one window holds `size` bytes from `address` on."""
        offset = address - self._base
        return 0 <= offset < len(self._ends) and address + size <= self._ends[offset]

    def _fail(self, address: int, size: int) -> NoReturn:
        message = f"RAM {address:#06x} (+{size}) is not watched; use console.read()"
        raise ConsoleError(message)
