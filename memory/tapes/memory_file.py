"""What earlier sessions came to, as the next one reads it at its start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.tapes.observations_md import ObservationsPage, priority_in
from memory.tapes.observing import PAGE
from memory.tapes.priorities import Priority
from memory.tokens import tokens_of

if TYPE_CHECKING:
    from pathlib import Path

MOST_TOKENS: Final = 32_000
_RANKS: Final = {priority.value: rank for rank, priority in enumerate(Priority)}
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
    by_worth = sorted(
        range(len(lines)), key=lambda at: (_RANKS.get(priority_in(lines[at][1]) or "", 1), -at)
    )
    last = f"({len(lines)} of {len(lines)} lines are left out)\n"
    left, kept, days = 4 * most_tokens - len(last) - 1, set[int](), set[str]()
    for at in by_worth:
        day, line = lines[at]
        cost = len(line) + 1 + (0 if day in days else _HEADER)
        if cost > left:
            break
        left -= cost
        kept.add(at)
        days.add(day)
    parts = [
        "\n".join((f"## {day}", *(lines[at][1] for at in sorted(kept) if lines[at][0] == day)))
        for day in sorted(days)
    ]
    told = f"({len(lines) - len(kept)} of {len(lines)} lines are left out)\n"
    return "\n\n".join((*parts, told))
