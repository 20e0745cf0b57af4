"""The page `observations.md`: observations of the sessions of a tape, updated for new and grown sessions.

The next session reads it. `observer_state.json` is the watermark of each session; its loss costs time, no observation.
"""

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from memory.codec import decode
from memory.errors import StoreError
from memory.file_access import read_bytes, write_file
from memory.tapes.entries import MADE_UP, META, SHORT, TapeSession, is_made_up, iso
from memory.tapes.observer import (
    MADE_UP_NOTE,
    Priority,
    SessionObservation,
    loops,
    observe_session,
    spikes,
)
from memory.tapes.reader import SessionHead, TapeReader
from memory.tokens import CHARACTERS, tokens_of

_DAY: Final = re.compile(r"## (\d{4}-\d\d-\d\d)\s*")
_LINE: Final = re.compile(r"- \[(\w+)\] .*\(session: ([^\s()]{1,8})\)\s*")
_MADE_UP: Final = re.compile(rf"- \[\w+\] {re.escape(MADE_UP_NOTE)}")


class ObservationsPage:
    """The content of the page. Lines without a session were written by hand, and stay in place."""

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
        """The lines by day, earliest first."""
        return {day: self._days[day] for day in sorted(self._days) if self._days[day]}

    def count(self, session: str) -> int:
        """Return the number of lines of a session."""
        return sum(session_of(each) == session for lines in self._days.values() for each in lines)

    def replace(
        self, session: str, dated: Iterable[tuple[str, str]], order: Mapping[str, int]
    ) -> None:
        """Replace all lines of a session by `dated` lines, pairs of day and line.

        Within a day they follow the lines of sessions that are earlier in `order`, so that the page does not
        depend on when it was written.
        """
        for lines in self._days.values():
            lines[:] = [each for each in lines if session_of(each) != session]
        mine = order.get(session, len(order))
        for day, line in dated:
            lines = self._days.setdefault(day, [])
            lines.insert(bisect_right(_ranks(lines, order), mine), line)

    def render(self) -> str:
        """Return the page as text; parsing it yields the same page."""
        parts = ["\n".join(self._before).rstrip()] if any(self._before) else []
        parts += ["\n".join((f"## {day}", *lines)) for day, lines in self.days.items()]
        return "\n\n".join(parts) + "\n" if parts else ""


def session_of(line: str) -> str | None:
    """Return the short name of the session of a line, or None."""
    found = _LINE.fullmatch(line)
    return found[2] if found else None


def _ranks(lines: Iterable[str], order: Mapping[str, int]) -> list[int]:
    """Return the non-decreasing rank of each line in `order`; a line without a session has that of the one before."""
    ranks, last = [], -1
    for each in lines:
        last = max(last, order.get(session_of(each) or "", last))
        ranks.append(last)
    return ranks


@dataclass(frozen=True, slots=True)
class SessionMark:
    """The state of a session when it was observed: its last hash, and the numbers of its nodes and lines."""

    head: str
    nodes: int
    lines: int
    started: str

    def is_current(self, head: SessionHead) -> bool:
        """Return whether the session has not grown since, on any branch."""
        return (self.head, self.nodes) == (head.head, head.nodes)


def read_watermark(text: str) -> dict[str, SessionMark]:
    """Return the marks in `text`, by root hash; an unreadable text yields none, and all is observed again."""
    try:
        sessions = decode(text)["sessions"]
        return {
            root: SessionMark(
                str(mark["head"]), int(mark["nodes"]), int(mark["lines"]), str(mark["started"])
            )
            for root, mark in sessions.items()
        }
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
        return {}


PAGE: Final = "observations.md"
STATE: Final = "observer_state.json"
MOST_BYTES: Final = 1 << 26  # of either
UNDATED: Final = "1970-01-01"  # for a tape without times


