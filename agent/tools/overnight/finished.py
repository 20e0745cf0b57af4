"""A night on a run that has reached its goal before: there is nothing to do."""

from contextlib import closing
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path

from agent.events import MilestoneEvent, events
from agent.tools.overnight.outcomes import Night, NightEnding
from memory import RunReader, StoreError, read_run_store
from memory.store.run_folder import STORE


def finished_night(folder: Path, goal: str) -> Night | None:
    """Return a night in which nothing is played if the run in `folder` has reached milestone `goal`, else None.

    A file that cannot be read is no finished run: a night examines and repairs it.
    """
    try:
        with closing(read_run_store(folder / STORE)) as run:
            return _night(folder, run, goal)
    except StoreError:
        return None


def _night(folder: Path, run: RunReader, goal: str) -> Night | None:
    reached = {each.id: each.tick for each in events(run, MilestoneEvent)}
    if goal not in reached:
        return None
    rows = run.vitals()
    since = [*takewhile(lambda row: row.tick >= reached[goal], reversed(rows))]
    day = f" on {_local(since[-1].at_ms / 1_000):%d %B %Y}" if since else ""
    return Night(
        run=str(folder),
        verdict=NightEnding.GOAL.value,
        which="",
        why=f"already reached its goal{day}; nothing to do",
        ticks=rows[-1].tick if rows else reached[goal],
        frames=rows[-1].frame if rows else 0,
        milestones=tuple(reached),
        restarts=0,
        faults={},
        night_s=0.0,
    )


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC).astimezone()
