"""What it takes to consolidate, and to keep and read back what was learnt, at full capacity."""

import gc
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from agent.bench.memory.figures import Bound, MemoryFigure
from agent.bench.memory.fill import STARTED
from agent.bench.memory.queries import size
from agent.bench.memory.timing import figure, lapse, lapse_with_disk
from agent.bench.memory.writing import TICKS, Stretch
from agent.mind import AGENT
from memory import (
    AgentMemory,
    Checkpoint,
    Knowledge,
    OutboxRow,
    RunStore,
    as_json,
    open_knowledge_store,
    open_memory,
    open_run_store,
    read_knowledge_store,
)
from memory.tiers.lessons import Kind

CONSOLIDATION: Final = Bound("consolidation of 1,000 ticks, all tiers full", 100.0, 10.0)
SAVE: Final = Bound("tactician save: what 1,000 ticks taught, with its commit", 50.0, 10.0)
SAVE_ALL: Final = Bound("tactician save: all of it changed, with its commit", 50.0, 10.0)
LOAD: Final = Bound("tactician load: opened and read", 100.0, 20.0)
TAKE_OVER: Final = Bound("tactician load: taken over by a new run", 100.0, 20.0)
BYTES: Final = Bound("tactician: its file, without an archive", 1_000.0, 1_000.0, "KB")
LESSONS: Final = 20  # that a thousand ticks teach: more than they do
GAME: Final = b"game"  # what stands for the emulator's state in a checkpoint


def consolidations(
    memory: AgentMemory, store: RunStore, stretch: Stretch, rounds: int
) -> Iterator[MemoryFigure]:
    """Yield what a consolidation takes, each after a thousand ticks of what play writes."""
    took = []
    blackboard = memory.blackboard
    for number in range(1, rounds + 1):
        tick, begins = number * TICKS, blackboard.game_s
        for written in stretch.written:
            written.onto(blackboard, tick, begins)
        took.append(lapse(partial(memory.consolidator.consolidate, tick + TICKS)))
        store.commit(checkpoint=Checkpoint(tick, tick, GAME, b"chain", {}))
    yield figure(CONSOLIDATION, took)


def saving(home: Path, known: Knowledge, rounds: int) -> Iterator[MemoryFigure]:
    """Yield what it takes to keep `known`, add to it and read it, and how large its file is."""
    path = home / "memory.sqlite"
    lessons = list(_lessons(known))
    with closing(open_knowledge_store(path, now=STARTED)) as store:
        store.deliver("before", lessons)
        took, whole = [], []
        for number in range(rounds):
            again = islice(lessons, number * LESSONS % len(lessons), None)
            rows = [replace(row, sequence=at) for at, row in enumerate(islice(again, LESSONS), 1)]
            took.append(lapse_with_disk(partial(store.deliver, f"run {number}", rows)))
            changed = _judged(known, 0.8 + 0.1 * (number % 2))
            whole.append(lapse_with_disk(partial(store.save_knowledge, changed)))
    yield figure(SAVE, took)
    yield figure(SAVE_ALL, whole)
    yield figure(LOAD, [lapse_with_disk(partial(_read, path)) for _ in range(rounds)])
    with _only_what_comes():
        took = [_taken_over(home / f"run-{each}.sqlite", path) for each in range(rounds)]
    yield figure(TAKE_OVER, took)
    yield size(BYTES, path.stat().st_size)


@contextmanager
def _only_what_comes() -> Iterator[None]:
    """Keep the collector off what other figures have filled: a run begins in a process that has none of it."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _lessons(known: Knowledge) -> Iterator[OutboxRow]:
    records: tuple[tuple[Kind, list[object]], ...] = (
        ("pattern", [*known.patterns.values()]),
        ("strategy", [*known.strategies.values()]),
        ("mistake", [*known.mistakes.values()]),
    )
    sequence = 0
    for kind, each in records:
        for record in each:
            sequence += 1
            yield OutboxRow(sequence, sequence, kind, as_json(record))  # type: ignore[arg-type]


def _judged(known: Knowledge, share: float) -> Knowledge:
    """Return `known` with every record's figures as if it had held in so large a share of cases."""
    patterns, strategies = known.patterns.items(), known.strategies.items()
    return Knowledge(
        {name: replace(each, relevance_score=share) for name, each in patterns},
        {name: replace(each, success_rate=share) for name, each in strategies},
        {
            name: replace(each, last_occurred=STARTED + share)
            for name, each in known.mistakes.items()
        },
    )


def _read(path: Path) -> Knowledge:
    with closing(read_knowledge_store(path)) as reader:
        return reader.load_knowledge()


def _taken_over(run: Path, path: Path) -> float:
    """Return the seconds from an empty memory to one that knows all that is in the file."""
    with closing(open_run_store(run, run_id="new")) as store:
        memory = open_memory(store, AGENT, session_id="new", started_at=STARTED)

        def take_over() -> None:
            with closing(read_knowledge_store(path)) as reader:
                memory.take_over(reader.load_knowledge(), reader.seed(), origins=reader.origins())

        return lapse(take_over)
