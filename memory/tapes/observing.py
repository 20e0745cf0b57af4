"""Observes the sessions of a tape into a folder: what was not observed yet, or has grown since."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory.errors import StoreError
from memory.tapes.entries import SHORT
from memory.tapes.observations_md import ObservationsPage
from memory.tapes.observer import observe_session
from memory.tapes.reader import TapeReader
from memory.tapes.watermark import Mark, read_watermark, written_watermark

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memory.tapes.entries import TapeSession
    from memory.tapes.links import SessionHead

PAGE: Final = "observations.md"
STATE: Final = "observer_state.json"
UNDATED: Final = "1970-01-01"  # where a tape has no times at all


@dataclass(frozen=True, slots=True)
class Observing:
    """What to observe and how. `session` is a hash of a root, or 8 or more of its first digits."""

    tape: Path
    folder: Path
    dry_run: bool = False
    reset: bool = False
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """What came of it: how many sessions were observed and how many had been before, and what was found in those observed.

    `page` has their observations only, under days.
    """

    sessions: int
    unchanged: int
    incomplete: int
    lines: int
    page: str


def observe(wanted: Observing) -> Observed:
    """Observe a tape; the lines of a session that has grown take the place of those it had.

    The same tape always comes to the same page, at once or bit by bit. A dry run writes nothing.

    Raises:
        StoreError: when the tape cannot be read, or the folder not written.
        UnknownMemory: when no session, or more than one, is called `session`.
    """
    page = ObservationsPage(_read(wanted.folder / PAGE))
    marks = {} if wanted.reset else read_watermark(_read(wanted.folder / STATE))
    found = ObservationsPage()
    with TapeReader(wanted.tape) as reader:
        heads = reader.sessions()
        order = {head.root[:SHORT]: place for place, head in enumerate(heads)}
        due = _due(reader, heads, wanted.session, marks, page)
        for short, namesakes in _by_short(due).items():
            dated: list[tuple[str, str]] = []
            for head in namesakes:
                more = list(_dated(reader.read_session(head.root)))
                marks[head.root] = Mark.of(head, len(more))
                dated += more
            for each in (page, found):
                each.replace(short, dated, order)
    if not wanted.dry_run:
        _keep(wanted.folder, page, marks)
    incomplete = sum(not head.is_complete for head in due)
    lines = sum(map(len, found.days.values()))
    return Observed(len(due), len(heads) - len(due), incomplete, lines, found.render())


def _due(
    reader: TapeReader,
    heads: Iterable[SessionHead],
    name: str | None,
    marks: dict[str, Mark],
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
    short: str, group: list[SessionHead], marks: dict[str, Mark], page: ObservationsPage
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


def _keep(folder: Path, page: ObservationsPage, marks: dict[str, Mark]) -> None:
    """Write the page, then the marks: killed between the two, a session is observed again, to the same lines."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(folder / PAGE, page.render())
        _replace(folder / STATE, written_watermark(marks))
    except OSError as error:
        message = f"{folder} cannot be written ({error.strerror}); name another folder for memory."
        raise StoreError(message) from error


def _replace(path: Path, text: str) -> None:
    """Write a whole file or none: whoever reads it, or is killed, finds the old one or the new one."""
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
