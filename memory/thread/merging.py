"""One line for what was said several times, with how often."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memory.thread.advised import ADVISED, NOTE
from memory.thread.kinds import milestones_of, milestones_text
from memory.thread.situation import split_tried, tried

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.thread.format import Dated, Line


def merged(observations: Iterable[Dated]) -> tuple[Dated, ...]:
    """Return the lines of `observations` with those that say the same in one, where and when it was said last.

    Numbers of attempts are kept at their greatest, others are added up. Of the same advice the last note stays. A
    milestone is told once, where it was first told.
    """
    told: set[str] = set()
    kept: dict[tuple[object, ...], Dated] = {}
    for each in observations:
        if ids := milestones_of(each.line):
            new = [name for name in dict.fromkeys(ids) if name not in told]
            told.update(new)
            if new:
                line = replace(each.line, text=milestones_text(new), count=1)
                kept[line.text, *new] = each._replace(line=line)
            continue
        key = (each.line.priority, _stem(each.line.text), each.line.details)
        earlier = kept.pop(key, None)
        kept[key] = each if earlier is None else _both(earlier.line, each)
    return tuple(kept.values())


def _stem(text: str) -> str:
    """Return what must be the same in two lines that say the same."""
    if text.startswith(ADVISED):
        return text.partition(NOTE)[0]
    return split_tried(text)[0]


def _both(earlier: Line, later: Dated) -> Dated:
    text, times = split_tried(later.line.text)
    times = max(times, split_tried(earlier.text)[1])
    if times:
        line = replace(later.line, text=f"{text} ({tried(times)})", count=1)
    else:
        line = replace(later.line, count=earlier.count + later.line.count)
    return later._replace(line=line)
