"""`night.log`: what children say on stderr, in a few files that do not grow."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

NAME: Final = "night.log"
ROTATE_AT: Final = 4_000_000  # bytes
KEPT: Final = 3  # older files
LONGEST: Final = 300  # characters of the line that is kept in mind


class Logbook:
    """Takes bytes as they come. What cannot be written is dropped, and `is_written` says so: a log stops no night.

    `total` counts the bytes that came, `last` is the last whole line of them.
    """

    def __init__(self, folder: Path, total: int = 0, *, rotate_at: int = ROTATE_AT) -> None:
        self.total = total
        self.last = ""
        self.is_written = True
        self._path = folder / NAME
        self._rotate_at = rotate_at
        self._rest = b""

    def write(self, data: bytes) -> None:
        """Append what a child said."""
        self.total += len(data)
        self._rest = self._take_line(self._rest + data)
        self.is_written = _done(lambda: self._append(data))

    def end_line(self) -> None:
        """Take what was said without an end of line for the last line: nothing more comes."""
        self._take_line(self._rest + b"\n")
        self._rest = b""

    def _take_line(self, data: bytes) -> bytes:
        """Remember the last whole line of `data` that says anything, and return what comes after it."""
        *lines, rest = data[-1 << 16 :].split(b"\n")
        for line in lines:
            if words := line.decode("utf-8", "replace").strip():
                self.last = words[:LONGEST]
        return rest

    def _append(self, data: bytes) -> None:
        if self._path.exists() and self._path.stat().st_size + len(data) > self._rotate_at:
            self._rotate()
        with self._path.open("ab") as file:
            file.write(data)

    def _rotate(self) -> None:
        for number in range(KEPT, 0, -1):
            older = self._numbered(number - 1)
            if older.exists():
                older.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{NAME}.{number}") if number else self._path


def _done(write: Callable[[], None]) -> bool:
    try:
        write()
    except OSError:
        return False
    return True
