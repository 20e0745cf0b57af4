"""The logs of a night: events in `night.jsonl`, one JSON object per line, and the stderr of children in `night.log`.

A supervisor that resumes a night reads its progress from `night.jsonl`.
"""

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from memory.codec import decode
from memory.file_access import append, read_bytes

EVENTS_FILE: Final = "night.jsonl"
MOST_BYTES: Final = 64_000_000  # from here on samples are left out; a night of 8 hours writes 1 MB
MOST_READ: Final = 2 * MOST_BYTES  # bytes; other events than samples hardly add to a full journal
MOST_WAITING: Final = 2_000  # lines that wait while the folder cannot be written
ROUTINE: Final = "sample"

Line = Mapping[str, Any]


@dataclass
class NightJournal:
    """Appends lines, and passes each to `listener`. While the folder cannot be written, they wait for `flush`."""

    folder: Path
    date: Callable[[], float]
    listener: Callable[[Line], object] = lambda _: None
    _waiting: deque[bytes] = field(default_factory=lambda: deque(maxlen=MOST_WAITING))

    def append(self, what: str, **more: object) -> None:
        """Append an event of kind `what` now, or as soon as the folder can be written."""
        line = {"at": round(self.date(), 3), "what": what, **more}
        if what != ROUTINE or not self._is_full():
            self._waiting.append(json.dumps(line).encode() + b"\n")
        self.flush()
        self.listener(line)

    def flush(self) -> None:
        """Write the waiting lines, as far as possible."""
        with suppress(OSError):
            while self._waiting:
                append(self.folder / EVENTS_FILE, self._waiting[0], starts_line=True)
                self._waiting.popleft()

    def _is_full(self) -> bool:
        try:
            return (self.folder / EVENTS_FILE).stat().st_size > MOST_BYTES
        except OSError:
            return False


def read_journal(folder: Path) -> list[Line]:
    """Return the readable lines in order, without a line that a kill cut off."""
    return [line for line in journal_lines(folder) if line is not None]


def journal_lines(folder: Path) -> list[Line | None]:
    """Return the lines in order, None for each unreadable one."""
    try:
        lines = read_bytes(folder / EVENTS_FILE, MOST_READ).splitlines()
    except OSError:
        return []
    return [_parsed(each) for each in lines if each.strip()]


def _parsed(text: bytes) -> Line | None:
    try:
        line = decode(text.decode())
    except ValueError:
        return None
    return line if isinstance(line, dict) and isinstance(line.get("what"), str) else None


def restarts_of(lines: Iterable[Line]) -> int:
    """Return how often a child followed another one; the first one of each command is no restart."""
    found = last = 0  # the number of the last child of the command
    for line in lines:
        number = line.get("n")
        if line["what"] == "began":
            last = 0
        elif isinstance(number, int) and number > last:
            found, last = found + (number - last if last else 0), number
    return found


@dataclass(slots=True)
class NightProgress:
    """The progress of a night: seconds of wall time, bytes logged, children started, milestones and faults.

    `restarts` are those before this process.
    """

    night_s: float = 0.0
    log_bytes: int = 0
    children: int = 0
    restarts: int = 0
    is_resumed: bool = False  # begun before, and without a verdict
    by_rules: bool = False
    milestones: dict[str, None] = field(default_factory=dict)  # in order
    faults: Counter[str] = field(default_factory=Counter)


def progress_of(lines: Iterable[Line]) -> NightProgress:
    """Return the progress of the night in a journal; after a verdict, unless interrupted, a new night begins."""
    night, of_night = NightProgress(), list[Line]()
    for line in lines:
        if line["what"] == "verdict" and line.get("verdict") != "interrupted":
            night, of_night = NightProgress(milestones=night.milestones), []
            continue
        of_night.append(line)
        night.night_s = float(line.get("night_s", night.night_s))
        night.log_bytes = int(line.get("log_bytes", night.log_bytes))
        match line["what"]:
            case "began":
                night.is_resumed = True
            case "ended":
                night.children = int(line.get("n", night.children))
            case "rules":
                night.by_rules = True
            case "milestone":
                night.milestones[str(line.get("id"))] = None
            case "fault":
                night.faults[str(line.get("kind"))] += 1
            case _:
                pass
    night.restarts = restarts_of(of_night)
    return night


def orphan_of(lines: Iterable[Line]) -> int:
    """Return the process id of the last child if no supervisor saw its end, else 0."""
    last = 0
    for line in lines:
        if line["what"] == "child":
            pid = line.get("pid")
            last = pid if isinstance(pid, int) and pid > 0 else 0
        elif line["what"] in {"ended", "verdict"}:
            last = 0
    return last


def shortened(words: str, most: int) -> str:
    """Return a text of at most `most` characters, whose end is an ellipsis if it was cut."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


STDERR_FILE: Final = "night.log"
ROTATE_AT: Final = 4_000_000  # bytes
OLDER_FILES: Final = 3
LONGEST: Final = 300  # characters of `last`


@dataclass
class ChildLog:
    """A rotating log of bytes. Bytes that cannot be written are dropped, so that a log never stops a night.

    `total` counts all bytes, `last` is the last complete line.
    """

    folder: Path
    total: int = 0
    last: str = ""
    rotate_at: int = field(default=ROTATE_AT, kw_only=True)
    _rest: bytes = b""

    def write(self, data: bytes) -> None:
        """Append output of a child."""
        self.total += len(data)
        self._rest = self._take_line(self._rest + data)
        with suppress(OSError):
            self._append(data)

    def end_line(self) -> None:
        """Take an unfinished line as the last line, because no more output follows."""
        self._take_line(self._rest + b"\n")
        self._rest = b""

    def _take_line(self, data: bytes) -> bytes:
        """Store the last complete line of `data` that is not blank, and return the bytes after it."""
        *lines, rest = data[-1 << 16 :].split(b"\n")
        for line in lines:
            if words := line.decode("utf-8", "replace").strip():
                self.last = shortened(words, LONGEST)
        return rest

    def _append(self, data: bytes) -> None:
        files = [self.folder / STDERR_FILE]
        files += [self.folder / f"{STDERR_FILE}.{number}" for number in range(1, OLDER_FILES + 1)]
        if files[0].exists() and files[0].stat().st_size + len(data) > self.rotate_at:
            for newer, older in reversed(list(pairwise(files))):
                if newer.exists():
                    newer.replace(older)
        append(files[0], data)
