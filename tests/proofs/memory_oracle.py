"""What a memory file must hold, counted from the lessons alone, with none of the code that is judged."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from memory import OutboxRow
from memory.tiers.knowledge import ConsolidationConfig
from tests.proofs.ledger import Ledger
from tests.proofs.oracle import Files, copied, damage_in

TRUST: Final = {"claim": 0, "inferred": 1, "verified": 2}
GRAVITY: Final = {"minor": 0.5, "major": 0.8, "critical": 1.0}
MONTH: Final = 30 * 86_400.0
NEARLY: Final = 1e-6


Lessons: TypeAlias = Mapping[str, Sequence[OutboxRow]]  # by run


@dataclass(frozen=True, slots=True)
class Table:
    """One of the four tables: its key, the column with the date of a row, and the figures that add up."""

    kind: str
    name: str
    key: str
    date: str
    figures: tuple[str, ...]
    cap: str = ""


TABLES: Final = (
    Table(
        "pattern", "tactician_patterns", "pattern_id", "last_validated",
        ("success_count", "failure_count"), "max_patterns_per_type",
    ),
    Table("strategy", "successful_strategies", "strategy_id", "last_used", ("total_uses",), "max_strategies"),
    Table("mistake", "mistake_records", "mistake_id", "last_occurred", ("occurrence_count",), "max_mistakes"),
    Table("preference", "player_preferences", "preference_id", "updated_at", ()),
)  # fmt: skip


@dataclass
class Thing:
    """All lessons about one row, by run, in their order, and what closed it."""

    table: Table
    taught: dict[str, list[OutboxRow]] = field(default_factory=dict)
    closed: dict[str, OutboxRow] = field(default_factory=dict)

    @property
    def lessons(self) -> list[OutboxRow]:
        """The lessons of all runs."""
        return [row for rows in self.taught.values() for row in rows]

    def sums(self) -> dict[str, float]:
        """Return what the figures that count come to."""
        payloads = [row.payload for row in self.lessons]
        found = {name: sum(each[name] for each in payloads) for name in self.table.figures}
        if self.table.kind == "strategy":
            found["wins"] = sum(each["success_rate"] for each in payloads)
        return found

    def dated(self, row: OutboxRow) -> float:
        """Return when what a lesson says was so."""
        return float(row.payload[self.table.date])

    def believed(self) -> OutboxRow:
        """Return the last lesson of the run that is to be believed: the most trusted, then the newest."""

        def place(run: str) -> tuple[int, float, str]:
            rows = self.taught[run]
            return TRUST[rows[-1].payload["status"]], max(map(self.dated, rows)), run

        return self.taught[max(self.taught, key=place)][-1]

    def is_closed(self) -> bool:
        """Return whether anything closed it that no newer evidence, as much to be trusted, has opened."""
        return any(self._stands(run, row) for run, row in self.closed.items())

    def _stands(self, run: str, row: OutboxRow) -> bool:
        needed = TRUST[row.payload.get("status", "verified")]
        return not any(
            self.dated(each) > row.payload["at"] and TRUST[each.payload["status"]] >= needed
            for other, rows in self.taught.items()
            if other != run
            for each in rows
        )

    def worth(self, date: float) -> float:
        """Return what it is worth to keep at a date."""
        sums, newest = self.sums(), max(map(self.dated, self.lessons))
        match self.table.kind:
            case "pattern":
                total = sums["success_count"] + sums["failure_count"]
                worth = sums["success_count"] / total if total else 0.0
            case "strategy":
                worth = sums["wins"] / sums["total_uses"]
            case "mistake":
                worth = max(GRAVITY[row.payload["severity"]] for row in self.lessons)
            case _:
                believed = self.believed()
                worth, newest = believed.payload["confidence"], self.dated(believed)
        return float(worth * 0.95 ** (max(0.0, date - newest) / MONTH))


def things_in(lessons: Lessons) -> dict[tuple[str, str], Thing]:
    """Return what was taught and closed of each row, by table and id."""
    by_kind, by_name = ({getattr(each, at): each for each in TABLES} for at in ("kind", "name"))
    found: dict[tuple[str, str], Thing] = {}
    for run, rows in lessons.items():
        for row in rows:
            if table := by_kind.get(row.kind):
                thing = found.setdefault((table.name, row.payload[table.key]), Thing(table))
                thing.taught.setdefault(run, []).append(row)
                _open_again(thing, run, row)
            elif row.kind == "close" and (table := by_name.get(row.payload["table"])):
                place = table.name, row.payload["id"]
                found.setdefault(place, Thing(table)).closed[run] = row
    return {place: thing for place, thing in found.items() if thing.taught}


def complaints(path: Path, lessons: Lessons, config: ConsolidationConfig) -> Iterator[str]:
    """Yield where the file at `path` is not what `lessons` come to."""
    with closing(sqlite3.connect(path)) as file:
        file.row_factory = sqlite3.Row
        yield from damage_in(file)
        ((date,),) = file.execute("SELECT decayed_at FROM tactician_stats").fetchall()
        things = things_in(lessons)
        for table in TABLES:
            rows = {
                row[table.key]: dict(row) for row in file.execute(f"SELECT * FROM {table.name}")
            }
            here = {name: thing for (of, name), thing in things.items() if of == table.name}
            yield from (
                f"{table.name} {name}: was never taught" for name in rows.keys() - here.keys()
            )
            for name in sorted(rows.keys() & here.keys()):
                yield from (
                    f"{table.name} {name}: {each}"
                    for each in _row(file, rows[name], name, here[name])
                )
            yield from _missing(table, rows, here, float(date), config)
        yield from _totals(file, lessons)
        yield from _entries(file, lessons)


def delivered_problems(files: Files, ledger: Ledger, config: ConsolidationConfig) -> Iterator[str]:
    """Yield what a memory lacks or has too much of by all that was delivered to it, and what its run did not deliver."""
    memory = copied(files.memory, files.scratch)
    with (
        closing(sqlite3.connect(memory)) as file,
        closing(sqlite3.connect(copied(files.run / "run.sqlite", files.scratch))) as run,
    ):
        for run_id, last in file.execute("SELECT run_id, max(sequence) FROM deliveries GROUP BY 1"):
            ledger.settle(run_id, last)
        yield from ledger.problems
        yield from complaints(memory, ledger.by_run(), config)
        ((run_id,),) = run.execute("SELECT run_id FROM run")
        live = [
            OutboxRow(sequence, tick, kind, json.loads(payload))
            for sequence, tick, kind, payload in run.execute(
                "SELECT sequence, tick, kind, payload FROM outbox WHERE live"
            )
        ]
        yield from _undelivered(run_id, live, ledger)
        yield from _battles(run, live)


def _undelivered(run_id: str, live: Iterable[OutboxRow], ledger: Ledger) -> Iterator[str]:
    known = [(each, ledger.lessons.get((run_id, each.sequence))) for each in live]
    if lost := [each for each, found in known if found is None]:
        yield f"lessons: {len(lost)} were never delivered, the first is {lost[0].kind} of tick {lost[0].tick}"
    if other := [each for each, found in known if found not in (None, each)]:
        yield f"lessons: {len(other)} were delivered as something else, one is {other[0].kind} of tick {other[0].tick}"


def _battles(run: sqlite3.Connection, live: Iterable[OutboxRow]) -> Iterator[str]:
    """Yield where the lessons of a run count other battles than were decided in it."""
    ((fought,),) = run.execute(
        "SELECT count(*) FROM events WHERE live AND kind = 'battle'"
        " AND json_extract(payload, '$.outcome') IN ('victory', 'defeat')"
    )
    told = sum(each.payload["battles"] for each in live if each.kind == "totals")
    if told != fought:
        yield f"battles: {fought} were decided on the live branch, its lessons count {told}"


def _open_again(thing: Thing, run: str, row: OutboxRow) -> None:
    """Forget what closed a row, where the same run taught it again later with as much to show."""
    closed = thing.closed.get(run)
    if closed is None or row.tick == closed.tick:
        return
    if TRUST[row.payload["status"]] >= TRUST[closed.payload.get("status", "verified")]:
        del thing.closed[run]


def _row(file: sqlite3.Connection, row: dict[str, Any], name: str, thing: Thing) -> Iterator[str]:
    if thing.table.kind == "strategy":
        row["wins"] = row["success_rate"] * row["total_uses"]
    for figure, total in thing.sums().items():
        if abs(row[figure] - total) > NEARLY:
            yield f"{figure} is {row[figure]}, taught were {total}"
    believed = thing.believed().payload
    if (
        thing.table.kind == "preference"
        and json.loads(row["preference_value"]) != believed["preference_value"]
    ):
        yield f"{row['preference_value']} is believed, which is less trusted or older"
    where = file.execute(
        "SELECT status, closed FROM provenance WHERE table_name = ? AND id = ?",
        (thing.table.name, name),
    ).fetchone()
    if where is None:
        yield "it has no provenance"
    elif where["status"] != believed["status"]:
        yield f"{where['status']}, not {believed['status']}"
    elif bool(where["closed"]) != thing.is_closed():
        yield f"closed is {where['closed']!r}, should be {thing.is_closed()}"
    yield from _shares(file, name, thing)


def _shares(file: sqlite3.Connection, name: str, thing: Thing) -> Iterator[str]:
    shares = file.execute(
        "SELECT run_id, share, closed, evidence FROM shares WHERE table_name = ? AND id = ?",
        (thing.table.name, name),
    ).fetchall()
    teachers = {each["run_id"] for each in shares if "record" in json.loads(each["share"])}
    if teachers != thing.taught.keys():
        yield f"known to be of {sorted(teachers)}, is of {sorted(thing.taught)}"
    if thing.table.kind == "preference":
        believed = thing.believed().payload["preference_value"]
        for each in shares:
            says = thing.taught.get(each["run_id"])
            loses = says is not None and says[-1].payload["preference_value"] != believed
            if loses != bool(each["closed"]) or loses != (each["evidence"] != "[]"):
                yield f"what {each['run_id']} says is closed: {each['closed']!r}"


def _missing(
    table: Table,
    rows: Mapping[str, Mapping[str, Any]],
    here: Mapping[str, Thing],
    date: float,
    config: ConsolidationConfig,
) -> Iterator[str]:
    """Yield what is gone although it is worth keeping and there is room."""
    cap = getattr(config, table.cap) if table.cap else 10**9
    groups: dict[object, int] = {}
    for row in rows.values():
        group = row.get("pattern_type")
        groups[group] = groups.get(group, 0) + 1
    for group, count in groups.items():
        if count > cap:
            yield f"{table.name}: {count} of {group} are over the cap"
    for name in sorted(here.keys() - rows.keys()):
        group = here[name].believed().payload.get("pattern_type")
        worth = here[name].worth(date)
        if groups.get(group, 0) < cap and worth >= config.importance_threshold + 1e-9:
            yield f"{table.name} {name}: gone, though it is worth {worth:.3f}"


def _totals(file: sqlite3.Connection, lessons: Lessons) -> Iterator[str]:
    told = [row.payload for rows in lessons.values() for row in rows if row.kind == "totals"]
    sums = {name: sum(each[name] for each in told) for name in ("sessions", "battles", "victories")}
    stats = file.execute("SELECT * FROM tactician_stats").fetchone()
    won = stats["overall_win_rate"] * stats["total_battles"]
    found = {"sessions": stats["total_sessions"], "battles": stats["total_battles"]}
    if found != {name: sums[name] for name in found} or abs(won - sums["victories"]) > NEARLY:
        yield f"totals are {found} with {won} won, taught were {sums}"


def _entries(file: sqlite3.Connection, lessons: Lessons) -> Iterator[str]:
    taught: dict[tuple[str, str], int] = {}
    for run, rows in lessons.items():
        for row in rows:
            if row.kind == "entry":
                place = row.payload["scope"], _key(run, row.payload)
                taught[place] = taught.get(place, 0) + 1
    for row in file.execute("SELECT scope, key, count, merged FROM ltm_entries").fetchall():
        if row["scope"] == "collective":
            continue
        count = sum(
            taught.get((row["scope"], key), 0) for key in (row["key"], *json.loads(row["merged"]))
        )
        if count != row["count"]:
            yield f"entry {row['key']}: counts {row['count']}, was taught {count} times"


def _key(run: str, payload: Mapping[str, Any]) -> str:
    """Return the key of an entry, which begins with the run that learnt it first."""
    runs = (
        source.removeprefix("run:") for source in payload["sources"] if source.startswith("run:")
    )
    key = str(payload["key"])
    return key if any(key.startswith(f"{name}/") for name in (run, *runs)) else f"{run}/{key}"
