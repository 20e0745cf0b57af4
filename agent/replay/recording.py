"""What is known of a recorded run: its steps, and the moments in it that can be restored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from agent.errors import RunError
from agent.replay.records import readable
from emulator import Divergence, DivergenceKind, Link, StepRecord, verify_chain
from memory import CheckpointMark, RunReader


@dataclass(frozen=True, slots=True)
class Recording:
    """The live steps of a run, and its checkpoints after power-on, by tick.

    `rows` counts the steps that are kept, be they readable or not; `end` is where the last checkpoint says that
    the recording stands. `state_of` reads what a checkpoint restores.
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
    """Return the first tick at which somebody changed or cut the recording, by its own word alone."""
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
