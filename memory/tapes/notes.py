"""`observations.md`: what sessions of a tape came to, written for those that are new or have grown, and read by the next session.

Beside it `observer_state.json` says how far each session was observed. Losing it costs time, never an observation.
"""

import json
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from memory.errors import StoreError
from memory.tapes.entries import SHORT, TapeSession, iso
from memory.tapes.observer import Priority, observe_session
from memory.tapes.reader import SessionHead, TapeReader
from memory.tokens import CHARACTERS, tokens_of

_DAY: Final = re.compile(r"## (\d{4}-\d\d-\d\d)\s*")
_LINE: Final = re.compile(r"- \[(\w+)\] .*\(session: ([^\s()]{1,8})\)\s*")


class ObservationsPage:
    """What is on the page. Lines that are not of a session stay where they are: they were written by hand."""

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
    """Return the place of each line in `order`, never falling; a line of no session has that of the one before."""
    ranks, last = [], -1
    for each in lines:
        last = max(last, order.get(session_of(each) or "", last))
        ranks.append(last)
    return ranks


@dataclass(frozen=True, slots=True)
class SessionMark:
    """A session as it was when it was observed: its last hash, its nodes, and how many lines it came to."""

    head: str
    nodes: int
    lines: int
    started: str

    def is_of(self, head: SessionHead) -> bool:
        """Return whether the session has not grown since, on no branch."""
        return (self.head, self.nodes) == (head.head, head.nodes)


def read_watermark(text: str) -> dict[str, SessionMark]:
    """Return the marks in `text`, by the hash of the root; what cannot be read is as if it were not there, and is observed again."""
    try:
        sessions = json.loads(text)["sessions"]
        return {
            root: SessionMark(
                str(mark["head"]), int(mark["nodes"]), int(mark["lines"]), str(mark["started"])
            )
            for root, mark in sessions.items()
        }
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def render_watermark(marks: Mapping[str, SessionMark]) -> str:
    """Return the text that `read_watermark` reads."""
    sessions = {root: asdict(mark) for root, mark in marks.items()}
    return json.dumps({"version": 1, "sessions": sessions}, indent=1, sort_keys=True) + "\n"


PAGE: Final = "observations.md"
STATE: Final = "observer_state.json"
UNDATED: Final = "1970-01-01"  # where a tape has no times at all


@dataclass(frozen=True, slots=True)
class ObserveResult:
    """What came of it: how many sessions were observed and how many had been before, and what was found in those observed.

    `page` has their observations only, under days.
    """

    sessions: int
    unchanged: int
    incomplete: int
    lines: int
    page: str


def observe(
    tape: Path,
    folder: Path,
    *,
    dry_run: bool = False,
    reset: bool = False,
    session: str | None = None,
) -> ObserveResult:
    """Observe a tape; the lines of a session that has grown take the place of those it had.

    `session` is a hash of a root, or 8 or more of its first digits; without it all are observed. The same tape always comes to the same page, at once or bit by bit. A dry run writes nothing. Raises StoreError when
    the tape cannot be read, or the folder not written. Raises UnknownMemory when no session, or more than one, is
    called `session`.
    """
    page = ObservationsPage(_read(folder / PAGE))
    marks = {} if reset else read_watermark(_read(folder / STATE))
    found = ObservationsPage()
    with TapeReader(tape) as reader:
        heads = reader.sessions()
        order = {head.root[:SHORT]: place for place, head in enumerate(heads)}
        due = _due(reader, heads, session, marks, page)
        for short, same_prefix in _by_short(due).items():
            dated: list[tuple[str, str]] = []
            for head in same_prefix:
                more = list(_dated(reader.read_session(head.root)))
                started = "" if head.started is None else iso(head.started)
                marks[head.root] = SessionMark(head.head, head.nodes, len(more), started)
                dated += more
            for each in (page, found):
                each.replace(short, dated, order)
    if not dry_run:
        _keep(folder, page, marks)
    incomplete = sum(not head.is_complete for head in due)
    lines = sum(map(len, found.days.values()))
    return ObserveResult(len(due), len(heads) - len(due), incomplete, lines, found.render())


