"""What is in the archive, a line each, so that somebody who forgot knows what to ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memory.thread.format import one_line, parse
from memory.thread.kinds import is_ban, milestones_in, milestones_of
from memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memory.thread.format import Observations

ROOM: Final = 2_000  # tokens
LONGEST: Final = 160  # characters of what one group is about


class Archived(NamedTuple):
    """A group of observations that is no longer shown, and the id by which it is recalled."""

    id: str
    observations: str


def catalogue(
    archived: Sequence[Archived], room: int = ROOM, estimate: Callable[[str], int] = tokens
) -> str:
    """Return a line for each group, the oldest first, in at most `room` tokens; '' where there is none.

    A line tells the id, when it was, and what it is about: milestones first, then what failed, then the rest. Where
    there are too many, the oldest have one line together.
    """
    rows = [_row(each) for each in archived]
    left, start = room, len(rows)
    while start and (left := left - estimate(rows[start - 1] + "\n")) >= 0:
        start -= 1
    # What is told of the older ones together needs room as well.
    while start and estimate(_text(archived[:start], rows[start:])) > room:
        start += 1
        if start > len(rows):
            return ""
    return _text(archived[:start], rows[start:])


def _text(older: Sequence[Archived], rows: Sequence[str]) -> str:
    return "\n".join(row for row in (_earlier(older), *rows) if row)


def _earlier(archived: Sequence[Archived]) -> str:
    if not archived:
        return ""
    return f"* {archived[0].id} to {archived[-1].id}: {len(archived)} older groups"


def _row(archived: Archived) -> str:
    observations = parse(archived.observations)
    number = len(observations)
    count = f"{number} line{'' if number == 1 else 's'}"
    about = one_line("; ".join(_about(observations)), LONGEST)
    return f"* {archived.id} ({_when(observations)}, {count}): {about}"


def _about(observations: Observations) -> Iterator[str]:
    if reached := milestones_in(observations):
        yield f"reached {', '.join(reached)}"
    rest = [each.line for each in observations if not milestones_of(each.line)]
    yield from (line.text for line in sorted(rest, key=is_ban, reverse=True))


def _when(observations: Observations) -> str:
    dates = sorted({each.date.isoformat() for each in observations if each.date is not None})
    ticks = [each.line.moment.tick for each in observations if each.line.moment.tick is not None]
    told = [" to ".join(dict.fromkeys((dates[0], dates[-1])))] if dates else []
    if ticks:
        told.append(f"ticks {min(ticks)} to {max(ticks)}")
    return ", ".join(told) or "no date"
