"""What the guards read: clock, disks, memory, log, and the ledger of calls."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.app import file_bytes, free_bytes, resident_of
from agent.overnight.guards import Reading
from agent.overnight.logbook import Logbook
from memory import CallState, StoreError, read_run_store

NANOS: Final = 1_000_000_000  # of a dollar


@dataclass(slots=True)
class Gauge:
    """Reads what a night takes. `night_s` gives its seconds so far; `asks` says whether a model may be asked."""

    run: Path
    memory: Path
    log: Logbook
    night_s: Callable[[], float]
    asks: bool
    calls: int = 0
    usd: float = 0.0

    def read(self, pid: int, frame: int) -> Reading:
        """Return what is taken now."""
        return Reading(
            night_s=self.night_s(),
            frame=frame,
            free_bytes=self.free(),
            resident=resident_of(pid),
            log_bytes=self.log.total,
            calls=self.calls,
            usd=self.usd,
            asks=self.asks,
        )

    def free(self) -> int:
        """Return what is left on the fuller of the two disks."""
        return min(free_bytes(self.run.parent), free_bytes(self.memory))

    def file_bytes(self) -> int:
        """Return the bytes of the run's file."""
        return file_bytes(self.run)

    def count_calls(self) -> None:
        """Look into the ledger; where it cannot be read now, the last look holds."""
        try:
            with closing(read_run_store(self.run)) as store:
                made = [each for each in store.calls() if each.state is not CallState.CANCELLED]
        except StoreError:
            return
        self.calls, self.usd = len(made), sum(each.nanos for each in made) / NANOS
