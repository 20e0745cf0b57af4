"""The page `observations.md`: days as headers, an observation a line. Pure text; knows nothing of files."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DAY: Final = re.compile(r"## (\d{4}-\d\d-\d\d)\s*")
_LINE: Final = re.compile(r"- \[(\w+)\] .*\(session: ([^\s()]{1,8})\)\s*")


class ObservationsPage:
    """What is on the page. Lines that are not of a session stay where they are: they are somebody's own."""

    def __init__(self, text: str = "") -> None:
        self._before: list[str] = []
        self._days: dict[str, list[str]] = {}
        lines = self._before
        for each in text.splitlines():
            if day := _DAY.fullmatch(each):
                lines = self._days.setdefault(day[1], [])
            elif each.strip() or lines is self._before:
                lines.append(each.rstrip())

    @property
    def days(self) -> Mapping[str, list[str]]:
        """The lines of each day, the earliest first."""
        return {day: self._days[day] for day in sorted(self._days) if self._days[day]}

    def count(self, session: str) -> int:
        """Return how many lines a session has."""
        return sum(session_of(each) == session for lines in self._days.values() for each in lines)

    def replace(
        self, session: str, dated: Iterable[tuple[str, str]], order: Mapping[str, int]
    ) -> None:
        """Put `dated` lines, with the day of each, in the place of all that a session had.

        Under a day they come after those of sessions that are earlier in `order`, so that the page does not
        depend on when it was written.
        """
        for lines in self._days.values():
            lines[:] = [each for each in lines if session_of(each) != session]
        mine = order.get(session, len(order))
        for day, line in dated:
            lines = self._days.setdefault(day, [])
            lines.insert(bisect_right(_ranks(lines, order), mine), line)

    def render(self) -> str:
        """Return the page as text, which comes back as it is when it is read again."""
        parts = ["\n".join(self._before).rstrip()] if any(self._before) else []
        parts += ["\n".join((f"## {day}", *lines)) for day, lines in self.days.items()]
        return "\n\n".join(parts) + "\n" if parts else ""


def session_of(line: str) -> str | None:
    """Return the first 8 digits of the session that a line is about, or None."""
    found = _LINE.fullmatch(line)
    return found[2] if found else None


def priority_in(line: str) -> str | None:
    """Return the word in brackets of a line, or None."""
    found = _LINE.fullmatch(line)
    return found[1] if found else None


def _ranks(lines: Iterable[str], order: Mapping[str, int]) -> list[int]:
    """Return the place of each line in `order`, never falling; a line of nobody's has that of the one before."""
    ranks, last = [], -1
    for each in lines:
        last = max(last, order.get(session_of(each) or "", last))
        ranks.append(last)
    return ranks