@dataclass(frozen=True, slots=True)
class ObserveResult:
    """The result: numbers of observed, unchanged and incomplete sessions, and of lines of observed and of all sessions.

    `loops` and `spikes` count alerts of the observed sessions, `changed` the nodes of the tape that are not what their hash
    says; `page` holds the new observations only, by day.
    """

    sessions: int
    unchanged: int
    incomplete: int
    lines: int
    all_lines: int
    loops: int
    spikes: int
    changed: int
    page: str


def observe(
    tape: Path,
    folder: Path,
    *,
    dry_run: bool = False,
    reset: bool = False,
    session: str | None = None,
) -> ObserveResult:
    """Observe a tape, and replace the lines of sessions that have grown.

    `session` is a root hash or at least 8 of its first digits; without it all are observed. The same tape always yields the
    same page, at once or step by step. A dry run writes nothing. Raises StoreError when the tape cannot be read or the
    folder not written, and UnknownMemory when `session` does not match exactly one session.
    """
    page = ObservationsPage(_read(folder / PAGE))
    marks = {} if reset else read_watermark(_read(folder / STATE))
    found = ObservationsPage()
    with TapeReader(tape) as reader:
        heads = reader.sessions()
        order = {head.root[:SHORT]: place for place, head in enumerate(heads)}
        due = _due(reader, heads, session, marks, page)
        hashes, alerts = reader.verify_hash(), Counter[str]()
        made_up = _made_up_nodes(tape)
        for short, same_prefix in _by_short(due).items():
            dated: list[tuple[str, str]] = []
            for head in same_prefix:
                read = reader.read_session(head.root)
                entries, more = tuple(read.all_entries()), list(_dated(read, made_up))
                alerts.update(each.kind for each in (*loops(entries), *spikes(entries)))
                started = "" if head.started is None else iso(head.started)
                marks[head.root] = SessionMark(head.head, head.nodes, len(more), started)
                dated += more
            for each in (page, found):
                each.replace(short, dated, order)
    if not dry_run:
        state = {"version": 1, "sessions": {root: asdict(mark) for root, mark in marks.items()}}
        text = json.dumps(state, indent=1, sort_keys=True) + "\n"
        _keep(folder, {PAGE: page.render(), STATE: text})
    incomplete = sum(not head.is_complete for head in due)
    lines = sum(map(len, found.days.values()))
    known = sum(page.count(short) for short in order)
    return ObserveResult(
        sessions=len(due),
        unchanged=len(heads) - len(due),
        incomplete=incomplete,
        lines=lines,
        all_lines=known,
        loops=alerts["loop"],
        spikes=alerts["spike"],
        # Where none is valid, the hashes are of another kind.
        changed=len(hashes.mismatched) if hashes.matching else 0,
        page=found.render(),
    )


def note_run(folder: Path, run: str, observations: Iterable[SessionObservation]) -> None:
    """Replace the lines of a run on the page by `observations` that the run itself made; raises StoreError."""
    page, short = ObservationsPage(_read(folder / PAGE)), run[-SHORT:].lstrip("-")
    dated = [
        (f"{each.at:%Y-%m-%d}" if each.at else UNDATED, each.line(short)) for each in observations
    ]
    page.replace(short, dated, {})
    _keep(folder, {PAGE: page.render()})


def _due(
    reader: TapeReader,
    heads: Iterable[SessionHead],
    name: str | None,
    marks: dict[str, SessionMark],
    page: ObservationsPage,
) -> list[SessionHead]:
    """Return the sessions to observe, with all that share their short name, since lines name only 8 digits."""
    groups = _by_short(heads)
    if name is not None:
        return groups[reader.find_session(name)[:SHORT]]
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
    """Return whether the page holds all lines of these sessions; the page itself may have been lost."""
    known = [mark for head in group if (mark := marks.get(head.root)) and mark.is_current(head)]
    return len(known) == len(group) and page.count(short) == sum(mark.lines for mark in known)


