"""What a merged memory must hold, counted from the lessons alone, with none of the code that is judged."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from memory import OutboxRow
from memory.tiers import ConsolidationConfig

TRUST: Final = {"claim": 0, "inferred": 1, "verified": 2}
IDS: Final = {
    "pattern": ("tactician_patterns", "pattern_id"),
    "strategy": ("successful_strategies", "strategy_id"),
    "mistake": ("mistake_records", "mistake_id"),
    "preference": ("player_preferences", "preference_id"),
}
DATES: Final = {
    "pattern": "last_validated",
    "strategy": "last_used",
    "mistake": "last_occurred",
    "preference": "updated_at",
}
FIGURES: Final = {
    "pattern": ("success_count", "failure_count"),
    "strategy": ("total_uses",),
    "mistake": ("occurrence_count",),
    "preference": (),
}
MONTH: Final = 30 * 86_400.0
GRAVITY: Final = {"minor": 0.5, "major": 0.8, "critical": 1.0}
Row = dict[str, Any]


@dataclass
class Thing:
    """All lessons about one row, by run, in their order."""

    kind: str
    taught: dict[str, list[OutboxRow]] = field(default_factory=dict)
    closed: dict[str, OutboxRow] = field(default_factory=dict)

    def sums(self) -> dict[str, float]:
        """Return what the figures that count come to."""
        lessons = [row.payload for rows in self.taught.values() for row in rows]
        found = {name: sum(each[name] for each in lessons) for name in FIGURES[self.kind]}
        if self.kind == "strategy":
            found["wins"] = sum(each["success_rate"] for each in lessons)
        return found

    def dated(self, row: OutboxRow) -> float:
        """Return when what a lesson tells of was so."""
        return float(row.payload[DATES[self.kind]])

    def believed(self) -> OutboxRow:
        """Return the last lesson of the run that is to be believed: the most trusted, then the newest."""

        def place(run: str) -> tuple[int, float, str]:
            rows = self.taught[run]
            return TRUST[rows[-1].payload["status"]], max(map(self.dated, rows)), run

        return self.taught[max(self.taught, key=place)][-1]

    def is_closed(self) -> bool:
        """Say whether anything closed it that no newer evidence, as much to be trusted, has opened."""
        return any(self._stands(run, row) for run, row in self.closed.items())

    def _stands(self, run: str, row: OutboxRow) -> bool:
        needed = TRUST[row.payload.get("status", "verified")]
        return not any(
            self.dated(each) > row.payload["at"] and TRUST[each.payload["status"]] >= needed
            for other, rows in self.taught.items()
            if other != run
            for each in rows
        )


def things_in(lessons: Mapping[str, Sequence[OutboxRow]]) -> dict[tuple[str, str], Thing]:
    """Return what was taught of each row of the four tables, and closed, by table and id."""
    found: dict[tuple[str, str], Thing] = {}
    kinds = {table: kind for kind, (table, _) in IDS.items()}
    for run, rows in lessons.items():
        for row in rows:
            if row.kind in IDS:
                table, key = IDS[row.kind]
                thing = found.setdefault((table, row.payload[key]), Thing(row.kind))
                thing.taught.setdefault(run, []).append(row)
                _open_again(thing, run, row)
            elif row.kind == "close" and row.payload["table"] in kinds:
                place = row.payload["table"], row.payload["id"]
                found.setdefault(place, Thing(kinds[place[0]])).closed[run] = row
    return {place: thing for place, thing in found.items() if thing.taught}


def _open_again(thing: Thing, run: str, row: OutboxRow) -> None:
    closed = thing.closed.get(run)
    if closed is not None and row.tick != closed.tick:
        needed = closed.payload.get("status", "verified")
        if TRUST[row.payload["status"]] >= TRUST[needed]:
            del thing.closed[run]


def complaints(
    path: Path, lessons: Mapping[str, Sequence[OutboxRow]], config: ConsolidationConfig
) -> Iterator[str]:
    """Yield where the file at `path` is not what `lessons`, by run, come to."""
    with closing(sqlite3.connect(path)) as file:
        file.row_factory = sqlite3.Row
        for (report,) in file.execute("PRAGMA integrity_check").fetchall():
            if report != "ok":
                yield f"damaged: {report}"
        ((date,),) = file.execute("SELECT decayed_at FROM tactician_stats").fetchall()
        things = things_in(lessons)
        for kind, (table, key) in IDS.items():
            rows = {row[key]: dict(row) for row in file.execute(f"SELECT * FROM {table}")}
            here = {name: thing for (of, name), thing in things.items() if of == table}
            yield from _of_table(file, table, rows, here)
            yield from _missing(table, kind, rows, here, float(date), config)
        yield from _of_totals(file, lessons)
        yield from _of_entries(file, lessons)


def _of_table(
    file: sqlite3.Connection, table: str, rows: Mapping[str, Row], here: Mapping[str, Thing]
) -> Iterator[str]:
    yield from (f"{table} {name}: nobody taught it" for name in rows.keys() - here.keys())
    for name in sorted(rows.keys() & here.keys()):
        row, thing = rows[name], here[name]
        if thing.kind == "strategy":
            row["wins"] = row["success_rate"] * row["total_uses"]
        for figure, sum_ in thing.sums().items():
            if abs(row[figure] - sum_) > 1e-6:
                yield f"{table} {name}: {figure} is {row[figure]}, taught were {sum_}"
        believed = thing.believed()
        if thing.kind == "preference":
            value = json.loads(row["preference_value"])
            if value != believed.payload["preference_value"]:
                yield f"{table} {name}: {value!r} is believed, which is less trusted or older"
        where = file.execute(
            "SELECT status, closed FROM provenance WHERE table_name = ? AND id = ?", (table, name)
        ).fetchone()
        if where is None:
            yield f"{table} {name}: nobody knows where it is from"
        elif where["status"] != believed.payload["status"]:
            yield f"{table} {name}: {where['status']}, not {believed.payload['status']}"
        elif bool(where["closed"]) != thing.is_closed():
            yield f"{table} {name}: closed is {where['closed']!r}, should be {thing.is_closed()}"
        yield from _of_teachers(file, table, name, thing)


def _of_teachers(file: sqlite3.Connection, table: str, name: str, thing: Thing) -> Iterator[str]:
    shares = file.execute(
        "SELECT run_id, share, closed, evidence FROM shares WHERE table_name = ? AND id = ?",
        (table, name),
    ).fetchall()
    teachers = {each["run_id"] for each in shares if "record" in json.loads(each["share"])}
    if teachers != thing.taught.keys():
        yield f"{table} {name}: known to be of {sorted(teachers)}, is of {sorted(thing.taught)}"
    if thing.kind == "preference":
        believed = thing.believed().payload["preference_value"]
        for each in shares:
            says = thing.taught.get(each["run_id"])
            loses = says is not None and says[-1].payload["preference_value"] != believed
            if loses != bool(each["closed"]) or loses != (each["evidence"] != "[]"):
                yield f"{table} {name}: what {each['run_id']} says is closed: {each['closed']!r}"


def _missing(  # what a row is judged by
    table: str,
    kind: str,
    rows: Mapping[str, Row],
    here: Mapping[str, Thing],
    date: float,
    config: ConsolidationConfig,
) -> Iterator[str]:
    """Yield what is gone although it is worth keeping and there is room."""
    caps = {
        "pattern": config.max_patterns_per_type,
        "strategy": config.max_strategies,
        "mistake": config.max_mistakes,
    }
    groups: dict[object, int] = {}
    for row in rows.values():
        group = row.get("pattern_type")
        groups[group] = groups.get(group, 0) + 1
    for group, count in groups.items():
        if count > caps.get(kind, count):
            yield f"{table}: {count} of {group} are over the cap"
    for name in sorted(here.keys() - rows.keys()):
        thing = here[name]
        group = thing.believed().payload.get("pattern_type")
        is_full = groups.get(group, 0) >= caps.get(kind, 10**9)
        if not is_full and _worth(thing, date) >= config.importance_threshold + 1e-9:
            yield f"{table} {name}: gone, though it is worth {_worth(thing, date):.3f}"


def _worth(thing: Thing, date: float) -> float:
    lessons = [row for rows in thing.taught.values() for row in rows]
    newest = max(map(thing.dated, lessons))
    sums = thing.sums()
    match thing.kind:
        case "pattern":
            total = sums["success_count"] + sums["failure_count"]
            worth = sums["success_count"] / total if total else 0.0
        case "strategy":
            worth = sums["wins"] / sums["total_uses"]
        case "mistake":
            worth = max(GRAVITY[row.payload["severity"]] for row in lessons)
        case _:
            believed = thing.believed()
            worth, newest = believed.payload["confidence"], thing.dated(believed)
    return float(worth * 0.95 ** (max(0.0, date - newest) / MONTH))


def _of_totals(
    file: sqlite3.Connection, lessons: Mapping[str, Sequence[OutboxRow]]
) -> Iterator[str]:
    told = [row.payload for rows in lessons.values() for row in rows if row.kind == "totals"]
    stats = file.execute("SELECT * FROM tactician_stats").fetchone()
    sums = {name: sum(each[name] for each in told) for name in ("sessions", "battles", "victories")}
    won = stats["overall_win_rate"] * stats["total_battles"]
    found = {"sessions": stats["total_sessions"], "battles": stats["total_battles"]}
    if found != {name: sums[name] for name in found} or abs(won - sums["victories"]) > 1e-6:
        yield f"totals are {found} with {won} won, taught were {sums}"


def _of_entries(
    file: sqlite3.Connection, lessons: Mapping[str, Sequence[OutboxRow]]
) -> Iterator[str]:
    taught: dict[tuple[str, str], int] = {}
    for rows in lessons.values():
        for row in rows:
            if row.kind == "entry":
                place = row.payload["scope"], row.payload["key"]
                taught[place] = taught.get(place, 0) + 1
    for row in file.execute("SELECT scope, key, count, merged FROM ltm_entries").fetchall():
        if row["scope"] == "collective":
            continue
        keys = [row["key"], *json.loads(row["merged"])]
        count = sum(taught.get((row["scope"], key), 0) for key in keys)
        if count != row["count"]:
            yield f"entry {row['key']}: counts {row['count']}, was taught {count} times"
    index = "INSERT INTO ltm_text (ltm_text, rank) VALUES ('integrity-check', 1)"
    try:
        file.execute(index)
    except sqlite3.DatabaseError as error:
        yield f"index of words: {error}"
