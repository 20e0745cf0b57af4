"""A recorded run: its steps and checkpoints, its replay on a console, and pictures of any tick."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

from agent.app.checkpoints import readable_records
from agent.errors import RunError, UsageError
from agent.events import StuckEvent, events
from agent.tools.progress import Bar, no_bar, tracked
from agent.tools.report.words import times
from emulator import (
    Console,
    Divergence,
    DivergenceKind,
    Link,
    PyBoyConsole,
    Screen,
    StateError,
    StepRecord,
    first_divergence,
    mismatch,
    verify_chain,
)
from memory import CheckpointInfo, CorruptStore, RunReader
from memory.errors import MissingCheckpoint


@dataclass(frozen=True, slots=True)
class Recording:
    """The live steps of a run, and its checkpoints after power-on, sorted by tick.

    `rows` counts the stored steps, readable or not. `end` is the tick and chain of the last checkpoint. `state_of`
    reads the machine state of a checkpoint.
    """

    records: Sequence[StepRecord]
    rows: int
    end: Link | None
    marks: Sequence[CheckpointInfo]
    state_of: Callable[[CheckpointInfo], bytes]

    def before(self, tick: int) -> Self:
        """Return the part of the recording before a tick."""
        records = [each for each in self.records if each.tick < tick]
        marks = [each for each in self.marks if each.tick < tick]
        return replace(self, records=records, rows=len(records), end=None, marks=marks)


def recording_of(run: RunReader) -> Recording:
    """Return the committed part of a run, which may still be playing."""
    # In this order: rows written meanwhile can only add steps after the last checkpoint, never remove any.
    marks = {each.tick: each for each in run.checkpoints.marks()}
    last = run.checkpoints.latest()
    rows = list(run.record.steps())
    return Recording(
        records=readable_records(rows),
        rows=len(rows),
        end=None if last is None else Link(last.tick, last.chain),
        marks=[marks[tick] for tick in sorted(marks) if tick > 0],
        state_of=lambda mark: run.checkpoints.numbered(mark.id).state,
    )


def find_edit(recording: Recording, cartridge_sha1: str) -> Divergence | None:
    """Return the first tick at which the recording was changed or cut, found without a replay."""
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


def require_intact(path: Path, recording: Recording, cartridge_sha1: str) -> None:
    """Raise RunError when the recording in `path` was changed or cut after it was made."""
    edited = find_edit(recording, cartridge_sha1)
    if edited is not None:
        message = f"{path} was changed since it was recorded: {edited}; restore a backup of it"
        raise RunError(message)


def _edited(tick: int, detail: str) -> Divergence:
    return Divergence(tick, DivergenceKind.EDITED, detail)


def restore_latest(console: Console, recording: Recording, latest: int) -> tuple[int, list[str]]:
    """Restore the last usable checkpoint up to tick `latest` on a new console; power-on is always usable.

    Return its tick, and a note for each checkpoint that was skipped.
    """
    notes: list[str] = []
    for mark in reversed(recording.marks):
        if mark.tick <= latest:
            refused = restore(console, recording, mark)
            if not refused:
                return mark.tick, notes
            notes.append(refused)
    return 0, notes


def restore(console: Console, recording: Recording, mark: CheckpointInfo) -> str:
    """Restore a checkpoint on a console and return '', or a note when it cannot be loaded."""
    try:
        console.load(recording.state_of(mark))
    except (StateError, CorruptStore, MissingCheckpoint) as error:
        return f"the checkpoint of tick {mark.tick} is skipped: {error}"
    return ""


class Replay(NamedTuple):
    """The number of recorded ticks, the first divergence, if there is any, and the last digest of the chain in hexadecimal."""

    ticks: int
    divergence: Divergence | None
    digest: str


def drive(recording: Recording, console: Console, bar: Bar = no_bar) -> Replay:
    """Replay a recording on a new `console`, comparing after every tick.

    The replay and the check for edits are independent, so neither can hide an error of the other. The last checkpoint
    gives the minimum length of the recording, so that a cut is noticed as well.
    """
    edited = find_edit(recording, console.cartridge.sha1)
    intact = recording if edited is None else recording.before(edited.tick)
    found = first_divergence(console, tracked(intact.records, bar))
    digest = recording.records[-1].chain.hex() if recording.records else ""
    return Replay(len(recording.records), found or edited, digest)


def replay_steps(
    console: Console, records: Sequence[StepRecord], *, draws: bool = False, bar: Bar = no_bar
) -> None:
    """Replay steps, with `draws` drawing the last picture; raises Divergence where the game differs from the recording."""
    for number, each in enumerate(tracked(records, bar), start=1):
        console.perform(each.step, render=draws and number == len(records))
        _require_same(console, each)


def _require_same(console: Console, record: StepRecord) -> None:
    divergence = mismatch(console, record)
    if divergence is not None:
        raise divergence


class RecordedEpisode(NamedTuple):
    """A stuck episode of a run: its event, its description, and the steps from power-on to its last tick."""

    stuck: StuckEvent
    description: str
    records: Sequence[StepRecord]


def episode_of(run: RunReader, number: int) -> RecordedEpisode:
    """Return the `number`th stuck episode of a run, counted from 1, including abandoned branches.

    Raises RunError when the run has fewer.
    """
    episodes = list(events(run, StuckEvent))
    if not episodes:
        raise RunError("the run never got stuck, so there is no episode; leave out --episode")
    if not 0 < number <= len(episodes):
        stuck_times, most = times(len(episodes)), len(episodes)
        message = f"the run got stuck {stuck_times}; --episode takes a number from 1 to {most}"
        raise RunError(message)
    stuck = episodes[number - 1]
    rows = run.record.steps() if stuck.last_step is None else run.record.branch(stuck.last_step)
    description = (
        f"episode {number}: {stuck.reason} in {stuck.place}, ticks {stuck.since} to {stuck.lasted},"
        f" after the checkpoint of tick {stuck.checkpoint_tick}; tried"
        f" {', '.join(stuck.tried) or 'nothing'}; {', '.join(stuck.recovery_steps)};"
        f" {stuck.solved_by or 'nothing'} helped"
    )
    return RecordedEpisode(
        stuck, description, readable_records(row for row in rows if row.tick <= stuck.lasted)
    )


class TickRange(NamedTuple):
    """A range of ticks, from the beginning of `first` to the end of `last`."""

    first: int
    last: int


class Picture(NamedTuple):
    """A screen, and the number of frames for which it was shown."""

    screen: Screen
    frames: int


def frames_of(recording: Recording, tick_range: TickRange) -> int:
    """Return the length of a tick range in frames. Raises UsageError when the recording lacks these ticks."""
    first, last = tick_range
    if not 1 <= first <= last <= len(recording.records):
        ticks = f"tick {first} is" if first == last else f"ticks {first} to {last} are"
        raise UsageError(f"{ticks} not in the recording, which has 1 to {len(recording.records)}")
    return sum(each.step.frames for each in recording.records[first - 1 : last])


def film(
    console: PyBoyConsole,
    recording: Recording,
    tick_range: TickRange,
    *,
    at: int,
    every: int,
    bar: Bar = no_bar,
) -> Iterator[Picture]:
    """Yield the pictures of a tick range, sampled each `every` frames, from a console at the end of tick `at`.

    Equal screens in a row are one picture. Raises Divergence where the game differs from the recording.
    """
    first, last = tick_range
    done = bar("tick", last - at)
    replay_steps(console, recording.records[at : first - 1], draws=True, bar=lambda *_: done)
    shown, since = None, console.frame
    for record in recording.records[first - 1 : last]:
        for screen in console.film(record.step, every):
            if shown is not None and screen != shown:
                yield Picture(shown, console.frame - since)
                since = console.frame
            shown = screen
        _require_same(console, record)
        done(1)
    if shown is not None:
        yield Picture(shown, console.frame - since)
