"""The times that a run got nowhere, as recordings."""

from collections.abc import Sequence
from typing import NamedTuple

from agent.errors import RunError
from agent.replay.records import readable
from emulator import StepRecord
from memory import RunReader


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
    return Episode(says, readable(row for row in rows if row.tick <= lasted))
