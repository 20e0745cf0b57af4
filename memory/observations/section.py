"""A section of the block: which types it tells of, how rows become fewer, and how long it stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memory.observations.observation import Observation

TIMES: Final = "\N{MULTIPLICATION SIGN}"
LONGEST: Final = 400  # characters of a row
TAG: Final = "observations>"
BLUNTED: Final = "observations\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"


class Telling(Enum):
    """How many rows several observations of a section come to."""

    EACH = "a row each; what is said again is counted"
    COUNTED = "a row for each thing, with what was done to it and how often"
    LATEST = "a row for each thing, the last that was said of it"
    LAST = "the last one only"


@dataclass(frozen=True, slots=True)
class Section:
    """One section. Of two the one of higher priority keeps its rows longer; one that `stays` is not left out.

    `types` has a word for each type, which a counted row says of it.
    """

    title: str
    types: Mapping[str, str]
    priority: int
    telling: Telling
    most: int | None = None
    stays: bool = False

    def rows(self, observations: Iterable[Observation]) -> list[str]:
        """Return its rows of `observations`, which come newest first; so do the rows.

        What no longer holds is left out; where nothing may be left out it is said of it.
        """
        mine = [each for each in observations if self.stays or not each.stale]
        return [_flat(row) for row in self._told(mine)[: self.most]]

    def _told(self, observations: Sequence[Observation]) -> list[str]:
        match self.telling:
            case Telling.EACH:
                counts = Counter(map(_says, observations))
                return [_times(row, count) for row, count in counts.items()]
            case Telling.COUNTED:
                return self._counted(observations)
            case Telling.LATEST:
                latest: dict[str, str] = {}
                for each in observations:
                    latest.setdefault(each.about or each.content, _says(each))
                return list(latest.values())
            case Telling.LAST:
                return [_says(each) for each in observations[:1]]

    def _counted(self, observations: Iterable[Observation]) -> list[str]:
        done: dict[str, Counter[str]] = {}
        for each in observations:
            done.setdefault(each.about or each.content, Counter())[self.types[each.type]] += 1
        return [
            f"{thing} ({', '.join(_times(word, n) for word, n in self._in_order(counts))})"
            for thing, counts in done.items()
        ]

    def _in_order(self, counts: Counter[str]) -> list[tuple[str, int]]:
        return [(word, counts[word]) for word in self.types.values() if counts[word]]


def _says(each: Observation) -> str:
    return f"{each.content} (no longer so: {each.stale})" if each.stale else each.content


def _times(words: str, count: int) -> str:
    return f"{words} {TIMES} {count}" if count > 1 else words


def _flat(row: str) -> str:
    """Return `row` in one line that cannot be taken for the end of the block."""
    flat = " ".join(row.replace(TAG, BLUNTED).split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"
