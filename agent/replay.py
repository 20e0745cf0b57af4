"""Driving a recorded run again; and its steps, from the emulator to the run's store and back."""

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agent.errors import RunError
from emulator import (
    Button,
    Console,
    Divergence,
    DivergenceKind,
    PlayingConsole,
    State,
    Step,
    StepRecord,
    first_divergence,
    read_state,
)
from emulator.recording import canonical
from memory import RunReader, StepRow


class Replay(NamedTuple):
    """How many ticks were recorded, and the first that came out differently, if any did."""

    ticks: int
    divergence: Divergence | None


def replay(run: RunReader, console: Console) -> Replay:
    """Drive the live steps of `run` through a fresh `console`, comparing after every tick.

    The last checkpoint says how far the recording goes at least, so that a cut is noticed as well.
    """
    rows = list(run.steps())
    records = _readable(rows)
    divergence = first_divergence(console, records)
    if divergence is None and len(records) < len(rows):
        divergence = _edited(len(records) + 1, "its record cannot be read as a step")
    return Replay(len(records), divergence or _cut(run, records))


def moments(run: RunReader, console: Console) -> Iterator[tuple[int, State]]:
    """Yield each tick of the live steps of `run` with the state it ended in, from a fresh `console`.

    Raises:
        Divergence: where the console does something else than what was recorded.
    """
    records = _readable(run.steps())
    player = PlayingConsole(console, records)
    for record in records:
        player.perform(record.step)
        yield record.tick, read_state(console.ram(), console.frame)


class Episode(NamedTuple):
    """One time that a run got nowhere: in words, and the steps from power-on to its last tick."""

    says: str
    records: Sequence[StepRecord]


def episode_of(run: RunReader, number: int) -> Episode:
    """Return the `number`th time that a run tells of, from 1 on, be it on a branch that died.

    Raises:
        RunError: when the run tells of fewer.
    """
    told = [event.payload for event in run.events("stuck")]
    if not 0 < number <= len(told):
        message = f"the run got stuck {len(told)} times; --episode takes a number up to that"
        raise RunError(message)
    payload = told[number - 1]
    since, lasted, last = payload["since"], payload["lasted"], payload["last_step"]
    rows = run.steps() if last is None else run.branch(last)
    says = (
        f"episode {number}: {payload['reason']} in {payload['place']}, ticks {since} to {lasted},"
        f" after the checkpoint of tick {payload['checkpoint_tick']}; tried"
        f" {', '.join(payload['tried']) or 'nothing'}; {', '.join(payload['rungs'])};"
        f" {payload['solved_by'] or 'nothing'} helped"
    )
    return Episode(says, _readable(row for row in rows if row.tick <= lasted))


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


def _readable(rows: Iterable[StepRow]) -> list[StepRecord]:
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


def _cut(run: RunReader, records: Sequence[StepRecord]) -> Divergence | None:
    last = run.latest_checkpoint()
    if last is None or last.tick == 0:
        return None
    if len(records) < last.tick:
        return _edited(len(records) + 1, f"the recording ends before its checkpoint {last.tick}")
    if records[last.tick - 1].chain != last.chain:
        return _edited(last.tick, "its chain is not that of the checkpoint made after it")
    return None


def _edited(tick: int, detail: str) -> Divergence:
    return Divergence(tick, DivergenceKind.EDITED, detail)
