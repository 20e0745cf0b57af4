"""A recorded run: its steps and checkpoints, driving a console through it, and pictures of any moment of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

from agent.app.checkpoints import readable
from agent.errors import RunError, UsageError
from agent.events import StuckEvent, events
from emulator import (
    FRAMES_PER_SECOND,
    Console,
    Divergence,
    DivergenceKind,
    Link,
    PlayingConsole,
    PyBoyConsole,
    Screen,
    State,
    StateError,
    StepRecord,
    mismatch,
    read_state,
    verify_chain,
)
from memory import CheckpointMark, CorruptStore, RunReader
from memory.errors import MissingCheckpoint


@dataclass(frozen=True, slots=True)
class Recording:
    """The live steps of a run, and its checkpoints after power-on, by tick.

    `rows` counts the steps that are kept, readable or not; `end` is where the recording stands by its last
    checkpoint. `state_of` reads what a checkpoint restores.
    """

    records: Sequence[StepRecord]
    rows: int
    end: Link | None
    marks: Sequence[CheckpointMark]
    state_of: Callable[[CheckpointMark], bytes]

    @property
    def moments(self) -> int:
        """How many moments can be restored; power-on is one."""
        return 1 + len(self.marks)

    def before(self, tick: int) -> Self:
        """Return what was recorded before a tick."""
        records = [each for each in self.records if each.tick < tick]
        marks = [each for each in self.marks if each.tick < tick]
        return replace(self, records=records, rows=len(records), end=None, marks=marks)


def recording_of(run: RunReader) -> Recording:
    """Return what was committed of a run, also while it is being played."""
    # In this order: what is written meanwhile makes the steps more than the checkpoints tell of, never fewer.
    marks = {each.tick: each for each in run.marks()}
    last = run.latest_checkpoint()
    rows = list(run.steps())
    return Recording(
        records=readable(rows),
        rows=len(rows),
        end=None if last is None else Link(last.tick, last.chain),
        marks=[marks[tick] for tick in sorted(marks) if tick > 0],
        state_of=lambda mark: run.checkpoint(mark.id).state,
    )


def find_edit(recording: Recording, cartridge_sha1: str) -> Divergence | None:
    """Return the first tick at which the recording was changed or cut, by its own word alone."""
    records, end = recording.records, recording.end
    broken = verify_chain(records, cartridge_sha1)
    if broken is not None:
        return _edited(broken, "its link to the record before is broken")
    if len(records) < recording.rows:
        return _edited(len(records) + 1, "its record cannot be read as a step")
    if end is None or end.tick == 0:
        return None
    if len(records) < end.tick:
        return _edited(len(records) + 1, f"the recording ends before its checkpoint {end.tick}")
    if records[end.tick - 1].chain != end.chain:
        return _edited(end.tick, "its chain is not that of the checkpoint made after it")
    return None


def require_sound(path: Path, recording: Recording, cartridge_sha1: str) -> None:
    """Raise RunError when what was recorded in `path` was changed or cut since."""
    edited = find_edit(recording, cartridge_sha1)
    if edited is not None:
        message = f"{path} was changed since it was recorded: {edited}; put back a copy of it"
        raise RunError(message)


def _edited(tick: int, detail: str) -> Divergence:
    return Divergence(tick, DivergenceKind.EDITED, detail)


def bring(console: Console, recording: Recording, latest: int) -> tuple[int, list[str]]:
    """Bring a fresh console to the last checkpoint up to tick `latest` that can be restored; power-on always can.

    Return its tick, and what to say of checkpoints that were skipped on the way there.
    """
    notes: list[str] = []
    for mark in reversed(recording.marks):
        if mark.tick <= latest:
            refused = restore(console, recording, mark)
            if not refused:
                return mark.tick, notes
            notes.append(refused)
    return 0, notes


def restore(console: Console, recording: Recording, mark: CheckpointMark) -> str:
    """Bring a console to a checkpoint and return '', or what to say where that cannot be loaded."""
    try:
        console.load(recording.state_of(mark))
    except (StateError, CorruptStore, MissingCheckpoint) as error:
        return f"the checkpoint of tick {mark.tick} is passed over: {error}"
    return ""


class Replay(NamedTuple):
    """How many ticks were recorded, and the first that came out differently, if any did."""

    ticks: int
    divergence: Divergence | None


def drive(recording: Recording, console: Console) -> Replay:
    """Drive a recording through a fresh `console`, comparing after every tick.

    The machine is driven without regard to what was edited, so neither witness can hide the other; the last
    checkpoint says how far the recording goes at least, so that a cut is noticed as well.
    """
    edited = find_edit(recording, console.cartridge.sha1)
    for record in recording.records:
        if edited is not None and edited.tick <= record.tick:
            break
        console.perform(record.step)
        found = mismatch(console, record)
        if found is not None:
            return Replay(len(recording.records), found)
    return Replay(len(recording.records), edited)


def moments(run: RunReader, console: Console) -> Iterator[tuple[int, State]]:
    """Yield each tick of the live steps of `run` with the state it ended in, from a fresh `console`.

    Raises Divergence where the console does something else than what was recorded.
    """
    records = readable(run.steps())
    player = PlayingConsole(console, records)
    for record in records:
        player.perform(record.step)
        yield record.tick, read_state(console.ram(), console.frame)


def follow(console: Console, records: Sequence[StepRecord], *, draws: bool = False) -> None:
    """Drive steps, and with `draws` the picture at the end; raises the Divergence where the game is not as recorded."""
    for number, each in enumerate(records, start=1):
        console.perform(each.step, render=draws and number == len(records))
        _require_same(console, each)


def _require_same(console: Console, record: StepRecord) -> None:
    differs = mismatch(console, record)
    if differs is not None:
        raise differs


class RecordedEpisode(NamedTuple):
    """A stuck episode of a run: as an event, in words, and the steps from power-on to its last tick."""

    stuck: StuckEvent
    says: str
    records: Sequence[StepRecord]


def episode_of(run: RunReader, number: int) -> RecordedEpisode:
    """Return the `number`th stuck episode of a run, from 1 on, also on a branch that died.

    Raises RunError when the run has fewer.
    """
    told = list(events(run, StuckEvent))
    if not 0 < number <= len(told):
        message = f"the run got stuck {len(told)} times; --episode takes a number up to that"
        raise RunError(message)
    stuck = told[number - 1]
    rows = run.steps() if stuck.last_step is None else run.branch(stuck.last_step)
    says = (
        f"episode {number}: {stuck.reason} in {stuck.place}, ticks {stuck.since} to {stuck.lasted},"
        f" after the checkpoint of tick {stuck.checkpoint_tick}; tried"
        f" {', '.join(stuck.tried) or 'nothing'}; {', '.join(stuck.rungs)};"
        f" {stuck.solved_by or 'nothing'} helped"
    )
    return RecordedEpisode(stuck, says, readable(row for row in rows if row.tick <= stuck.lasted))


class TickRange(NamedTuple):
    """From the beginning of tick `first` to the end of tick `last`."""

    first: int
    last: int


class Picture(NamedTuple):
    """What the screen showed, and for how many frames."""

    screen: Screen
    frames: int


def frames_of(recording: Recording, stretch: TickRange) -> int:
    """Return how many frames a stretch lasts. Raises UsageError when the recording has no such ticks."""
    first, last = stretch
    if not 1 <= first <= last <= len(recording.records):
        ticks = f"tick {first} is" if first == last else f"ticks {first} to {last} are"
        message = f"{ticks} not in the recording, which has 1 to {len(recording.records)}"
        raise UsageError(message)
    return sum(each.step.frames for each in recording.records[first - 1 : last])


def seconds(frames: int) -> float:
    """Return game time."""
    return frames / FRAMES_PER_SECOND


def film(
    console: PyBoyConsole, recording: Recording, stretch: TickRange, *, at: int, every: int
) -> Iterator[Picture]:
    """Yield the pictures of a stretch, looking each `every` frames, from a console at the end of tick `at`.

    What does not change meanwhile is one picture. Raises Divergence where the game is not as it was recorded.
    """
    first, last = stretch
    follow(console, recording.records[at : first - 1], draws=True)
    shown, since = None, console.frame
    for record in recording.records[first - 1 : last]:
        for screen in console.film(record.step, every):
            if shown is not None and screen != shown:
                yield Picture(shown, console.frame - since)
                since = console.frame
            shown = screen
        _require_same(console, record)
    if shown is not None:
        yield Picture(shown, console.frame - since)
