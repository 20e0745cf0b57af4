"""Memory files of earlier runs, written for a test."""

from collections.abc import Sequence
from contextlib import closing
from itertools import count
from pathlib import Path

from memory import MILESTONE_TIME, Json, open_knowledge_store
from memory.tiers.lasting import LessonKind, OutboxRow

LATE = 4e9  # epoch seconds: late enough that no entry has faded
RUNS = count()
EPISODIC = "agent:play:ltm:episodic"


def teach(path: Path, lessons: Sequence[tuple[LessonKind, dict[str, Json]]]) -> Path:
    with closing(open_knowledge_store(path, now=LATE)) as knowledge:
        rows = [OutboxRow(at, at, kind, data) for at, (kind, data) in enumerate(lessons, start=1)]
        knowledge.deliver("an earlier run", rows)
    return path


def entry_lesson(kind: str, data: Json) -> tuple[LessonKind, dict[str, Json]]:
    return "entry", {"scope": EPISODIC, "kind": kind, "data": data, "tags": [], "importance": 6}


def ticks_lesson(choice: str, way: int, ticks: int) -> tuple[LessonKind, dict[str, Json]]:
    reached = run_at("rival", ticks, run=f"an earlier run, {next(RUNS)}", choices={choice: way})
    return entry_lesson(MILESTONE_TIME, reached)


def run_at(milestone: str, ticks: int, **more: Json) -> dict[str, Json]:
    """Return the data of a run at a milestone, without choices unless they are given."""
    usual: dict[str, Json] = {"turns": 5, "battles": 1, "lost": 0, "choices": {}}
    return {"milestone": milestone, "tick": ticks, **usual, **more}
