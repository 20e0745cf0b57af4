"""How the process does while it plays, taken at commits: metadata that no decision reads."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from agent.app.machine import file_bytes, free_bytes, resident_of
from memory import VitalsRow


def now_ms() -> int:
    """Return milliseconds since 1970."""
    return round(datetime.now(UTC).timestamp() * 1_000)


@dataclass(frozen=True, slots=True)
class Vitals:
    """Takes the vitals of one session whose run is in `file`; it began when `counter` read `began`."""

    session: str
    file: Path
    began: float
    counter: Callable[[], float] = perf_counter
    clock_ms: Callable[[], int] = now_ms

    def taken(self, tick: int, frame: int) -> VitalsRow:
        """Return how the process does at this tick."""
        return VitalsRow(
            session=self.session,
            tick=tick,
            frame=frame,
            at_ms=self.clock_ms(),
            wall_s=round(self.counter() - self.began, 3),
            resident=resident_of(),
            file_bytes=file_bytes(self.file),
            free_bytes=free_bytes(self.file.parent),
        )
