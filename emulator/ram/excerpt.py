"""A few ranges of RAM cut out in one go, and readers that read again only when something there has changed."""

from __future__ import annotations

from functools import lru_cache, wraps
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeVar

from emulator.ram.view import Layout, Ram, find, layout_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from emulator.ram.view import Range

Record = TypeVar("Record")

KEPT: Final = 64  # records a reader remembers


class Excerpt:
    """The same ranges, at least two, of one RAM after the other."""

    def __init__(self, ranges: tuple[Range, ...]) -> None:
        self._ranges = ranges
        self._cutter = lru_cache(maxsize=8)(self._find_cutter)

    def of(self, ram: Ram) -> bytes | None:
        """Return the bytes of the ranges, one after the other; None when `ram` does not hold them all."""
        cutter = self._cutter(ram.layout)
        return None if cutter is None else b"".join(cutter(ram.image))

    def _find_cutter(self, layout: Layout) -> Callable[[bytes], tuple[bytes, ...]] | None:
        offsets = [find(layout, *each) for each in self._ranges]
        slices = [
            slice(offset, offset + size)
            for offset, (_, size) in zip(offsets, self._ranges, strict=True)
            if offset is not None
        ]
        return itemgetter(*slices) if len(slices) == len(self._ranges) else None


def remembered(*ranges: Range) -> Callable[[Callable[[Ram], Record]], Callable[[Ram], Record]]:
    """Give a reader the record it made the last time that `ranges` held the same bytes.

    The reader is given those ranges alone, so that it cannot depend on anything else.
    """
    layout, excerpt = layout_of(ranges), Excerpt(ranges)

    def decorate(reader: Callable[[Ram], Record]) -> Callable[[Ram], Record]:
        @lru_cache(maxsize=KEPT)
        def decode(image: bytes) -> Record:
            return reader(Ram.of_layout(layout, image))

        @wraps(reader)
        def read(ram: Ram) -> Record:
            image = excerpt.of(ram)
            return reader(ram) if image is None else decode(image)

        return read

    return decorate
