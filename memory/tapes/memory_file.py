"""What earlier sessions came to, as the next one reads it at its start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.tapes.observations_md import ObservationsPage, priority_in
from memory.tapes.observing import PAGE
from memory.tapes.priorities import Priority
from memory.tokens import CHARACTERS, tokens_of

if TYPE_CHECKING:
    from pathlib import Path

MOST_TOKENS: Final = 32_000
_RANKS: Final = {priority.value: rank for rank, priority in enumerate(Priority)}
_UNKNOWN: Final = _RANKS[Priority.POSSIBLE.value]  # a line that somebody wrote by hand
_HEADER: Final = len("\n## 2026-03-09\n\n")


class MemoryFile:
    """The page `observations.md` of a folder."""

    @staticmethod
    def load(folder: Path, *, most_tokens: int = MOST_TOKENS) -> str:
        """Return the page, or '' where there is none; one that is too long loses lines until it fits.

        The important stay longest, of equal ones the newest. A last line says how many are left out. A file
        that cannot be read is as none: the next session must not depend on it.
        """
        try:
            text = (folder / PAGE).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        return text if tokens_of(len(text)) <= most_tokens else _cut(text, most_tokens)


def _cut(text: str, most_tokens: int) -> str:
    lines = [(day, line) for day, lines in ObservationsPage(text).days.items() for line in lines]
    kept = _kept(lines, CHARACTERS * most_tokens - len(_left_out(len(lines), len(lines))) - 1)
    days: dict[str, list[str]] = {}
    for at in sorted(kept):
        day, line = lines[at]
        days.setdefault(day, [f"## {day}"]).append(line)
    parts = ["\n".join(each) for each in days.values()]
    return "\n\n".join((*parts, _left_out(len(lines) - len(kept), len(lines))))


def _kept(lines: list[tuple[str, str]], characters: int) -> set[int]:
    """Return which lines fit, the most important first and of equal ones the newest."""
    worth = [_RANKS.get(priority_in(line) or "", _UNKNOWN) for _, line in lines]
    kept, days = set[int](), set[str]()
    for at in sorted(range(len(lines)), key=lambda at: (worth[at], -at)):
        day, line = lines[at]
        characters -= len(line) + 1 + (0 if day in days else _HEADER)
        if characters < 0:
            break
        kept.add(at)
        days.add(day)
    return kept


def _left_out(count: int, of: int) -> str:
    return f"({count} of {of} lines are left out)\n"
