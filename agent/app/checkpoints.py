"""Commits of a session: steps, the trail, process figures, checkpoints and lessons."""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import Enum
from time import perf_counter
from typing import Any, Final

from agent.app.process import file_bytes, free_bytes, resident_bytes
from agent.events import KINDS, MilestoneEvent
from agent.loop import Loop
from emulator import Button, RecordingConsole, State, Step, StepRecord
from emulator.recording import canonical
from memory import (
    BusyStore,
    Checkpoint,
    Json,
    KnowledgeStore,
    MemoryFault,
    RunStore,
    StepRow,
    TrailRow,
    VitalsRow,
)
from memory.codec import SavedAttributes
from memory.store import CheckpointReason

COMMIT_EVERY: Final = 250  # ticks: the most that a kill can lose of the record
LONGEST_WAIT: Final = 500  # ticks that a checkpoint waits until the player is in control
# The part of a last checkpoint: what the run had contributed to memory.sqlite before.
TAUGHT: Final = "taught"
# That part while play goes on from before: what it teaches first replaces the rest.
AGAIN: Final = "again"
AT_ONCE: Final = frozenset({"start", "back"})  # reasons of checkpoints that do not wait


def record_of(row: StepRow) -> StepRecord:
    """Return the emulator's record of a stored step; raises ValueError when the row is invalid."""
    step = Step(Button(row.button) if row.button is not None else None, row.hold, row.settle)
    return StepRecord(row.tick, step, row.frame, row.digest, row.full_digest, row.chain)


def row_of(record: StepRecord) -> StepRow:
    """Return the stored row of a recorded step."""
    step = record.step
    button = step.button.value if step.button is not None else None
    seen = record.frame, record.digest, record.full_digest, record.chain
    return StepRow(record.tick, button, step.hold, step.settle, *seen)


def readable_records(rows: Iterable[StepRow]) -> list[StepRecord]:
    """Return the records before the first unreadable one."""
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
    """Append an event, which the next commit writes."""
    store.record.add_event(event.tick, KINDS[type(event)], asdict(event))


class Trail:
    """Passes a row to `keep` at each change of place, money, badges or team."""

    def __init__(self, keep: Callable[[TrailRow], object]) -> None:
        self._keep = keep
        self._sources: tuple[object, ...] = ()
        self._last: TrailRow | None = None

    def observe(self, tick: int, state: State) -> None:
        """Update from one state; states before the game starts or during a map change are ignored."""
        where, player, party = state.map, state.player, state.party
        # Runs every tick; the reader returns the same object as long as its bytes are the same.
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
    """A kind of commit between two ticks."""

    RECORD = "record"  # the steps since the last commit
    CHECKPOINT = "checkpoint"  # the record, the game state and all attached parts
    LESSONS = "lessons"  # of the last checkpoint, delivered to memory.sqlite


@dataclass(slots=True)
class CommitSchedule:
    """The schedule of commits: at most one per tick, so that play never waits for two.

    A due checkpoint waits until the player is in control, because play continues from it without the action in
    progress. It follows one tick after the record, and its lessons one tick later. `committed` is the tick of the
    last commit of any kind, `due` the reason of a requested checkpoint, `waiting` the reason of one that another
    process blocked by locking the file; `lessons_due` is true until the lessons of the last checkpoint are delivered.
    """

    committed: int
    due: CheckpointReason | None = None
    waiting: CheckpointReason | None = None
    lessons_due: bool = False
    waited: int = 0  # ticks of the checkpoint that is due

    def request(self, why: CheckpointReason) -> None:
        """Request a checkpoint soon; the first reason stands, but a milestone replaces any other."""
        if self.due is None or why == "milestone":
            self.due = why

    def next(self, tick: int, *, in_control: bool = True) -> Commit | None:
        """Return what to commit at this tick."""
        if self.due is not None:
            if in_control or self.due in AT_ONCE or self.waited >= LONGEST_WAIT:
                return Commit.RECORD if tick > self.committed + 1 else Commit.CHECKPOINT
            self.waited += 1
        if self.lessons_due:
            return Commit.LESSONS
        return Commit.RECORD if tick >= self.committed + COMMIT_EVERY else None

    def recorded(self, tick: int) -> None:
        """Note that the record was committed, and request a waiting checkpoint again."""
        self.committed = tick
        if self.due is None:
            self.due, self.waiting = self.waiting, None

    def saved(self, tick: int) -> None:
        """Note that a checkpoint was committed."""
        self.committed, self.due, self.waiting, self.lessons_due = tick, None, None, True
        self.waited = 0

    def refused(self, tick: int, why: CheckpointReason) -> None:
        """Note that a checkpoint must wait because another process has locked the file."""
        self.committed, self.due, self.waiting, self.waited = tick, None, why, 0


