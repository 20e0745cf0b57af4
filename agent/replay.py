"""Driving a recorded run again; and its steps, from the emulator to the run's store and back."""

from typing import NamedTuple

from emulator import Button, Console, Divergence, Step, StepRecord, first_divergence
from memory import RunReader, StepRow


class Replay(NamedTuple):
    """How many ticks were recorded, and the first that came out differently, if any did."""

    ticks: int
    divergence: Divergence | None


def replay(run: RunReader, console: Console) -> Replay:
    """Drive the live steps of `run` through a fresh `console`, comparing after every tick."""
    records = [record_of(row) for row in run.steps()]
    return Replay(len(records), first_divergence(console, records))


def record_of(row: StepRow) -> StepRecord:
    """Return a stored step as the emulator knows it."""
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
