"""Whether what outlives runs is what each delivered lesson teaches, once.

A twin of the memory, in a file of its own that nobody kills, is taught the same lessons in the same order; both must
hold the same rows. And whatever was taught must add up, by sums that ask neither of the two programs.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from kills.found import complaints_of, copied, rows_of
from kills.kill import Outcome
from kills.words import Lesson
from memory import OutboxRow, open_knowledge_store

RECORDS: Final = {
    "pattern": "tactician_patterns",
    "strategy": "successful_strategies",
    "mistake": "mistake_records",
}
Delivery: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Deed:
    """One change of the memory that a life announced, and whether it said that it was done."""

    word: str
    now: float
    run_id: str = ""
    sequences: Sequence[int] = ()
    is_done: bool = True


@dataclass
class Knowing:
    """One memory and its twin; `delivered` has every lesson that went up, by run and sequence.

    `outcome` says how the last deed was found.
    """

    memory: Path
    twin: Path
    scratch: Path
    delivered: dict[Delivery, Lesson] = field(default_factory=dict)
    outcome: Outcome = Outcome.NO_MATTER

    def examine(self, deeds: Sequence[Deed], lesson: Callable[[str, int], Lesson]) -> Iterator[str]:
        """Teach the twin what was done since, and yield what is otherwise in the memory."""
        with closing(sqlite3.connect(copied(self.memory, self.scratch))) as file:
            yield from (f"memory: {line}" for line in complaints_of(file))
            if not deeds and not self.twin.exists():
                return
            yield from self._follow(file, deeds, lesson)
            if not self.twin.exists():
                return  # nothing was ever committed there
            yield from self._compared(file, deeds)
            yield from uneven(file, self.delivered)

    def _follow(
        self,
        file: sqlite3.Connection,
        deeds: Sequence[Deed],
        lesson: Callable[[str, int], Lesson],
    ) -> Iterator[str]:
        for deed in deeds:
            if deed.word == "maintain":
                if deed.is_done:
                    self._tidy(deed.now)
                continue
            if deed.word == "age":
                is_done = deed.is_done or _aged_at(file) == deed.now
                self.outcome = Outcome.DONE if is_done else Outcome.NOT_DONE
                if is_done:
                    open_knowledge_store(self.twin, now=deed.now).close()
                continue
            fresh = [each for each in deed.sequences if (deed.run_id, each) not in self.delivered]
            # A run delivers in order, so that the last sequence says which have been.
            ((last,),) = file.execute(
                "SELECT max(sequence) FROM deliveries WHERE run_id = ?", (deed.run_id,)
            )
            missing = [each for each in fresh if last is None or each > last]
            if missing and (deed.is_done or len(missing) < len(fresh)):
                yield f"deliveries: {len(missing)} of {len(fresh)} are lost, the first is {missing[0]}"
            self.outcome = Outcome.NOT_DONE if missing else Outcome.DONE
            if not fresh:
                self.outcome = Outcome.NO_MATTER
            if fresh and not missing:
                self._teach(deed, [lesson(deed.run_id, each) for each in fresh])

    def _compared(self, file: sqlite3.Connection, deeds: Sequence[Deed]) -> list[str]:
        """Return where the two differ; of tidying that was only begun nothing but the rows tells whether it was done."""
        found = rows_of(file)
        problems = list(_different(found, self._rows()))
        if deeds and deeds[-1].word == "maintain" and not deeds[-1].is_done:
            self.outcome = Outcome.NO_MATTER
            if problems:
                self._tidy(deeds[-1].now)
                self.outcome = Outcome.DONE
                problems = list(_different(found, self._rows()))
        return problems

    def _rows(self) -> dict[str, list[str]]:
        with closing(sqlite3.connect(self.twin)) as twin:
            return rows_of(twin)

    def _tidy(self, now: float) -> None:
        with closing(open_knowledge_store(self.twin, now=now)) as twin:
            twin.maintain()

    def _teach(self, deed: Deed, lessons: Sequence[Lesson]) -> None:
        self.delivered |= {(deed.run_id, each.sequence): each for each in lessons}
        rows = [OutboxRow(*each) for each in lessons]  # type: ignore[arg-type]  # a kind is a word
        with closing(open_knowledge_store(self.twin, now=deed.now)) as twin:
            twin.deliver(deed.run_id, rows)


def _aged_at(file: sqlite3.Connection) -> float | None:
    try:
        row = file.execute("SELECT decayed_at FROM tactician_stats").fetchone()
    except sqlite3.OperationalError:  # killed before its tables were made
        return None
    return None if row is None else float(row[0])


def _different(found: dict[str, list[str]], expected: dict[str, list[str]]) -> Iterator[str]:
    for name in sorted(found.keys() | expected.keys()):
        here, there = Counter(found.get(name, ())), Counter(expected.get(name, ()))
        lost, more = there - here, here - there
        if lost or more:
            example = next(iter((lost or more).elements()))[:300]
            yield (
                f"memory: table {name} lacks {lost.total()} rows and has {more.total()} too many;"
                f" one of them: {example}"
            )


def uneven(file: sqlite3.Connection, delivered: dict[Delivery, Lesson]) -> Iterator[str]:
    """Yield where what is known and archived does not add up to what was delivered."""
    taught: Counter[str] = Counter()
    for lesson in delivered.values():
        taught.update(_weight(lesson.kind, lesson.payload))
    kept: Counter[str] = Counter()
    for kind, table in RECORDS.items():
        cursor = file.execute(f"SELECT * FROM {table}")  # noqa: S608
        names = [each[0] for each in cursor.description]
        # What was let go of and is taught again is known with all its evidence, so that the last of each counts.
        archived = file.execute(
            "SELECT id, row FROM archive WHERE table_name = ? ORDER BY number", (table,)
        )
        last = {name: json.loads(text) for name, text in archived.fetchall()}
        last |= {row[0]: dict(zip(names, row, strict=True)) for row in cursor}
        for row in last.values():
            kept.update(_weight(kind, row))
    kept["entries"] = _entries_taught(file)
    stats = file.execute("SELECT total_sessions, total_battles FROM tactician_stats").fetchone()
    kept["sessions"], kept["battles"] = stats
    for name in sorted(taught.keys() | kept.keys()):
        if taught[name] != kept[name]:
            yield f"memory: {kept[name]} {name} are known, {taught[name]} were delivered"


def _entries_taught(file: sqlite3.Connection) -> int:
    """Return how often entries were taught: those there are, and the last that is archived of each key that is gone."""
    archived = file.execute(
        "SELECT row FROM archive WHERE table_name = 'ltm_entries' ORDER BY number DESC"
    )
    known = file.execute("SELECT scope, key, count, merged FROM ltm_entries").fetchall()
    rows = [(scope, key, count, json.loads(merged)) for scope, key, count, merged in known]
    for (text,) in archived:
        row = json.loads(text)
        rows.append((row["scope"], row["key"], row["count"], row["merged"]))
    taught, seen = 0, set[tuple[str, str]]()
    for scope, key, count, merged in rows:
        if (scope, key) not in seen:
            taught += int(count)
        seen |= {(scope, each) for each in (key, *merged)}
    return taught


def _weight(kind: str, payload: Any) -> dict[str, int]:  # noqa: ANN401
    match kind:
        case "pattern":
            return {
                "successes of patterns": payload["success_count"],
                "failures of patterns": payload["failure_count"],
            }
        case "mistake":
            return {"occurrences of mistakes": payload["occurrence_count"]}
        case "strategy":
            return {"wins of strategies": round(payload["success_rate"] * payload["total_uses"])}
        case "entry":
            return {"entries": 1}
        case "totals":
            return {"sessions": payload["sessions"], "battles": payload["battles"]}
        case _:
            return {}