class Checkpoints(SavedAttributes):
    """Commits one branch on schedule; `newest` is the tick of the last checkpoint.

    `began` is the `perf_counter` reading at which this process began `session`. After a checkpoint `is_new_branch_due` is
    true, except at a start: play goes on in parts that are built from it, as after a kill.
    """

    SAVED = ("_action",)  # the last one that began

    def __init__(  # noqa: PLR0913  # the parts that a commit takes from
        self,
        store: RunStore,
        loop: Loop,
        console: RecordingConsole,
        knowledge: KnowledgeStore,
        session: str,
        began: float,
        trail: Trail | None = None,
    ) -> None:
        self.newest = loop.tick
        self.is_new_branch_due = False
        # A process that was killed may not have delivered the lessons of its last checkpoint.
        self.schedule = CommitSchedule(loop.tick, lessons_due=True)
        self._store = store
        self._loop = loop
        self._console = console
        self._knowledge = knowledge
        self._session = session
        self._began = began
        self.wall_s = 0.0  # of this session at the last measurement
        self._action = ""
        self.again: Any = store.checkpoints.part(AGAIN)
        store.attach("checkpoints", self)
        self.trail = trail or Trail(store.record.add_trail)

    def after_tick(self, state: State) -> None:
        """Commit what is due; it runs between ticks and outside hooks, because a failed checkpoint must stop play."""
        tick, schedule = self._loop.tick, self.schedule
        self.trail.observe(tick, state)
        commit = schedule.next(tick, in_control=state.in_control)
        if commit is Commit.RECORD:
            self._append_vitals()
            self._store.commit_if_free()
            schedule.recorded(tick)
        elif commit is Commit.CHECKPOINT and schedule.due is not None:
            try:
                self.save(schedule.due)
            except BusyStore as fault:
                self._store.faults.note("checkpoint", fault)
                schedule.refused(tick, schedule.due)
        elif commit is Commit.LESSONS:
            self.deliver_lessons()

    def saw_action(self, name: str, *, is_battle: bool) -> None:
        """Request a checkpoint when the action of an important battle begins, once until another begins."""
        if name != self._action:
            self._action = name
            if is_battle:
                self.schedule.request("battle")

    def save(self, why: CheckpointReason, more: Mapping[str, Json] | None = None) -> None:
        """Commit the current game state and all attached parts together, with `more` as further parts."""
        console, link = self._console, self._console.link
        moment = Checkpoint(link.tick, console.frame, console.save(), link.chain, why=why)
        self._append_vitals()
        again = {AGAIN: self.again} if self.again else {}
        self._store.commit(checkpoint=moment, more={**(more or {}), **again})
        self.schedule.saved(link.tick)
        self.newest = link.tick
        self.is_new_branch_due = why != "start"  # whose parts have just been built

    def deliver_lessons(self) -> None:
        """Deliver the lessons of the last checkpoint to memory.sqlite, if that is still to be done.

        A fault is counted and does not stop play: the outbox retains the lessons for the next checkpoint.
        """
        if self.schedule.lessons_due:
            self.schedule.lessons_due = False
            run_id, knowledge = self._store.run_id, self._knowledge
            with self._counting_faults("deliver"):
                if knowledge.deliver_from(run_id, self._store.outbox, instead_of=self.again):
                    self.again = None

    def pause(self) -> None:
        """Commit the record so far, and the moment; the lessons since the last checkpoint wait until play goes on."""
        self.deliver_lessons()
        self.save("end")

    def finish(self, why: CheckpointReason) -> None:
        """Commit the end of a session: a last checkpoint, its lessons, and maintenance of memory.sqlite."""
        self.deliver_lessons()
        more: dict[str, Json] = {}
        with self._counting_faults(TAUGHT):
            more[TAUGHT] = self.again or self._knowledge.contributed_by(self._store.run_id)
        # Without that part, play that went on from before the end would teach it twice.
        self.save(why if more else "last", more)
        self.deliver_lessons()
        with self._counting_faults("maintain"):
            self._knowledge.maintain()

    @contextmanager
    def _counting_faults(self, name: str) -> Iterator[None]:
        try:
            yield
        except MemoryFault as fault:
            self._loop.hooks.faults.note(name, fault)

    def _append_vitals(self) -> None:
        """Append the process figures of this tick."""
        file = self._store.database.path
        self.wall_s = round(perf_counter() - self._began, 3)
        self._store.record.add_vitals(
            VitalsRow(
                session=self._session,
                tick=self._loop.tick,
                frame=self._console.frame,
                at_ms=round(datetime.now(UTC).timestamp() * 1_000),
                wall_s=self.wall_s,
                resident=resident_bytes(),
                file_bytes=file_bytes(file),
                free_bytes=free_bytes(file.parent),
            )
        )
