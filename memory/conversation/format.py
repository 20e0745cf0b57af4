"""The format of observations: dated lines with priority, time and text.

    Date: 2026-11-22
    * 🔴 (14:30, game 1:02:10, tick 812) milestone reached: left_home
    * 🟡 (14:31, game 1:02:40, tick 840) asked (stuck) at route_1
      * -> a ledge is in the way

Model text is parsed as far as possible; rendered text is parsed back unchanged.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

MAX_LINE: Final = 10_000  # characters of the text of one line
MAX_DETAILS: Final = 50  # below one line; further details become lines of their own
TIMES: Final = "\N{MULTIPLICATION SIGN}"
UNKNOWN_DATE: Final = "unknown"
PAST_DUE: Final = "[past due]"


class LinePriority(Enum):
    """The certainty of a line, and how long it is kept."""

    ASSERTED = "🔴"  # shown or stated as fact
    ASKED = "🟡"
    UNCERTAIN = "🟢"  # including statements of a model
    DONE = "✅"


class LineTime(NamedTuple):
    """When something happened, as far as known: 24-hour wall time such as 14:30, game seconds, tick."""

    clock: str = ""
    game_s: int | None = None
    tick: int | None = None


UNKNOWN: Final = LineTime()


@dataclass(frozen=True, slots=True)
class ObservationLine:
    """One observation; `text` is one line without surrounding spaces, `count` the number of occurrences."""

    priority: LinePriority
    text: str
    moment: LineTime = UNKNOWN
    count: int = 1
    details: tuple[str, ...] = ()


class DatedLine(NamedTuple):
    """A line and its day; None when the day is unknown."""

    date: dt.date | None
    line: ObservationLine


Observations: TypeAlias = "tuple[DatedLine, ...]"

_HEADER: Final = re.compile(r"^\W{0,9}Date:\W{0,9}(\w+[-\w ,]*)", re.IGNORECASE)
_AS_OF_WRITING: Final = re.compile(r"^\[(?:as of: [^\]]*|[^\]]* later)\]$")  # true when written
_BULLET: Final = re.compile(r"^(?:[*\-•]|\d{1,3}[.)])\s+")
_PRIORITY: Final = re.compile(f"^({'|'.join(each.value for each in LinePriority)})\ufe0f?\\s*")
_PARENTHESES: Final = re.compile(r"^\(([^()]*)\)(?:\s+|$)")
_COUNT: Final = re.compile(rf" {TIMES} (\d{{1,9}})$")
_CLOCK: Final = re.compile(r"^([01]?\d|2[0-3]):([0-5]\d)$")
_GAME: Final = re.compile(r"^game (\d{1,6}):([0-5]\d):([0-5]\d)$")
_TICK: Final = re.compile(r"^tick (\d{1,12})$")
_DETAIL: Final = "->"
_DATE_FORMATS: Final = ("%Y-%m-%d", "%b %d, %Y", "%B %d, %Y")


def render(observations: Iterable[DatedLine]) -> str:
    """Return `observations` as text, with a header for each run of lines of one day."""
    rows: list[str] = []
    for date, group in groupby(observations, key=lambda each: each.date):
        rows.append(render_date(date))
        rows.extend(render_line(each.line) for each in group)
    return "\n".join(rows)


def render_date(date: dt.date | None) -> str:
    """Return the header of a day."""
    return f"Date: {UNKNOWN_DATE if date is None else date.isoformat()}"


def render_line(line: ObservationLine) -> str:
    """Return `line` as text, its details on rows of their own."""
    # An empty moment and a count of one are written only when the text would otherwise be parsed as one.
    words = ", ".join(_moment_words(line.moment))
    moment = f"({words}) " if words or line.text.startswith("(") else ""
    is_counted = line.count > 1 or _COUNT.search(line.text) is not None
    times = f" {TIMES} {line.count}" if is_counted else ""
    details = (f"  * {_DETAIL} {each}" for each in line.details)
    return "\n".join((f"* {line.priority.value} {moment}{line.text}{times}", *details))


def parse(text: str, *, lists_only: bool = False) -> Observations:
    """Return the observations in `text`; with `lists_only`, prose between lists is left out.

    Never raises: a line without a priority is read as ASKED, one without a known date has none, and one of more than 10,000
    characters is cut. Relative ages, gaps between days and past-due marks are dropped, because they were true only when
    they were written.
    """
    found: list[DatedLine] = []
    date: dt.date | None = None
    for row in text.splitlines():
        stripped = row.strip()
        if not stripped or is_as_of_writing(row) or stripped.startswith("```"):
            continue
        in_list = is_listed(row)
        if is_header(row):
            date = read_date(stripped)
        elif in_list and found and _is_detail(row, found[-1].line):
            found[-1] = DatedLine(found[-1].date, _with_detail(found[-1].line, stripped))
        elif (in_list or not lists_only) and (line := _read_line(stripped)):
            found.append(DatedLine(date, line))
    return tuple(found)


def is_header(row: str) -> bool:
    """Return whether `row` is the header of a day."""
    return _HEADER.match(row.strip()) is not None and not is_listed(row)


def is_listed(row: str) -> bool:
    """Return whether `row` is an item of a list."""
    return _BULLET.match(row.strip()) is not None


def is_as_of_writing(row: str) -> bool:
    """Return whether `row` is a gap or a current time that was true only when it was written."""
    return _AS_OF_WRITING.match(row.strip()) is not None


def read_date(header: str) -> dt.date | None:
    """Return the day in a header, or None when it has none."""
    found = _HEADER.match(header.strip())
    words = found[1].strip() if found else ""
    for form in _DATE_FORMATS:
        try:
            return dt.datetime.strptime(words, form).replace(tzinfo=dt.UTC).date()
        except ValueError:
            continue
    return None


def read_priority(row: str) -> tuple[LinePriority | None, str]:
    """Return the priority of a row, None when it has none, and the text after it."""
    rest = _BULLET.sub("", row.strip())
    marked = _PRIORITY.match(rest)
    return (LinePriority(marked[1]), rest[marked.end() :]) if marked else (None, rest)


def read_moment(rest: str) -> tuple[LineTime, str]:
    """Return the moment at the start of a text, UNKNOWN when there is none, and the rest."""
    enclosed = _PARENTHESES.match(rest)
    read = _read_moment(enclosed[1]) if enclosed else None
    return (UNKNOWN, rest) if enclosed is None or read is None else (read, rest[enclosed.end() :])


def one_line(text: str, longest: int = MAX_LINE) -> str:
    """Return `text` as one line of at most `longest` characters, cut between words if possible.

    Ids are words, so they are kept whole or removed.
    """
    flat = " ".join(text.split())
    if len(flat) <= longest:
        return flat
    cut = flat[: longest - 1]
    return (
        cut.rsplit(" ", 1)[0] if " " in cut and flat[longest - 1] != " " else cut
    ).rstrip() + "…"


def with_unit(number: int, unit: str) -> str:
    """Return a number with its unit in words: 1 day, 2 days."""
    return f"{number} {unit}{'' if number == 1 else 's'}"


def in_units(number: float, units: Iterable[tuple[str, int]]) -> str:
    """Return a number in the first of `units` that it reaches: with days of 86,400, 90,000 is 1 day."""
    unit, length = next(each for each in units if number >= each[1])
    return with_unit(int(number // length), unit)


def clock_words(game_s: float) -> str:
    """Return game seconds as hours, minutes and seconds: 3730 is 1:02:10."""
    minutes, seconds = divmod(int(game_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"


def _moment_words(moment: LineTime) -> Iterator[str]:
    if moment.clock:
        yield moment.clock
    if moment.game_s is not None:
        yield f"game {clock_words(moment.game_s)}"
    if moment.tick is not None:
        yield f"tick {moment.tick}"


def _is_detail(row: str, line: ObservationLine) -> bool:
    if not row.startswith(("  ", "\t")) or len(line.details) >= MAX_DETAILS:
        return False
    rest = _BULLET.sub("", row.strip())
    return rest.startswith(_DETAIL) or _PRIORITY.match(rest) is None


def _with_detail(line: ObservationLine, row: str) -> ObservationLine:
    detail = one_line(_BULLET.sub("", row).removeprefix(_DETAIL))
    details = (*line.details, detail) if detail else line.details
    return ObservationLine(line.priority, line.text, line.moment, line.count, details)


def _read_line(row: str) -> ObservationLine | None:
    priority, rest = read_priority(" ".join(row.split()))
    moment, rest = read_moment(rest)
    rest = rest.removesuffix(PAST_DUE).rstrip()
    count = 1
    if count_found := _COUNT.search(rest):
        count, rest = max(int(count_found[1]), 1), rest[: count_found.start()]
    text = one_line(rest)
    return ObservationLine(priority or LinePriority.ASKED, text, moment, count) if text else None


def _read_moment(words: str) -> LineTime | None:
    """Return the moment in `words`, or None when they contain anything else."""
    moment = UNKNOWN
    for word in (each.strip() for each in words.split(",")):
        if clock := _CLOCK.match(word):
            moment = moment._replace(clock=f"{int(clock[1]):02}:{clock[2]}")
        elif game := _GAME.match(word):
            hours, minutes, seconds = map(int, game.groups())
            moment = moment._replace(game_s=hours * 3600 + minutes * 60 + seconds)
        elif tick := _TICK.match(word):
            moment = moment._replace(tick=int(tick[1]))
        elif word:
            return None
    return moment
