"""`night.jsonl`: what happened to a night, one object a line, for the morning and for whoever goes on with it."""

import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

NAME: Final = "night.jsonl"
MOST_BYTES: Final = 64_000_000  # beyond which samples are left out; a night of 8 hours writes 1 MB
MOST_WAITING: Final = 2_000  # lines that wait for a folder that cannot be written
ROUTINE: Final = "sample"

Line = Mapping[str, Any]


class Diary:
    """Appends lines, and lets whoever watches hear them. While the folder cannot be written they wait for `settle`."""

    def __init__(
        self,
        folder: Path,
        date: Callable[[], float],
        hears: Callable[[Line], object] = lambda _: None,
    ) -> None:
        self._path = folder / NAME
        self._date = date
        self._hears = hears
        self._waiting: deque[bytes] = deque(maxlen=MOST_WAITING)

    @property
    def is_written(self) -> bool:
        """Whether all that was told is in the file."""
        return not self._waiting

    def tell(self, what: str, **more: object) -> None:
        """Say `what`, which is written now or once it can be."""
        line = {"at": round(self._date(), 3), "what": what, **more}
        if what != ROUTINE or not self._is_full():
            self._waiting.append(json.dumps(line).encode() + b"\n")
        self.settle()
        self._hears(line)

    def settle(self) -> None:
        """Write what waits, as far as that is possible."""
        try:
            while self._waiting:
                _append(self._path, self._waiting[0])
                self._waiting.popleft()
        except OSError:
            return

    def _is_full(self) -> bool:
        try:
            return self._path.stat().st_size > MOST_BYTES
        except OSError:
            return False


def read_diary(folder: Path) -> Iterator[Line]:
    """Yield the lines in their order; what a kill cut off is passed over."""
    try:
        text = (folder / NAME).read_bytes()
    except OSError:
        return
    for each in text.splitlines():
        try:
            line = json.loads(each)
        except ValueError:
            continue
        if isinstance(line, dict) and isinstance(line.get("what"), str):
            yield line


def _append(path: Path, line: bytes) -> None:
    """Append all of `line` or nothing of it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        size = os.lseek(file, 0, os.SEEK_END)
        # A line that a kill or a full disk cut off must not swallow the next one.
        torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
        whole = b"\n" * torn + line
        try:
            if os.write(file, whole) < len(whole):
                raise OSError(28, os.strerror(28))
            os.fsync(file)
        except OSError:
            os.ftruncate(file, size)
            raise
    finally:
        os.close(file)
