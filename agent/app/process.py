"""The process and its machine: signals that end it, memory, files and disk space."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage
from types import FrameType
from typing import Final

import psutil

# The signals that request an end; not every system has all of them.
ENDS: Final = frozenset({"SIGINT", "SIGTERM", "SIGHUP"})


@dataclass(slots=True)
class Interrupt:
    """A flag: whether a signal has requested the end.

    With `is_final` play ends with a checkpoint, to be continued from there; otherwise it continues as if nothing had
    happened.
    """

    asked: bool = False
    is_final: bool = False


@contextmanager
def interrupts() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C, SIGTERM or SIGHUP into a request; a second one ends the process as usual.

    An ignored SIGHUP stays ignored, as under nohup.
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


def resident_bytes(pid: int | None = None) -> int:
    """Return the resident memory of a process in bytes, by default of this one; 0 if it does not exist."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def free_bytes(path: Path) -> int:
    """Return the free bytes on the disk of `path` or of its nearest existing parent folder."""
    for folder in (path, *path.absolute().parents):
        if folder.exists():
            return disk_usage(folder).free
    return 0


def file_bytes(*paths: Path) -> int:
    """Return the total size in bytes of the existing files, including SQLite's -wal and -shm files."""
    files = (each.with_name(each.name + end) for each in paths for end in ("", "-wal", "-shm"))
    return sum(each.stat().st_size for each in files if each.is_file())
