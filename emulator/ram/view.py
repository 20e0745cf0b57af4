"""What RAM held at one moment, as an immutable value.

Knows addresses as numbers; knows nothing of what lies at them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from emulator.errors import ConsoleError

if TYPE_CHECKING:
    from collections.abc import Sequence

Range: TypeAlias = tuple[int, int]
Window: TypeAlias = tuple[int, bytes]

WORK_RAM: Final = (0xC000, 0x2000)
HIGH_RAM: Final = (0xFF80, 0x7F)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where windows (address, size) lie in RAM, and one after the other in an image of them."""

    ranges: tuple[Range, ...]
    offsets: tuple[int, ...]


@lru_cache(maxsize=32)
def layout_of(ranges: tuple[Range, ...]) -> Layout:
    """Return the layout of windows that ascend and do not overlap."""
    offsets = [0]
    free = 0
    for start, size in ranges:
        if start < free or size < 1:
            message = f"RAM windows ascend, hold bytes and do not overlap; {start:#06x} does not"
            raise ConsoleError(message)
        free = start + size
        offsets.append(offsets[-1] + size)
    return Layout(ranges, tuple(offsets[:-1]))


@lru_cache(maxsize=1024)
def find(layout: Layout, address: int, size: int) -> int | None:
    """Return where in an image `size` bytes from `address` on are; None when no window has them all."""
    for (start, length), offset in zip(layout.ranges, layout.offsets, strict=True):
        if start <= address and address + size <= start + length:
            return offset + address - start
    return None


def _offset(layout: Layout, address: int, size: int) -> int:
    offset = find(layout, address, size)
    if offset is None:
        message = f"RAM {address:#06x} (+{size}) is not watched; use console.read()"
        raise ConsoleError(message)
    return offset


class Ram:
    """Windows of RAM at one moment; reading outside of them is a ConsoleError.

    No dataclass, since one is made and read from dozens of times every tick.
    """

    __slots__ = ("base", "image", "layout", "size")

    def __init__(self, windows: Sequence[Window]) -> None:
        """Hold windows, each with its address."""
        self.layout = layout_of(tuple([(start, len(data)) for start, data in windows]))
        self.image = b"".join([data for _, data in windows])
        self.base, self.size = self.layout.ranges[0]

    @classmethod
    def of_layout(cls, layout: Layout, image: bytes) -> Ram:
        """Return `image`, the windows of `layout` one after the other, as one view."""
        ram = cls.__new__(cls)
        ram.layout = layout
        ram.image = image
        ram.base, ram.size = layout.ranges[0]
        return ram

    @classmethod
    def of_image(cls, wram: bytes, hram: bytes) -> Ram:
        """Return all of work RAM and high RAM as one view."""
        return cls(((WORK_RAM[0], wram), (HIGH_RAM[0], hram)))

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows, each with its address."""
        return tuple([(start, self.span(start, size)) for start, size in self.layout.ranges])

    def byte(self, address: int) -> int:
        """Return the byte at `address`."""
        offset = address - self.base
        if 0 <= offset < self.size:  # the first window is nearly all that anybody reads
            return self.image[offset]
        return self.image[_offset(self.layout, address, 1)]

    def span(self, address: int, size: int) -> bytes:
        """Return `size` bytes from `address` on."""
        offset = address - self.base
        if not (offset >= 0 and offset + size <= self.size):
            offset = _offset(self.layout, address, size)
        return self.image[offset : offset + size]

    def covers(self, address: int, size: int = 1) -> bool:
        """Return whether one window holds `size` bytes from `address` on."""
        return find(self.layout, address, size) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ram) and self.windows == other.windows

    def __hash__(self) -> int:
        return hash(self.image)
