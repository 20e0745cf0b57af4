"""Driving a recorded run through a fresh console."""

from collections.abc import Iterator, Sequence

from emulator import Button, Console, Divergence, Step, StepRecord, first_divergence
from memory import RunFolder, StepRow


def records_of(folder: RunFolder) -> list[StepRecord]:
    """Return the steps of the run's live lineage."""
    return [record_of(row) for row in folder.store.steps()]


def replay(records: Sequence[StepRecord], console: Console) -> Divergence | None:
    """Drive `records` through `console`; return the first tick that differs and how, or None."""
    return first_divergence(console, records)


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
