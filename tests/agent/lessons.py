"""Memory files of earlier runs, written for a test."""

from collections.abc import Sequence
from contextlib import closing
from itertools import count
from pathlib import Path

from memory import MILESTONE_TIME, Json, OutboxRow, open_knowledge_store
from memory.tiers.lasting import LessonKind

LATE = 4e9  # epoch seconds: late enough that no entry has faded
RUNS = count()
EPISODIC = "agent:play:ltm:episodic"


def teach(path: Path, lessons: Sequence[tuple[LessonKind, dict[str, Json]]]) -> Path:
    with closing(open_knowledge_store(path, now=LATE)) as knowledge:
        rows = [OutboxRow(at, at, kind, data) for at, (kind, data) in enumerate(lessons, start=1)]
        knowledge.deliver("an earlier run", rows)
    return path


def ticks_lesson(choice: str, way: int, ticks: int) -> tuple[LessonKind, dict[str, Json]]:
    data: dict[str, Json] = {
        "run": f"an earlier run, {next(RUNS)}",
        "milestone": "rival",
        "tick": ticks,
        "turns": 5,
        "battles": 1,
        "lost": 0,
    }
    payload: dict[str, Json] = {
        "scope": EPISODIC,
        "kind": MILESTONE_TIME,
        "data": {**data, "choices": {choice: way}},
        "tags": [],
        "importance": 8,
    }
    return "entry", payload