def _due(
    reader: TapeReader,
    heads: Iterable[SessionHead],
    name: str | None,
    marks: dict[str, SessionMark],
    page: ObservationsPage,
) -> list[SessionHead]:
    """Return what to observe. Lines have 8 digits of a session's name: those of its namesakes are replaced with its own."""
    groups = _by_short(heads)
    if name is not None:
        return groups[reader.session_called(name)[:SHORT]]
    late = (group for short, group in groups.items() if not _is_done(short, group, marks, page))
    return [head for group in late for head in group]


def _by_short(heads: Iterable[SessionHead]) -> dict[str, list[SessionHead]]:
    groups: dict[str, list[SessionHead]] = {}
    for head in heads:
        groups.setdefault(head.root[:SHORT], []).append(head)
    return groups


def _is_done(
    short: str, group: list[SessionHead], marks: dict[str, SessionMark], page: ObservationsPage
) -> bool:
    """Return whether all of some sessions is on the page; the page itself is asked, for it may have been lost."""
    known = [mark for head in group if (mark := marks.get(head.root)) and mark.is_of(head)]
    return len(known) == len(group) and page.count(short) == sum(mark.lines for mark in known)


def _dated(session: TapeSession) -> Iterable[tuple[str, str]]:
    times = [entry.timestamp for entry in session.all_entries() if entry.timestamp]
    for noted in observe_session(session):
        at = noted.at or min(times, default=None)
        yield (f"{at:%Y-%m-%d}" if at else UNDATED), noted.line(session.short)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}); name another folder for memory."
        raise StoreError(message) from error


def _keep(folder: Path, page: ObservationsPage, marks: dict[str, SessionMark]) -> None:
    """Write the page, then the marks: killed between the two, a session is observed again, to the same lines."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(folder / PAGE, page.render())
        _replace(folder / STATE, render_watermark(marks))
    except OSError as error:
        message = f"{folder} cannot be written ({error.strerror}); name another folder for memory."
        raise StoreError(message) from error


def _replace(path: Path, text: str) -> None:
    """Write a whole file or none: a reader, or the next start after a kill, finds the old one or the new one."""
    if path.exists() and _read(path) == text:
        return
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    with new.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    if hasattr(os, "O_DIRECTORY"):  # a rename is on disk when its folder is
        folder = os.open(path.parent, os.O_DIRECTORY)
        os.fsync(folder)
        os.close(folder)


MOST_TOKENS: Final = 32_000
_RANKS: Final = {priority.value: rank for rank, priority in enumerate(Priority)}
_UNKNOWN: Final = _RANKS[Priority.POSSIBLE.value]  # a line that was written by hand
_HEADER: Final = len("\n## 2026-03-09\n\n")


def load_page(folder: Path, *, most_tokens: int = MOST_TOKENS) -> str:
    """Return the page `observations.md`, or '' where there is none; one that is too long loses lines until it fits.

    The important stay longest, of equal ones the newest. A last line says how many are left out. A file
    that cannot be read is as none: the next session must not depend on it.
    """
    try:
        text = _read(folder / PAGE)
    except StoreError:
        return ""
    return text if tokens_of(len(text)) <= most_tokens else _shortened(text, most_tokens)


def _shortened(text: str, most_tokens: int) -> str:
    lines = [(day, line) for day, lines in ObservationsPage(text).days.items() for line in lines]
    kept = _retained_lines(
        lines, CHARACTERS * most_tokens - len(_omission_line(len(lines), len(lines))) - 1
    )
    days: dict[str, list[str]] = {}
    for at in sorted(kept):
        day, line = lines[at]
        days.setdefault(day, [f"## {day}"]).append(line)
    parts = ["\n".join(each) for each in days.values()]
    return "\n\n".join((*parts, _omission_line(len(lines) - len(kept), len(lines))))


def _retained_lines(lines: list[tuple[str, str]], characters: int) -> set[int]:
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


def _omission_line(count: int, of: int) -> str:
    return f"({count} of {of} lines are left out)\n"
