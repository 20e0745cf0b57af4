"""What a session commits: steps, the trail, figures of the process, checkpoints of game and mind, and lessons."""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from agent.app.process import file_bytes, free_bytes, resident_of
from agent.errors import RunError
from emulator import Button, State, Step, StepRecord
from emulator.recording import canonical
from memory import (
    Checkpoint,
    Hooks,
    KnowledgeStore,
    MemoryFault,
    RunStore,
    StepRow,
    TrailRow,
    VitalsRow,
)


def record_of(row: StepRow) -> StepRecord:
    """Return a stored step as the emulator knows it; raises ValueError when it is none."""
    button = Button(row.button) if row.button is not None else None
    return StepRecord(
        tick=row.tick,
        step=Step(button, row.hold, row.settle),
        frame=row.frame,
        digest=row.digest,
        full_digest=row.full_digest,
        chain=row.chain,
    )


def row_of(record: StepRecord) -> StepRow:
    """Return a recorded step as the run's store keeps it."""
    step = record.step
    return StepRow(
        tick=record.tick,
        button=step.button.value if step.button is not None else None,
        hold=step.hold,
        settle=step.settle,
        frame=record.frame,
        digest=record.digest,
        full_digest=record.full_digest,
        chain=record.chain,
    )


def readable(rows: Iterable[StepRow]) -> list[StepRecord]:
    """Return the records up to the first that somebody made unreadable."""
    records = []
    for row in rows:
        try:
            record = record_of(row)
            canonical(record)
        except (ValueError, TypeError, struct.error):
            break
        records.append(record)
    return records


class Trail:
    """Tells `keep` of each change of place, money, badges and team."""

    def __init__(self, keep: Callable[[TrailRow], object]) -> None:
        self._keep = keep
        self._sources: tuple[object, ...] = ()
        self._last: TrailRow | None = None

    def saw(self, tick: int, state: State) -> None:
        """Take note of one moment; those before the game and between two are passed over."""
        where, player, party = state.map, state.player, state.party
        # This is asked every tick, and what was decoded of the same bytes is the same object.
        sources = (where.map_id, where.x, where.y, player.money, player.badges, id(party))
        if sources == self._sources or not state.control.trusted or not state.game_started:
            return
        self._sources = sources
        row = TrailRow(
            tick,
            state.frame,
            where.map_id,
            where.x,
            where.y,
            player.money,
            player.badge_count,
            tuple((mon.species, mon.level, mon.hp, mon.stats.hp) for mon in party.mons),
        )
        if self._last is None or row[2:] != self._last[2:]:
            self._last = row
            self._keep(row)


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


class Delivery:
    """Hands lessons on from a run's outbox. A fault is counted with those of the hooks, and stops nothing."""

    def __init__(self, run: RunStore, knowledge: KnowledgeStore, hooks: Hooks) -> None:
        self._run = run
        self._knowledge = knowledge
        self._hooks = hooks

    def hand_on(self) -> None:
        """Deliver what the last checkpoint covers and was not delivered yet."""
        run_id = self._run.run_id
        with self._counting("deliver"):
            after = self._knowledge.delivered(run_id)
            self._knowledge.deliver(run_id, self._run.outbox(after=after))

    def tidy(self) -> None:
        """Merge, prune and index what outlives runs."""
        with self._counting("maintain"):
            self._knowledge.maintain()

    @contextmanager
    def _counting(self, name: str) -> Iterator[None]:
        try:
            yield
        except MemoryFault as fault:
            self._hooks.faults.note(name, fault)


@contextmanager
def mind_of(checkpoint: Checkpoint) -> Iterator[Mapping[str, Any]]:
    """Lend what `checkpoint` keeps of the mind; raise RunError where it cannot be taken over."""
    try:
        yield cast("Mapping[str, Any]", checkpoint.mind)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        message = (
            f"the checkpoint of tick {checkpoint.tick} keeps no mind that this version understands"
            f" ({type(error).__name__}: {error}); go on with the version that wrote it, or start anew"
        )
        raise RunError(message) from error
