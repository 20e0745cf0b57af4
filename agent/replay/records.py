"""Steps of a recording, from the emulator to the run's store and back."""

import struct
from collections.abc import Iterable

from emulator import Button, Step, StepRecord
from emulator.recording import canonical
from memory import StepRow


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
