"""RAM at one moment as an immutable value, and readers that cache records until their bytes change.

Covers addresses as numbers, not what is stored there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from operator import itemgetter
from typing import Final, TypeAlias, TypeVar

from emulator.errors import ConsoleError

Range: TypeAlias = tuple[int, int]
Window: TypeAlias = tuple[int, bytes]

WORK_RAM: Final = (0xC000, 0x2000)
HIGH_RAM: Final = (0xFF80, 0x7F)


@dataclass(frozen=True, slots=True, eq=False)
class RamLayout:
    """The (address, size) windows of RAM, and the offset of each in an image that joins them."""

    ranges: tuple[Range, ...]
    offsets: tuple[int, ...]


@lru_cache(maxsize=32)
def layout_of(ranges: tuple[Range, ...]) -> RamLayout:
    """Return the layout of windows, which must be ascending and must not overlap."""
    offsets = [0]
    free = 0
    for start, size in ranges:
        if start < free or size < 1:
            message = f"RAM windows must ascend, not overlap and not be empty; {start:#06x} is bad"
            raise ConsoleError(message)
        free = start + size
        offsets.append(offsets[-1] + size)
    return RamLayout(ranges, tuple(offsets[:-1]))


@lru_cache(maxsize=1024)
def find_offset(layout: RamLayout, address: int, size: int) -> int | None:
    """Return the offset in an image of `size` bytes at `address`; None when no window contains them all."""
    for (start, length), offset in zip(layout.ranges, layout.offsets, strict=True):
        if start <= address and address + size <= start + length:
            return offset + address - start
    return None


def _offset(layout: RamLayout, address: int, size: int) -> int:
    offset = find_offset(layout, address, size)
    if offset is None:
        raise ConsoleError(f"RAM {address:#06x} (+{size}) is not watched; use console.read()")
    return offset


class Ram:
    """Windows of RAM at one moment; reading outside of them raises a ConsoleError.

    Not a dataclass, because dozens are created and read every tick.
    """

    __slots__ = ("base", "image", "layout", "size")

    def __init__(self, windows: Sequence[Window]) -> None:
        """Hold windows, each with its address."""
        self.layout = layout_of(tuple([(start, len(data)) for start, data in windows]))
        self.image = b"".join([data for _, data in windows])
        self.base, self.size = self.layout.ranges[0]

    @classmethod
    def of_layout(cls, layout: RamLayout, image: bytes) -> "Ram":
        """Return a view of `image`, the joined windows of `layout`."""
        ram = cls.__new__(cls)
        ram.layout = layout
        ram.image = image
        ram.base, ram.size = layout.ranges[0]
        return ram

    @classmethod
    def of_image(cls, wram: bytes, hram: bytes) -> "Ram":
        """Return a view of all of work RAM and high RAM."""
        return cls(((WORK_RAM[0], wram), (HIGH_RAM[0], hram)))

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows, each with its address."""
        return tuple([(start, self.span(start, size)) for start, size in self.layout.ranges])

    def byte(self, address: int) -> int:
        """Return the byte at `address`."""
        offset = address - self.base
        if 0 <= offset < self.size:  # nearly all reads are in the first window
            return self.image[offset]
        return self.image[_offset(self.layout, address, 1)]

    def span(self, address: int, size: int) -> bytes:
        """Return `size` bytes from `address` on."""
        offset = address - self.base
        if not (offset >= 0 and offset + size <= self.size):
            offset = _offset(self.layout, address, size)
        return self.image[offset : offset + size]

    def covers(self, address: int, size: int = 1) -> bool:
        """Return whether one window contains `size` bytes from `address` on."""
        return find_offset(self.layout, address, size) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ram) and self.windows == other.windows

    def __hash__(self) -> int:
        return hash(self.image)


Record = TypeVar("Record")

CACHED_RECORDS: Final = 64  # records in the cache of a reader


class RamSlices:
    """The same two or more ranges, read from many views of RAM."""

    def __init__(self, ranges: tuple[Range, ...]) -> None:
        self._ranges = ranges
        self._cutter = lru_cache(maxsize=8)(self._find_cutter)

    def of(self, ram: Ram) -> bytes | None:
        """Return the joined bytes of the ranges; None when `ram` does not contain them all."""
        cutter = self._cutter(ram.layout)
        return None if cutter is None else b"".join(cutter(ram.image))

    def _find_cutter(self, layout: RamLayout) -> Callable[[bytes], tuple[bytes, ...]] | None:
        offsets = [find_offset(layout, *each) for each in self._ranges]
        slices = [
            slice(offset, offset + size)
            for offset, (_, size) in zip(offsets, self._ranges, strict=True)
            if offset is not None
        ]
        return itemgetter(*slices) if len(slices) == len(self._ranges) else None


def cached_on(*ranges: Range) -> Callable[[Callable[[Ram], Record]], Callable[[Ram], Record]]:
    """Cache a reader's records by the bytes in `ranges`.

    The reader is called with those ranges only, so it cannot depend on anything else.
    """
    layout, ram_slices = layout_of(ranges), RamSlices(ranges)

    def decorate(reader: Callable[[Ram], Record]) -> Callable[[Ram], Record]:
        @lru_cache(maxsize=CACHED_RECORDS)
        def decode(image: bytes) -> Record:
            return reader(Ram.of_layout(layout, image))

        @wraps(reader)
        def read(ram: Ram) -> Record:
            image = ram_slices.of(ram)
            return reader(ram) if image is None else decode(image)

        return read

    return decorate
