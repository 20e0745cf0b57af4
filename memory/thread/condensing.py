"""Fewer tokens by rules: what says the same becomes one line, what is old becomes short, what matters least goes.

What goes first is what one is unsure of, then requests, then what is done, then what was asserted; what does not work
goes last, and a verified milestone never. Within each, what is oldest goes first.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from memory.thread.format import Dated, Line, Priority, one_line, render_date, render_line
from memory.thread.kinds import is_ban, milestones_of, milestones_text
from memory.thread.merging import merged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.thread.format import Observations

DETAIL: Final = (10, 8, 6, 4, 2)  # tenths of the detail that a level of 0 to 4 aims to keep
SHORTEST: Final = 40  # characters that an old line keeps at the hardest level
_GOES: Final = (Priority.UNCERTAIN, Priority.ASKED, Priority.DONE, Priority.ASSERTED)


def condensed(
    observations: Sequence[Dated], room: int, estimate: Callable[[str], int], level: int = 0
) -> Observations:
    """Return `observations` in at most `room` tokens by `estimate`, or the milestones alone where they need more.

    From level 1 on, the older half is shortened before anything goes. `estimate` must not count less for parts than
    for their whole.
    """
    lines = merged(observations)
    if level:
        lines = _shortened(lines, SHORTEST * DETAIL[level] // DETAIL[-1])
    lines = _fitting(lines, room, estimate)
    if not lines or _size(lines, estimate) <= room:
        return lines
    return _folded(lines)


def _shortened(lines: Observations, longest: int) -> Observations:
    """Return `lines` with the older half shortened, but for milestones and what does not work."""
    older = len(lines) // 2
    return (
        *(each._replace(line=_short(each.line, longest)) for each in lines[:older]),
        *lines[older:],
    )


def _short(line: Line, longest: int) -> Line:
    if milestones_of(line) or is_ban(line):
        return line
    return replace(line, text=one_line(line.text, longest), details=())


def _fitting(lines: Observations, room: int, estimate: Callable[[str], int]) -> Observations:
    """Return as many of `lines` as have room, in their order."""
    size = _size(lines, estimate)
    gone: set[int] = set()
    for place in sorted(range(len(lines)), key=lambda place: (_worth(lines[place].line), place)):
        if size <= room or milestones_of(lines[place].line):
            break
        gone.add(place)
        size -= _cost(lines[place].line, estimate)
    return tuple(each for place, each in enumerate(lines) if place not in gone)


def _worth(line: Line) -> int:
    """Return how late `line` goes; milestones come behind everything."""
    if milestones_of(line):
        return len(_GOES) + 1
    return len(_GOES) if is_ban(line) else _GOES.index(line.priority)


def _folded(lines: Observations) -> Observations:
    """Return `lines`, all of them milestones, in one, where the first was reached."""
    ids = [name for each in lines for name in milestones_of(each.line)]
    line = Line(Priority.ASSERTED, milestones_text(ids), lines[0].line.moment)
    return (Dated(lines[0].date, line),)


def _size(lines: Observations, estimate: Callable[[str], int]) -> int:
    """Return the tokens of `lines`, a little too many: each row and each day is counted for itself."""
    days = groupby(lines, key=lambda each: each.date)
    heads = sum(estimate(render_date(date) + "\n") for date, _ in days)
    return heads + sum(_cost(each.line, estimate) for each in lines)


def _cost(line: Line, estimate: Callable[[str], int]) -> int:
    return estimate(render_line(line) + "\n")
