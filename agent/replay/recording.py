"""What is known of a recorded run: its steps, and the moments in it that can be restored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from agent.replay.records import readable
from emulator import Divergence, DivergenceKind, Link, StepRecord, verify_chain
from memory import RunReader


class Mark(NamedTuple):
    """A moment that can be restored: the tick it follows, and its number where states are kept."""

    tick: int
    number: int


@dataclass(frozen=True, slots=True)
class Recording:
    """The live steps of a run, and its checkpoints after power-on, by tick.

    `rows` counts the steps that are kept, be they readable or not; `end` is where the last checkpoint says that
    the recording stands. `state_of` reads what a checkpoint restores.
    """

    records: Sequence[StepRecord]
    rows: int
    end: Link | None
    marks: Sequence[Mark]
    state_of: Callable[[Mark], bytes]

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
    # What is written meanwhile can only make the steps more than these checkpoints tell of.
    states = {each.id: each for each in run.checkpoints()}
    marks = {each.tick: Mark(each.tick, number) for number, each in sorted(states.items())}
    last = max(states, default=None)
    end = None if last is None else Link(states[last].tick, states[last].chain)
    rows = list(run.steps())
    return Recording(
        records=readable(rows),
        rows=len(rows),
        end=end,
        marks=[marks[tick] for tick in sorted(marks) if tick > 0],
        state_of=lambda mark: states[mark.number].state,
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


def _edited(tick: int, detail: str) -> Divergence:
    return Divergence(tick, DivergenceKind.EDITED, detail)