def _made_up_nodes(tape: Path) -> Set[str]:
    """Return the hashes of replies of a stand-in, by the file beside a tape; the tape has the model that was asked."""
    found = set()
    for each in _read(tape.with_name(META)).splitlines():
        if MADE_UP in each:
            with suppress(ValueError, LookupError, TypeError):  # a line that is cut off
                reply = decode(each)
                found |= {str(reply["hash"])} if is_made_up(str(reply["model"])) else set()
    return found


def _dated(session: TapeSession, made_up: Set[str]) -> Iterable[tuple[str, str]]:
    """Yield the observations of a session with their day, marked if a stand-in for a model answered in it."""
    entries = tuple(session.all_entries())
    times = [entry.timestamp for entry in entries if entry.timestamp]
    is_marked = any(each.hash in made_up or is_made_up(each.model) for each in entries)
    for noted in observe_session(session):
        at = noted.at or min(times, default=None)
        line = replace(noted, is_made_up=is_marked).line(session.short)
        yield (f"{at:%Y-%m-%d}" if at else UNDATED), line


def _read(path: Path) -> str:
    try:
        return read_bytes(path, MOST_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}); name another folder for memory."
        raise StoreError(message) from error


def _keep(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the page, then the marks: after a kill between them a session is observed again, with the same lines."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            path = folder / name
            if not path.exists() or _read(path) != text:
                write_file(path, text)
    except OSError as error:
        message = f"{folder} cannot be written ({error.strerror}); name another folder for memory."
        raise StoreError(message) from error


MOST_TOKENS: Final = 32_000
_RANKS: Final = {priority.value: rank for rank, priority in enumerate(Priority)}
_UNKNOWN: Final = _RANKS[Priority.POSSIBLE.value]  # the rank of a line written by hand
_HEADER: Final = len("\n## 2026-03-09\n\n")


def load_page(folder: Path, *, most_tokens: int = MOST_TOKENS) -> str:
    """Return the text of `observations.md`, or '' without one; lines are removed until it fits `most_tokens`.

    Notes of made-up answers are left out: they would mislead a model, and a stand-in does not read. The least important lines go first, the oldest first among equals. A last line states how many are left out. An unreadable
    file counts as missing: the next session must not depend on it.
    """
    try:
        text = _read(folder / PAGE)
    except StoreError:
        return ""
    if MADE_UP_NOTE in text:
        lines = [each for each in text.splitlines() if not _MADE_UP.match(each)]
        text = ObservationsPage("\n".join(lines)).render()
    return text if tokens_of(len(text)) <= most_tokens else _shortened(text, most_tokens)


def _shortened(text: str, most_tokens: int) -> str:
    lines = [(day, line) for day, lines in ObservationsPage(text).days.items() for line in lines]
    kept = _retained(lines, CHARACTERS * most_tokens - len(_omission(len(lines), len(lines))) - 1)
    days: dict[str, list[str]] = {}
    for at in sorted(kept):
        day, line = lines[at]
        days.setdefault(day, [f"## {day}"]).append(line)
    parts = ["\n".join(each) for each in days.values()]
    return "\n\n".join((*parts, _omission(len(lines) - len(kept), len(lines))))


def _retained(lines: list[tuple[str, str]], characters: int) -> set[int]:
    """Return the indexes of the lines that fit, the most important first, then the newest."""
    found = (_LINE.fullmatch(line) for _, line in lines)
    worth = [_RANKS.get(each[1] if each else "", _UNKNOWN) for each in found]
    kept, days = set[int](), set[str]()
    for at in sorted(range(len(lines)), key=lambda at: (worth[at], -at)):
        day, line = lines[at]
        characters -= len(line) + 1 + (0 if day in days else _HEADER)
        if characters < 0:
            break
        kept.add(at)
        days.add(day)
    return kept


def _omission(count: int, of: int) -> str:
    return f"({count} of {of} lines are left out)\n"
