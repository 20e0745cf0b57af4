"""How long ago it was: ages of days, gaps between them, and what is past due, as of a given moment.

Ages are wrong a day later. They are worked out when observations are activated, or where a prompt is built behind all
that is cached; a text that a service is to find again byte by byte never has a clock in it. `parse` drops them again.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from memory.thread.format import (
    PAST_DUE,
    UNKNOWN,
    Priority,
    clock_words,
    is_as_of_writing,
    is_header,
    read_date,
    read_moment,
    read_priority,
    render_date,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.thread.format import Moment

# "by" is what observers are told to write; a game time or a tick is as good as a date.
_DUE: Final = re.compile(
    r"\bby (?:(?P<date>\d{4}-\d{2}-\d{2})|tick (?P<tick>\d{1,12})"
    r"|game (?P<h>\d{1,6}):(?P<m>[0-5]\d):(?P<s>[0-5]\d))\b"
)


class Now(NamedTuple):
    """A moment, as far as known; `attempt` is the how-manieth at the goal pursued, 0 where nobody counts."""

    date: dt.date | None = None
    game_s: float | None = None
    tick: int | None = None
    attempt: int = 0


def annotated(observations: str, now: Now) -> str:
    """Return `observations` as seen from `now`: each day with its age, gaps between days, and plans that are past due.

    What an earlier call added is left out. Read with `parse`, the result is what `observations` was; `''` stays `''`.
    """
    told = (row for row in observations.splitlines() if row.strip())
    rows = [row for row in told if not is_as_of_writing(row)]
    if not rows:
        return ""
    found = [f"[now: {moment}]"] if (moment := _told(now)) else []
    before: dt.date | None = None
    for place, row in enumerate(rows):
        if not is_header(row):
            found.append(_marked(row, now))
            continue
        date = read_date(row)
        if date and before and (date - before).days > 1:
            found.append(f"[{_count((date - before).days, 'day')} later]")
        before = date or before
        found.append(render_date(date) + _in_brackets(_ages(date, _newest(rows, place), now)))
    return "\n".join(found)


def age(date: dt.date, today: dt.date) -> str:
    """Return how far `date` is from `today` in words: today, yesterday, 3 days ago, 2 weeks ago, in 3 days."""
    days = (today - date).days
    near = {0: "today", 1: "yesterday", -1: "tomorrow"}
    if days in near:
        return near[days]
    return f"{_span(days)} ago" if days > 0 else f"in {_span(-days)}"


def _span(days: int) -> str:
    for unit, length in (("year", 365), ("month", 30), ("week", 7)):
        if days >= length:
            return _count(days // length, unit)
    return _count(days, "day")


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"


def _told(now: Now) -> str:
    told = []
    if now.date is not None:
        told.append(now.date.isoformat())
    if now.game_s is not None:
        told.append(f"game {clock_words(now.game_s)}")
    if now.tick is not None:
        told.append(f"tick {now.tick}")
    if now.attempt:
        told.append(f"attempt {now.attempt}")
    return ", ".join(told)


def _in_brackets(words: Iterator[str]) -> str:
    return f" ({told})" if (told := ", ".join(words)) else ""


def _newest(rows: Sequence[str], header: int) -> Moment:
    """Return the last moment that is told below a header."""
    below = range(header + 1, len(rows))
    end = next((place for place in below if is_header(rows[place])), len(rows))
    moments = (_moment(rows[place]) for place in reversed(range(header + 1, end)))
    return next((each for each in moments if each != UNKNOWN), UNKNOWN)


def _moment(row: str) -> Moment:
    return read_moment(read_priority(row)[1])[0]


def _ages(date: dt.date | None, newest: Moment, now: Now) -> Iterator[str]:
    """Yield how long ago a day was: by the calendar, and its newest line in game time and ticks."""
    if date is not None and now.date is not None:
        yield age(date, now.date)
    if newest.game_s is not None and now.game_s is not None and now.game_s >= newest.game_s:
        yield f"{clock_words(now.game_s - newest.game_s)} of play ago"
    if newest.tick is not None and now.tick is not None and now.tick >= newest.tick:
        yield f"{_count(now.tick - newest.tick, 'tick')} ago"


def _marked(row: str, now: Now) -> str:
    # Looked for first: there are thousands of rows, and hardly any tells when it is due.
    if "by " not in row or row.endswith(PAST_DUE) or row.startswith((" ", "\t")):
        return row
    is_done = read_priority(row)[0] is Priority.DONE
    return row if is_done or not _is_past_due(row, now) else f"{row} {PAST_DUE}"


def _is_past_due(text: str, now: Now) -> bool:
    return any(_has_passed(found, now) for found in _DUE.finditer(text))


def _has_passed(due: re.Match[str], now: Now) -> bool:
    if due["date"]:
        return now.date is not None and due["date"] < now.date.isoformat()
    if due["tick"]:
        return now.tick is not None and int(due["tick"]) < now.tick
    seconds = int(due["h"]) * 3_600 + int(due["m"]) * 60 + int(due["s"])
    return now.game_s is not None and seconds < now.game_s
