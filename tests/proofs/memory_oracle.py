"""The expected content of a memory file, computed from the lessons without the tested code."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.lasting import OutboxRow
from tests.proofs.ledger import Ledger
from tests.proofs.oracle import Files, copied, damage_in

OVER_GAMES: Final = ("opponent_met", "item_owned", "place_known")
TRUST: Final = {"claim": 0, "inferred": 1, "verified": 2}
PROVEN: Final = 3  # successes of a pattern
GRAVITY: Final = {"minor": 0.5, "major": 0.8, "critical": 1.0}
MONTH: Final = 30 * 86_400.0
NEARLY: Final = 1e-6


Lessons: TypeAlias = Mapping[str, Sequence[OutboxRow]]  # by run


@dataclass(frozen=True, slots=True)
class Table:
    """One of the four tables: its key, the date column of a row, and the figures that are summed."""

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
class Expected:
    """All lessons about one row by run, in order, and the lessons that closed it."""

    table: Table
    by_run: dict[str, list[OutboxRow]] = field(default_factory=dict)
    closed: dict[str, OutboxRow] = field(default_factory=dict)

    @property
    def lessons(self) -> list[OutboxRow]:
        """The lessons of all runs."""
        return [row for rows in self.by_run.values() for row in rows]

    def sums(self) -> dict[str, float]:
        """Return the sums of the figures."""
        payloads = [row.payload for row in self.lessons]
        found = {name: sum(each[name] for each in payloads) for name in self.table.figures}
        if self.table.kind == "strategy":
            found["wins"] = sum(each["success_rate"] for each in payloads)
        return found

    def date_of(self, row: OutboxRow) -> float:
        """Return the date of a lesson."""
        return float(row.payload[self.table.date])

    def preferred(self) -> OutboxRow:
        """Return the last lesson of the run with precedence: the most trusted, then the newest."""

        def place(run: str) -> tuple[int, float, str]:
            rows = self.by_run[run]
            return TRUST[rows[-1].payload["status"]], max(map(self.date_of, rows)), run

        return self.by_run[max(self.by_run, key=place)][-1]

    def is_proven(self) -> bool:
        """Return whether it has a row: a pattern has one once it worked three times."""
        return self.table.kind != "pattern" or self.sums()["success_count"] >= PROVEN

    def is_closed(self) -> bool:
        """Return whether a lesson closed it and no newer evidence with equal trust opened it again."""
        return any(self._still_holds(run, row) for run, row in self.closed.items())

    def _still_holds(self, run: str, row: OutboxRow) -> bool:
        needed = TRUST[row.payload.get("status", "verified")]
        return not any(
            self.date_of(each) > row.payload["at"] and TRUST[each.payload["status"]] >= needed
            for other, rows in self.by_run.items()
            if other != run
            for each in rows
        )

    def relevance(self, date: float) -> float:
        """Return the relevance at a date."""
        sums, newest = self.sums(), max(map(self.date_of, self.lessons))
        match self.table.kind:
            case "pattern":
                total = sums["success_count"] + sums["failure_count"]
                relevance = sums["success_count"] / max(total, PROVEN)
            case "strategy":
                relevance = sums["wins"] / sums["total_uses"]
            case "mistake":
                relevance = max(GRAVITY[row.payload["severity"]] for row in self.lessons)
            case _:
                preferred = self.preferred()
                relevance, newest = preferred.payload["confidence"], self.date_of(preferred)
        return float(relevance * 0.95 ** (max(0.0, date - newest) / MONTH))


def expected_rows(lessons: Lessons) -> dict[tuple[str, str], Expected]:
    """Return the lessons and closings of each row, by table and id."""
    by_kind, by_name = ({getattr(each, at): each for each in TABLES} for at in ("kind", "name"))
    found: dict[tuple[str, str], Expected] = {}
    for run, rows in lessons.items():
        for row in rows:
            if table := by_kind.get(row.kind):
                fact = found.setdefault((table.name, row.payload[table.key]), Expected(table))
                fact.by_run.setdefault(run, []).append(row)
                _open_again(fact, run, row)
            elif row.kind == "close" and (table := by_name.get(row.payload["table"])):
                place = table.name, row.payload["id"]
                found.setdefault(place, Expected(table)).closed[run] = row
    return {place: fact for place, fact in found.items() if fact.by_run and fact.is_proven()}


def content_problems(path: Path, lessons: Lessons, config: ConsolidationConfig) -> Iterator[str]:
    """Yield the differences between the file at `path` and the result expected from `lessons`."""
    with closing(sqlite3.connect(path)) as file:
        file.row_factory = sqlite3.Row
        yield from damage_in(file)
        ((date,),) = file.execute("SELECT decayed_at FROM dates").fetchall()
        expected = expected_rows(lessons)
        for table in TABLES:
            rows = {
                row[table.key]: dict(row) for row in file.execute(f"SELECT * FROM {table.name}")
            }
            here = {name: fact for (of, name), fact in expected.items() if of == table.name}
            yield from (
                f"{table.name} {name}: no lesson has it" for name in rows.keys() - here.keys()
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
    """Yield missing and extra content of a memory compared with its deliveries, and undelivered lessons of its run."""
    memory = copied(files.memory, files.scratch)
    with (
        closing(sqlite3.connect(memory)) as file,
        closing(sqlite3.connect(copied(files.run / "run.sqlite", files.scratch))) as run,
    ):
        for run_id, last in file.execute("SELECT run_id, max(sequence) FROM deliveries GROUP BY 1"):
            ledger.settle(run_id, last)
        yield from ledger.problems
        yield from content_problems(memory, ledger.by_run(), config)
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
    """Yield an error when the lessons of a run count other battles than the run has."""
    ((fought,),) = run.execute(
        "SELECT count(*) FROM events WHERE live AND kind = 'battle'"
        " AND json_extract(payload, '$.outcome') IN ('victory', 'defeat')"
    )
    totals = sum(each.payload["battles"] for each in live if each.kind == "totals")
    if totals != fought:
        yield f"battles: {fought} were decided on the live branch, its lessons count {totals}"


def _open_again(fact: Expected, run: str, row: OutboxRow) -> None:
    """Remove the closing of a row if the same run confirmed it later with equal trust."""
    closed = fact.closed.get(run)
    if closed is None or row.tick == closed.tick:
        return
    if TRUST[row.payload["status"]] >= TRUST[closed.payload.get("status", "verified")]:
        del fact.closed[run]


def _row(file: sqlite3.Connection, row: dict[str, Any], name: str, fact: Expected) -> Iterator[str]:
    if fact.table.kind == "strategy":
        row["wins"] = row["success_rate"] * row["total_uses"]
    for figure, total in fact.sums().items():
        if abs(row[figure] - total) > NEARLY:
            yield f"{figure} is {row[figure]}, the lessons have {total}"
    preferred = fact.preferred().payload
    if (
        fact.table.kind == "preference"
        and json.loads(row["preference_value"]) != preferred["preference_value"]
    ):
        yield f"{row['preference_value']} has precedence, but is less trusted or older"
    where = file.execute(
        "SELECT status, closed FROM ltm_entries WHERE key = ?", (f"{fact.table.kind}:{name}",)
    ).fetchone()
    if where["status"] != preferred["status"]:
        yield f"{where['status']}, not {preferred['status']}"
    elif bool(where["closed"]) != fact.is_closed():
        yield f"closed is {where['closed']!r}, should be {fact.is_closed()}"
    yield from _contributions(file, name, fact)


def _contributions(file: sqlite3.Connection, name: str, fact: Expected) -> Iterator[str]:
    contributions = file.execute(
        "SELECT run_id, contribution, overruled, evidence FROM contributions WHERE key = ?",
        (f"{fact.table.kind}:{name}",),
    ).fetchall()
    runs = {
        each["run_id"] for each in contributions if "record" in json.loads(each["contribution"])
    }
    if runs != fact.by_run.keys():
        yield f"has contributions of {sorted(runs)}, expected {sorted(fact.by_run)}"
    if fact.table.kind == "preference":
        preferred = fact.preferred().payload["preference_value"]
        for each in contributions:
            own = fact.by_run.get(each["run_id"])
            loses = own is not None and own[-1].payload["preference_value"] != preferred
            if loses != bool(each["overruled"]) or loses != (each["evidence"] != "[]"):
                yield f"the contribution of {each['run_id']} is overruled: {each['overruled']!r}"


def _missing(
    table: Table,
    rows: Mapping[str, Mapping[str, Any]],
    here: Mapping[str, Expected],
    date: float,
    config: ConsolidationConfig,
) -> Iterator[str]:
    """Yield rows that are missing although they are relevant and below the cap."""
    cap = getattr(config, table.cap) if table.cap else 10**9
    groups: dict[object, int] = {}
    for row in rows.values():
        group = row.get("pattern_type")
        groups[group] = groups.get(group, 0) + 1
    for group, count in groups.items():
        if count > cap:
            yield f"{table.name}: {count} of {group} are over the cap"
    for name in sorted(here.keys() - rows.keys()):
        group = here[name].preferred().payload.get("pattern_type")
        relevance = here[name].relevance(date)
        if groups.get(group, 0) < cap and relevance >= config.importance_threshold + 1e-9:
            yield f"{table.name} {name}: missing with a relevance of {relevance:.3f}"


def _totals(file: sqlite3.Connection, lessons: Lessons) -> Iterator[str]:
    rows = [row.payload for group in lessons.values() for row in group if row.kind == "totals"]
    sums = {name: sum(each[name] for each in rows) for name in ("sessions", "battles", "victories")}
    stats = file.execute("SELECT * FROM tactician_stats").fetchone()
    won = stats["overall_win_rate"] * stats["total_battles"]
    found = {"sessions": stats["total_sessions"], "battles": stats["total_battles"]}
    if found != {name: sums[name] for name in found} or abs(won - sums["victories"]) > NEARLY:
        yield f"totals are {found} with {won} won, the lessons have {sums}"


def _entries(file: sqlite3.Connection, lessons: Lessons) -> Iterator[str]:
    by_run: dict[tuple[str, str], int] = {}
    for run, rows in lessons.items():
        for row in rows:
            if row.kind == "entry":
                place = row.payload["scope"], _key(run, row.payload)
                by_run[place] = by_run.get(place, 0) + 1
    for row in file.execute("SELECT scope, key, count, merged FROM ltm_entries").fetchall():
        if row["scope"] == "collective" or row["scope"].startswith("ltm:"):
            continue
        count = sum(
            by_run.get((row["scope"], key), 0) for key in (row["key"], *json.loads(row["merged"]))
        )
        if count != row["count"]:
            yield f"entry {row['key']}: counts {row['count']}, the lessons have it {count} times"


def _key(run: str, payload: Mapping[str, Any]) -> str:
    """Return the key of an entry, which begins with the run that wrote it first, or is that of a row over all games."""
    if payload["kind"] in OVER_GAMES:
        return f"{payload['kind']}:{payload['data']['subject']}"
    runs = (
        source.removeprefix("run:") for source in payload["sources"] if source.startswith("run:")
    )
    key = str(payload["key"])
    return key if any(key.startswith(f"{name}/") for name in (run, *runs)) else f"{run}/{key}"
