"""Lessons, a small knowledge file of one run, and ways to damage files or kill their writers."""

import json
import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory import Json, as_json, open_knowledge_store
from memory.tiers.lasting import LessonKind, OutboxRow
from tests.memory.samples import EPISODIC, MISTAKE, NOON, PATTERN, PREFERENCE, STRATEGY

RUN = "run-1"
SOURCES: list[Json] = ["battle:10:rat@10", "tick:20"]
ROOT = Path(__file__).parents[3]
SEMANTIC = "agent:play:ltm:semantic"
LESSONS = [
    OutboxRow(1, 10, "pattern", as_json(PATTERN)),
    OutboxRow(2, 20, "strategy", as_json(STRATEGY)),
    OutboxRow(3, 30, "mistake", as_json(MISTAKE)),
    OutboxRow(4, 40, "preference", as_json(PREFERENCE)),
    OutboxRow(5, 50, "totals", {"sessions": 1, "battles": 4, "victories": 3}),
]


def note(sequence: int, says: str, *, scope: str = SEMANTIC, **more: Json) -> OutboxRow:
    """A lesson with an entry."""
    payload: dict[str, Json] = {"scope": scope, "kind": "note", "key": f"note:{says}"}
    payload |= {"data": {"says": says}, "tags": [], "importance": 5}
    return OutboxRow(sequence, sequence, "entry", payload | more)


def closure(sequence: int, table: str, memory_id: str, **more: Json) -> OutboxRow:
    payload = {"table": table, "id": memory_id, "reason": "wrong", "evidence": ["tick:9"]}
    return OutboxRow(sequence, sequence, "close", {**payload, **more})


def killed(scenario: str, folder: Path) -> list[Any]:
    """The result of each kill of a scenario of `crashes`: reported steps, and the content of the file."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.memory.store.crashes", scenario, str(folder)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def taught(path: Path, *, strategies: int = 3, entries: int = 3) -> Path:
    """The file at `path` after one run delivered a pattern, a mistake, some strategies and entries."""
    won = (
        replace(STRATEGY, strategy_id=f"s{n}", moves_sequence=(f"move {n}", "tackle"))
        for n in range(strategies)
    )
    evidence: dict[str, Json] = {"status": "inferred", "sources": SOURCES}
    lessons: list[tuple[LessonKind, dict[str, Json]]] = [
        ("pattern", as_json(PATTERN) | evidence),
        ("mistake", as_json(MISTAKE) | evidence),
        *(("strategy", as_json(each) | evidence) for each in won),
        *(("entry", entry(n)) for n in range(entries)),
        ("totals", {"sessions": 1, "battles": 4, "victories": 3}),
    ]
    rows = [OutboxRow(at, 30, kind, payload) for at, (kind, payload) in enumerate(lessons, 1)]
    with closing(open_knowledge_store(path, now=NOON)) as store:
        store.deliver(RUN, rows[:-1])
        store.deliver(RUN, rows[-1:])
    return path


def entry(number: int) -> dict[str, Json]:
    milestone: dict[str, Json] = {"milestone": f"milestone {number}", "tick": 9, "turns": number}
    return {
        "scope": EPISODIC,
        "kind": "milestone_time",
        "key": f"{RUN}/{number + 1}",
        "data": {**milestone, "battles": 1, "lost": 0},
        "tags": ["told"],
        "importance": 8,
        "tick": 20,
        "game_s": 12.5,
        "sources": [f"{RUN}/{number + 1}"],
    }


def alter(path: Path, *statements: str) -> None:
    """Change a file with plain SQLite."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def changed(kind: str, name: str = "", **fields: object) -> str:
    """The statement that sets fields of knowledge of a kind, or of one piece of it, to SQL values."""
    pairs = ", ".join(f"'$.{field}', {value}" for field, value in fields.items())
    one = f" AND key = '{kind}:{name}'" if name else ""
    return f"UPDATE ltm_entries SET data = json_set(data, {pairs}) WHERE kind = '{kind}'{one}"


def count(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def damaged(whole: bytes, seed: int) -> bytes:
    """The file content after one kind of damage: bits, bytes, a page, the header, or the end."""
    chance, data = random.Random(seed), bytearray(whole)
    match seed % 6:
        case 0:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        case 1:
            for _ in range(100):
                data[chance.randrange(len(data))] = chance.randrange(256)
        case 2:
            del data[chance.randrange(1, len(data)) :]
        case 3:
            at = chance.randrange(len(data) - 2_000)
            data[at : at + 2_000] = bytes(2_000)
        case 4:
            at = 4096 * chance.randrange(len(data) // 4096)
            data[at : at + 4096] = chance.randbytes(4096)
        case _:
            data[chance.randrange(100)] = chance.randrange(256)
    return bytes(data)
