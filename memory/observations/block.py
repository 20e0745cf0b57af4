"""The block that tells a model what was observed: sections of rows, within a budget of tokens whatever happened.

Where the budget is too small, sections lose their oldest rows down to the newest, those of least priority first;
then whole sections go, in the same order. Those that stay come last: the longest of them loses rows first, down to the
newest, and where even that is too much, its words are cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.tokens import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.observations.observation import Observation
    from memory.observations.section import Section

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
        return "\n".join((f"## {self.section.title}", *rows, *self._more()))

    def lose_a_row(self) -> None:
        """Let go of the oldest row."""
        # Counted and not written out: there may be thousands.
        self.size -= (
            len(self.rows.pop()) + len("\n- ") + sum(len(each) + 1 for each in self._more())
        )
        self.gone += 1
        self.size += sum(len(each) + 1 for each in self._more())

    def cut(self, over: int) -> None:
        """Cut the one row that is left by so many characters, as far as it still says anything."""
        (row,) = self.rows
        length = max(len(row) - over, SHORTEST)
        if length < len(row):
            self.rows = [row[: length - 1] + "…"]
            self.size = len(str(self))

    def _more(self) -> list[str]:
        return [f"- and {self.gone} more"] if self.gone else []


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
    if _size(told) > budget * CHARACTERS:
        _cut_down(told, budget * CHARACTERS)
    if not told:
        return None
    return "\n".join((OPENING, "\n\n".join(map(str, told)), CLOSING))


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
