"""Time as the night takes it: one reading for durations, another for what people read."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic


def _epoch_s() -> float:
    return datetime.now(UTC).timestamp()


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds from any moment, which never go back, and seconds since 1970, which may jump and decide nothing."""

    elapsed: Callable[[], float] = monotonic
    date: Callable[[], float] = _epoch_s
