"""A wall clock that jumps: what the whole process takes for the date is so many seconds off, by a file."""

import datetime
import os
import time
from pathlib import Path
from typing import Final

OFFSET: Final = "NIGHTS_CLOCK"  # names the file with the seconds

_true_time = time.time


class Jumping(datetime.datetime):
    """A date whose now is off; of everything else it is the ordinary one."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "Jumping":
        """Return the date that the clock shows."""
        return cls.fromtimestamp(shown(), tz)


def shown() -> float:
    """Return the seconds since 1970 that the clock shows."""
    return _true_time() + float(Path(os.environ[OFFSET]).read_text(encoding="ascii") or 0)


def use() -> None:
    """Have all that is imported from now on ask this clock; what measures durations is not touched."""
    time.time = shown
    setattr(datetime, "datetime", Jumping)  # noqa: B010  # the type checker knows the real one
