"""Readers of text in pictures: what they have in common, and how well one reads.

The port is small, so that a picture can be read by ways that know nothing of each other: by the
glyphs of the cartridge, or by a program that has never seen a Game Boy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from emulator.screen.glyphs import Font, read_rows
from emulator.screen.picture import Screen

NO_WRITING: Final = frozenset(" ┌─┐│└┘▶▷▼")  # frames and arrows, which nobody calls text


class TextReader(Protocol):
    """Somebody who reads the text in a picture."""

    @property
    def name(self) -> str:
        """What to call this way of reading."""
        ...

    def read(self, screen: Screen) -> tuple[str, ...]:
        """Return the 18 rows of text in the picture."""
        ...


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A reader that this machine does not have, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class GlyphReader:
    """Reads by comparing cells with the glyphs of the cartridge: exact, and nothing else."""

    font: Font

    @property
    def name(self) -> str:
        """What to call this way of reading."""
        return "glyphs"

    def read(self, screen: Screen) -> tuple[str, ...]:
        """Return the 18 rows of text in the picture."""
        return read_rows(screen, self.font)


class Accuracy(NamedTuple):
    """How many characters were read right, of how many that there were or were made up."""

    right: int
    total: int

    @property
    def share(self) -> float:
        """The right ones as a share of all; 1 when there was nothing to read."""
        return self.right / self.total if self.total else 1.0


def accuracy(expected_rows: Sequence[str], read_rows: Sequence[str]) -> Accuracy:
    """Return how well rows were read, wherever in its row each character was found."""
    right = total = 0
    for expected, read in zip(expected_rows, read_rows, strict=True):
        wanted, found = (_writing(row) for row in (expected, read))
        right += _in_common(wanted, found)
        total += max(len(wanted), len(found))
    return Accuracy(right, total)


def _writing(row: str) -> str:
    return "".join(letter for letter in row if letter not in NO_WRITING)


def _in_common(one: str, other: str) -> int:
    """Return the length of the longest sequence of characters that is in both, in order."""
    longest = [0] * (len(other) + 1)
    for letter in one:
        before = longest
        longest = [0]
        for at, each in enumerate(other):
            same = before[at] + 1 if letter == each else 0
            longest.append(max(same, before[at + 1], longest[at]))
    return longest[-1]
