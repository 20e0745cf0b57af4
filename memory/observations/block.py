"""The observations block of a prompt: sections of rows within a token budget.

When the budget is too small, optional sections lose their oldest rows down to the newest, lowest priority first; then
whole optional sections are dropped, in the same order. Required sections come last: the longest loses rows first, down
to the newest, and if the block is still too long, the text of that row is cut.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from memory.observations.observation import Observation, line
from memory.tokens import CHARACTERS

TIMES: Final = "\N{MULTIPLICATION SIGN}"
MAX_ROW: Final = 400  # characters of a row
TAG: Final = "observations>"
ESCAPED_TAG: Final = "observations\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"


class RowMode(Enum):
    """How several observations of one section are grouped into rows."""

    EACH = "a row for each text; repetitions are counted"
    COUNTED = "a row for each subject, with the number of observations of each type"
    LATEST = "a row for each subject, its latest observation"
    LAST = "only the latest observation"


@dataclass(frozen=True, slots=True)
class Section:
    """One section. A higher priority keeps rows longer; a section that `is_required` is required and never dropped for another.

    `types` maps each observation type to the word for it in a counted row.
    """

    title: str
    types: Mapping[str, str]
    priority: int
    row_mode: RowMode
    most: int | None = None
    is_required: bool = False

    def rows(self, observations: Iterable[Observation]) -> list[str]:
        """Return the rows for `observations`, which are newest first, as are the rows.

        Stale observations are omitted; in a required section they are marked as stale instead.
        """
        shown = [each for each in observations if self.is_required or not each.stale]
        return [_flat(row) for row in self._row_texts(shown)[: self.most]]

    def _row_texts(self, observations: Sequence[Observation]) -> list[str]:
        match self.row_mode:
            case RowMode.EACH:
                counts = Counter(map(_row_text, observations))
                return [_tally(row, count) for row, count in counts.items()]
            case RowMode.COUNTED:
                return self._counted(observations)
            case RowMode.LATEST:
                latest: dict[str, str] = {}
                for each in observations:
                    latest.setdefault(each.about or each.content, _row_text(each))
                return list(latest.values())
            case RowMode.LAST:
                return [_row_text(each) for each in observations[:1]]

    def _counted(self, observations: Iterable[Observation]) -> list[str]:
        found: dict[str, Counter[str]] = {}
        for each in observations:
            found.setdefault(each.about or each.content, Counter())[self.types[each.type]] += 1
        rows = []
        for subject, counts in found.items():
            words = (_tally(word, counts[word]) for word in self.types.values() if counts[word])
            rows.append(f"{subject} ({', '.join(words)})")
        return rows


def _row_text(each: Observation) -> str:
    return f"{each.content} (no longer so: {each.stale})" if each.stale else each.content


def _tally(words: str, count: int) -> str:
    return f"{words} {TIMES} {count}" if count > 1 else words


def _flat(row: str) -> str:
    """Return `row` as one line that cannot be read as the end of the block."""
    return line(row.replace(TAG, ESCAPED_TAG), MAX_ROW)


BUDGET: Final = 2_000  # tokens
OPENING: Final = "<observations>"
CLOSING: Final = "</observations>"
SINCE: Final = "Only what is new since the last question:"
MIN_ROW: Final = 12  # characters of a row that are still useful


class _Draft:
    """One section while it shrinks; `dropped` is the number of removed rows, `size` its length in characters."""

    def __init__(self, section: Section, rows: list[str]) -> None:
        self.section = section
        self.rows = rows
        self.dropped = 0
        self.size = len(str(self))

    def __str__(self) -> str:
        rows = (f"- {row}" for row in self.rows)
        return "\n".join((f"## {self.section.title}", *rows)) + self._dropped_note()

    def drop_oldest_row(self) -> None:
        """Remove the oldest row."""
        # The size is updated, not measured again: there may be thousands of rows.
        before = len(self._dropped_note())
        self.dropped += 1
        self.size += len(self._dropped_note()) - before - len(self.rows.pop()) - len("\n- ")

    def cut(self, over: int) -> None:
        """Shorten the only remaining row by `over` characters, down to the shortest useful length."""
        (row,) = self.rows
        length = max(len(row) - over, MIN_ROW)
        if length < len(row):
            self.rows = [row[: length - 1] + "…"]
            self.size = len(str(self))

    def _dropped_note(self) -> str:
        return f"\n- and {self.dropped} more" if self.dropped else ""


def observations_block(
    observations: Iterable[Observation], sections: Sequence[Section], budget: int = BUDGET
) -> str | None:
    """Return the block of `observations`, or None when there is nothing to show.

    It never has more tokens than `budget`; None when not even a few words fit.
    """
    by_type: dict[str, list[Observation]] = {}
    for each in sorted(observations, key=lambda each: each.id, reverse=True):
        by_type.setdefault(each.type, []).append(each)
    drafts = [_Draft(each, each.rows(_observations_of(each, by_type))) for each in sections]
    kept = [each for each in drafts if each.rows]
    _shrink_optional(kept, budget * CHARACTERS)
    _shrink_required(kept, budget * CHARACTERS)
    return "\n".join((OPENING, "\n\n".join(map(str, kept)), CLOSING)) if kept else None


def _observations_of(section: Section, by_type: dict[str, list[Observation]]) -> list[Observation]:
    """Return the observations of a section, newest first."""
    lists = [by_type[each] for each in section.types if each in by_type]
    if len(lists) == 1:
        return lists[0]
    return sorted((each for one in lists for each in one), key=lambda each: each.id, reverse=True)


def _shrink_optional(drafts: list[_Draft], room: int) -> None:
    """Remove rows, then whole sections, of the optional sections until the block fits `room` characters."""
    for each in _by_priority(drafts, is_required=False):
        while len(each.rows) > 1 and _size(drafts) > room:
            each.drop_oldest_row()
    for each in _by_priority(drafts, is_required=False):
        if _size(drafts) > room:
            drafts.remove(each)


def _shrink_required(drafts: list[_Draft], room: int) -> None:
    """Remove rows, cut text, and then drop required sections until the block fits `room` characters."""
    while _size(drafts) > room and (each := _longest(drafts)) is not None:
        each.drop_oldest_row()
    for each in _by_priority(drafts, is_required=True):
        if (over := _size(drafts) - room) > 0:
            each.cut(over)
    for each in _by_priority(drafts, is_required=True):
        if _size(drafts) > room:
            drafts.remove(each)


def _longest(drafts: Iterable[_Draft]) -> _Draft | None:
    """Return the draft with the most rows, None when each has only one: a list of files must not displace the errors."""
    shrinkable = [each for each in drafts if len(each.rows) > 1]
    return max(shrinkable, key=lambda each: len(each.rows), default=None)


def _by_priority(drafts: Iterable[_Draft], *, is_required: bool) -> list[_Draft]:
    """Return the required or the optional drafts, lowest priority first."""
    shown = [each for each in drafts if each.section.is_required is is_required]
    return sorted(shown, key=lambda each: each.section.priority)


def _size(drafts: Sequence[_Draft]) -> int:
    """Return the length of the block in characters."""
    gaps = 2 * max(len(drafts) - 1, 0) + 2
    return sum(each.size for each in drafts) + gaps + len(OPENING) + len(CLOSING)


def rows_of(words: str) -> Iterator[tuple[str, str]]:
    """Yield the rows of all blocks in a text, each with the heading of its section."""
    is_inside, heading = False, ""
    for row in words.splitlines():
        if row in (OPENING, CLOSING):
            is_inside = row == OPENING
        elif is_inside and row.startswith("## "):
            heading = row
        elif is_inside and row.startswith("- "):
            yield heading, row


def only_new(block: str, said: Collection[tuple[str, str]]) -> str | None:
    """Return `block` with only the rows that are not among `said`; None without any, and all of it if nothing was said yet."""
    if not said:
        return block
    sections: dict[str, list[str]] = {}
    for heading, row in rows_of(block):
        if (heading, row) not in said:
            sections.setdefault(heading, []).append(row)
    found = ["\n".join((heading, *rows)) for heading, rows in sections.items()]
    return "\n".join((OPENING, SINCE, "\n\n".join(found), CLOSING)) if found else None
