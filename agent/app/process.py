"""The process and the machine that play runs on: signals to end, memory, files and disk."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage
from types import FrameType
from typing import Final

import psutil

# The signals by which somebody asks for an end; not every system has them all.
ENDS: Final = frozenset({"SIGINT", "SIGTERM", "SIGHUP"})


@dataclass(slots=True)
class Interrupt:
    """Whether somebody asked for an end."""

    asked: bool = False


@contextmanager
def interrupts() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C, SIGTERM or SIGHUP into a request; the second one ends the process as usual.

    A closed terminal that is ignored stays so, as under nohup.
    """
    interrupt = Interrupt()
    before = {each: signal.getsignal(each) for each in signal.Signals if each.name in ENDS}

    def first(number: int, _frame: FrameType | None) -> None:
        interrupt.asked = True
        signal.signal(number, before[signal.Signals(number)])

    try:
        for each, handler in before.items():
            if each.name != "SIGHUP" or handler is not signal.SIG_IGN:
                signal.signal(each, first)
        yield interrupt
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def resident_of(pid: int | None = None) -> int:
    """Return the bytes of resident memory of a process, by default of this one; 0 when there is none."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def free_bytes(path: Path) -> int:
    """Return how many bytes the disk has left on which `path`, or the nearest folder above it that exists, lies."""
    for folder in (path, *path.absolute().parents):
        if folder.exists():
            return disk_usage(folder).free
    return 0


def file_bytes(*paths: Path) -> int:
    """Return how many bytes these files have, with their companions of SQLite, where they exist."""
    files = (each.with_name(each.name + end) for each in paths for end in ("", "-wal", "-shm"))
    return sum(each.stat().st_size for each in files if each.is_file())


def write_whole(path: Path, text: str) -> None:
    """Write a file in the place of what was there, which stays as it is when writing fails."""
    new = path.with_name(path.name + ".unfinished")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
