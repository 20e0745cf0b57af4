"""What must be true of a game when it is over, read from its files without the program that wrote them."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from kills.found import FoundRun, complaints_of, copied, found_run
from kills.knowing import uneven
from kills.lineage import seams
from kills.words import spelled

from emulator import Cartridge
from nightly.taught import Taught
from nightly.witness import witnessed

MILESTONE: Final = "milestone"
BATTLE: Final = "battle"
LOCATION: Final = "location"


class Files(NamedTuple):
    """Where a game's files are, and a folder for copies to look at."""

    run: Path
    memory: Path
    scratch: Path


def run_problems(
    files: Files, cartridge: Cartridge, story: Sequence[str], goal: str | None
) -> Iterator[str]:
    """Yield what is wrong with the record of a run; it must have reached the milestones of `story` up to `goal`."""
    found = found_run(copied(files.run / "run.sqlite", files.scratch))
    if found is None:
        yield "run: there is none in its file"
        return
    yield from seams(found, cartridge.sha1)
    yield from _twice(found)
    yield from _dead(files.scratch / "run.sqlite")
    reached = [payload["id"] for _, kind, payload in found.live_events if kind == MILESTONE]
    if reached != list(story[: len(reached) if goal is None else story.index(goal) + 1]):
        yield f"milestones: {reached} on the live lineage"
    yield from witnessed(files.run, cartridge, found.live_events)


def memory_problems(files: Files, taught: Taught) -> Iterator[str]:
    """Yield what a memory lacks, or has too much, by all that was delivered to it."""
    found = found_run(copied(files.run / "run.sqlite", files.scratch))
    with closing(sqlite3.connect(copied(files.memory, files.scratch))) as file:
        yield from (f"memory: {line}" for line in complaints_of(file))
        for run_id, last in file.execute("SELECT run_id, max(sequence) FROM deliveries GROUP BY 1"):
            taught.settle(run_id, last)
        yield from taught.problems
        yield from uneven(file, taught.lessons)
        if found is not None:
            yield from _missing(found, taught)
            yield from _totals(file, found, taught)


def _twice(found: FoundRun) -> Iterator[str]:
    """Yield what the live lineage tells of twice."""
    told = Counter((tick, kind, spelled(payload)) for tick, kind, payload in found.live_events)
    for (tick, kind, _), count in told.items():
        if count > 1:
            yield f"events: {kind} of tick {tick} is there {count} times"


def _dead(copy: Path) -> Iterator[str]:
    """Yield what died otherwise than it is told of."""
    with closing(sqlite3.connect(copy)) as file:
        ((dead,),) = file.execute("SELECT count(*) FROM steps WHERE live = 0")
        ((told,),) = file.execute("SELECT coalesce(sum(left_at - tick), 0) FROM branchings")
        ((asked,),) = file.execute("SELECT count(*) FROM branchings WHERE why = 'asked'")
        ticks = [tick for (tick,) in file.execute("SELECT tick FROM trail WHERE live ORDER BY id")]
    if dead != told:
        yield f"branches: {dead} steps are dead, {told} are told of"
    if asked:
        yield f"branches: {asked} are said to be asked for by somebody"
    if ticks != sorted(set(ticks)):
        yield "trail: the live one goes back in time, or stands twice at a tick"


def _missing(found: FoundRun, taught: Taught) -> Iterator[str]:
    """Yield the live lessons that the memory was not taught; at a run's end all of them are covered."""
    live = [each for each, row in zip(found.outbox, found.lessons, strict=True) if row.live]
    known = {each.sequence: taught.lessons.get((found.run_id, each.sequence)) for each in live}
    if lost := [each for each in live if known[each.sequence] is None]:
        yield f"lessons: {len(lost)} were never delivered, the first is {lost[0][:3]}"
    if other := [each for each in live if known[each.sequence] not in (None, each)]:
        yield f"lessons: {len(other)} were delivered as something else, as {other[0][:3]}"


def _totals(file: sqlite3.Connection, found: FoundRun, taught: Taught) -> Iterator[str]:
    """Yield where battles are counted otherwise than they were fought, by the share of this run."""
    fought = sum(kind == BATTLE and _is_decided(each) for _, kind, each in found.live_events)
    told = sum(
        int(lesson.payload["battles"])
        for lesson, row in zip(found.outbox, found.lessons, strict=True)
        if row.live and lesson.kind == "totals"
    )
    if told != fought:
        yield f"battles: {fought} were decided on the live lineage, its lessons count {told}"
    shares = file.execute(
        "SELECT json_extract(share, '$.record.battles') FROM shares"
        " WHERE table_name = 'tactician_stats' AND run_id = ?",
        (found.run_id,),
    ).fetchall()
    counted = sum(int(each) for (each,) in shares)
    delivered = _battles(taught, found.run_id)
    if counted != delivered:
        yield f"battles: the run's share counts {counted}, its lessons told of {delivered}"


def _battles(taught: Taught, run_id: str) -> int:
    return sum(
        int(lesson.payload["battles"])
        for (run, _), lesson in taught.lessons.items()
        if run == run_id and lesson.kind == "totals"
    )


def _is_decided(battle: Any) -> bool:  # noqa: ANN401
    return battle["outcome"] in {"victory", "defeat"}
