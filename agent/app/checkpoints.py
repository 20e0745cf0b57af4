"""What a session commits: steps, the trail, figures of the process, checkpoints, and lessons."""

import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import Enum
from time import perf_counter
from typing import Final

from agent.app.process import file_bytes, free_bytes, resident_of
from agent.events import KINDS, MilestoneEvent
from agent.loop import Loop
from emulator import Button, RecordingConsole, State, Step, StepRecord
from emulator.recording import canonical
from memory import (
    BusyStore,
    Checkpoint,
    KnowledgeStore,
    MemoryFault,
    RunStore,
    StepRow,
    TrailRow,
    VitalsRow,
)
from memory.store.checkpoints import Why

COMMIT_EVERY: Final = 250  # ticks: what a kill can cost of the record beyond the last checkpoint


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


def append(store: RunStore, event: MilestoneEvent) -> None:
    """Keep an event at the next commit."""
    store.append_event(event.tick, KINDS[type(event)], asdict(event))


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


class Commit(Enum):
    """What is committed between two ticks."""

    RECORD = "record"  # all that was played since the last commit
    CHECKPOINT = "checkpoint"  # the game and all attached parts at this moment, with the record
    LESSONS = "lessons"  # what the last checkpoint covers, for runs to come


@dataclass(slots=True)
class CommitSchedule:
    """When to commit what, one thing at a tick, so that play never waits for two of them.

    A checkpoint that is due comes a tick after the record, and its lessons a tick after it. `committed` is the tick of
    the last commit of any kind, `due` why a checkpoint is wanted, `waiting` why one is that found the file held by
    another process; `owes` says that the lessons of the last checkpoint were not handed on yet.
    """

    committed: int
    due: Why | None = None
    waiting: Why | None = None
    owes: bool = False

    def want(self, why: Why) -> None:
        """Have a checkpoint made soon; of several reasons the first is kept, but a milestone goes before all."""
        if self.due is None or why == "milestone":
            self.due = why

    def next(self, tick: int) -> Commit | None:
        """Return what to commit at this tick."""
        if self.due is not None:
            return Commit.RECORD if tick > self.committed + 1 else Commit.CHECKPOINT
        if self.owes:
            return Commit.LESSONS
        return Commit.RECORD if tick >= self.committed + COMMIT_EVERY else None

    def recorded(self, tick: int) -> None:
        """Take note that the record was committed; a checkpoint that had to wait is tried again now."""
        self.committed = tick
        if self.due is None:
            self.due, self.waiting = self.waiting, None

    def saved(self, tick: int) -> None:
        """Take note that a checkpoint was committed."""
        self.committed, self.due, self.waiting, self.owes = tick, None, None, True

    def refused(self, tick: int, why: Why) -> None:
        """Take note that a checkpoint has to wait, since the file is held by another process."""
        self.committed, self.due, self.waiting = tick, None, why


class Checkpoints:
    """Commits what is played on one branch, as its schedule says; `newest` is the tick of the last checkpoint.

    The process began to play `session` when the counter of its clock read `began`.
    """

    def __init__(
        self,
        store: RunStore,
        loop: Loop,
        console: RecordingConsole,
        knowledge: KnowledgeStore,
        session: str,
        began: float,
    ) -> None:
        self.newest = loop.tick
        self.schedule = CommitSchedule(loop.tick)
        self._store = store
        self._loop = loop
        self._console = console
        self._knowledge = knowledge
        self._session = session
        self._began = began
        self._trail = Trail(store.append_trail)

    def after_tick(self, state: State) -> None:
        """Commit what is due. Between two ticks and outside of any hook: a checkpoint that fails must stop play."""
        tick, schedule = self._loop.tick, self.schedule
        self._trail.saw(tick, state)
        commit = schedule.next(tick)
        if commit is Commit.RECORD:
            self._take_vitals()
            self._store.commit_if_free()
            schedule.recorded(tick)
        elif commit is Commit.CHECKPOINT and schedule.due is not None:
            try:
                self.save(schedule.due)
            except BusyStore as fault:
                self._store.faults.note("checkpoint", fault)
                schedule.refused(tick, schedule.due)
        elif commit is Commit.LESSONS:
            self.hand_on()

    def save(self, why: Why) -> None:
        """Commit the game and all attached parts of this moment together."""
        console, link = self._console, self._console.link
        moment = Checkpoint(link.tick, console.frame, console.save(), link.chain, why=why)
        self._take_vitals()
        self._store.commit(checkpoint=moment)
        self.schedule.saved(link.tick)
        self.newest = link.tick

    def hand_on(self) -> None:
        """Hand on to runs to come what the last checkpoint covers, where that was not done.

        It can wait: the outbox keeps it for the next checkpoint, and a fault stops nothing.
        """
        if self.schedule.owes:
            self.schedule.owes = False
            run_id, knowledge = self._store.run_id, self._knowledge
            with self._counting("deliver"):
                knowledge.deliver(run_id, self._store.outbox(after=knowledge.delivered(run_id)))

    def finish(self, why: Why) -> None:
        """Commit the end of a session: a last checkpoint, its lessons, and knowledge put in order."""
        self.save("milestone" if self.schedule.due == "milestone" else why)
        self.hand_on()
        with self._counting("maintain"):
            self._knowledge.maintain()

    @contextmanager
    def _counting(self, name: str) -> Iterator[None]:
        try:
            yield
        except MemoryFault as fault:
            self._loop.hooks.faults.note(name, fault)

    def _take_vitals(self) -> None:
        """Keep how the process does at this tick."""
        file = self._store.database.path
        self._store.append_vitals(
            VitalsRow(
                session=self._session,
                tick=self._loop.tick,
                frame=self._console.frame,
                at_ms=round(datetime.now(UTC).timestamp() * 1_000),
                wall_s=round(perf_counter() - self._began, 3),
                resident=resident_of(),
                file_bytes=file_bytes(file),
                free_bytes=free_bytes(file.parent),
            )
        )
