"""The block that tells a model what was observed: sections of rows, within a budget of tokens whatever happened.

Where the budget is too small, sections lose their oldest rows down to the newest, those of least priority first;
then whole sections go, in the same order. Those that stay come last: the longest of them loses rows first, down to the
newest, and where even that is too much, its words are cut.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from memory.observations.observation import Observation, line
from memory.tokens import CHARACTERS

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
        rows = []
        for thing, counts in done.items():
            words = (_times(word, counts[word]) for word in self.types.values() if counts[word])
            rows.append(f"{thing} ({', '.join(words)})")
        return rows


def _says(each: Observation) -> str:
    return f"{each.content} (no longer so: {each.stale})" if each.stale else each.content


def _times(words: str, count: int) -> str:
    return f"{words} {TIMES} {count}" if count > 1 else words


def _flat(row: str) -> str:
    """Return `row` in one line that cannot be taken for the end of the block."""
    return line(row.replace(TAG, BLUNTED), LONGEST)


BUDGET: Final = 2_000  # tokens
OPENING: Final = "<observations>"
CLOSING: Final = "</observations>"
SHORTEST: Final = 12  # characters of a row that say anything at all


class _Draft:
    """One section as it shrinks; `gone` counts the rows it had to let go of, `size` its characters."""

    def __init__(self, section: Section, rows: list[str]) -> None:
        self.section = section
        self.rows = rows
        self.gone = 0
        self.size = len(str(self))

    def __str__(self) -> str:
        rows = (f"- {row}" for row in self.rows)
        return "\n".join((f"## {self.section.title}", *rows)) + self._more()

    def lose_a_row(self) -> None:
        """Let go of the oldest row."""
        # Counted and not written out: there may be thousands.
        before = len(self._more())
        self.gone += 1
        self.size += len(self._more()) - before - len(self.rows.pop()) - len("\n- ")

    def cut(self, over: int) -> None:
        """Cut the one row that is left by so many characters, as far as it still says anything."""
        (row,) = self.rows
        length = max(len(row) - over, SHORTEST)
        if length < len(row):
            self.rows = [row[: length - 1] + "…"]
            self.size = len(str(self))

    def _more(self) -> str:
        return f"\n- and {self.gone} more" if self.gone else ""


def observations_block(
    observations: Iterable[Observation], sections: Sequence[Section], budget: int = BUDGET
) -> str | None:
    """Return the block that tells of `observations`, or None when there is nothing to tell.

    It has never more tokens than `budget`; where not even a few words have room, there is none.
    """
    by_type: dict[str, list[Observation]] = {}
    for each in sorted(observations, key=lambda each: each.id, reverse=True):
        by_type.setdefault(each.type, []).append(each)
    drafts = [_Draft(each, each.rows(_of(each, by_type))) for each in sections]
    told = [each for each in drafts if each.rows]
    _let_go(told, budget * CHARACTERS)
    _cut_down(told, budget * CHARACTERS)
    return "\n".join((OPENING, "\n\n".join(map(str, told)), CLOSING)) if told else None


def _of(section: Section, by_type: dict[str, list[Observation]]) -> list[Observation]:
    """Return the observations of a section, the newest first."""
    lists = [by_type[each] for each in section.types if each in by_type]
    if len(lists) == 1:
        return lists[0]
    return sorted((each for one in lists for each in one), key=lambda each: each.id, reverse=True)


def _let_go(drafts: list[_Draft], room: int) -> None:
    """Bring what may go to `room` characters with the rest, if that is enough: first its rows, then all of it."""
    for each in _by_priority(drafts, stays=False):
        while len(each.rows) > 1 and _size(drafts) > room:
            each.lose_a_row()
    for each in _by_priority(drafts, stays=False):
        if _size(drafts) > room:
            drafts.remove(each)


def _cut_down(drafts: list[_Draft], room: int) -> None:
    """Bring what stays to `room` characters, whatever it takes."""
    while _size(drafts) > room and (each := _longest(drafts)) is not None:
        each.lose_a_row()
    for each in _by_priority(drafts, stays=True):
        if (over := _size(drafts) - room) > 0:
            each.cut(over)
    for each in _by_priority(drafts, stays=True):
        if _size(drafts) > room:
            drafts.remove(each)


def _longest(drafts: Iterable[_Draft]) -> _Draft | None:
    """Return which of those that stay has the most rows to spare: a list of files must not cost the errors theirs."""
    spare = [each for each in drafts if len(each.rows) > 1]
    return max(spare, key=lambda each: len(each.rows), default=None)


def _by_priority(drafts: Iterable[_Draft], *, stays: bool) -> list[_Draft]:
    """Return those that stay, or those that may go, the least important first."""
    mine = [each for each in drafts if each.section.stays is stays]
    return sorted(mine, key=lambda each: each.section.priority)


def _size(drafts: Sequence[_Draft]) -> int:
    """Return how many characters the block has."""
    gaps = 2 * max(len(drafts) - 1, 0) + 2
    return sum(each.size for each in drafts) + gaps + len(OPENING) + len(CLOSING)
