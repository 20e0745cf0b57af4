"""The contribution of each run to each knowledge row, stored so that merged memories count nothing twice.

A contribution only grows, lesson by lesson of its run: of two copies the one with the later lesson contains the other.
Every row is aggregated from contributions in an order that depends on nothing else. Where they disagree, the most
trusted one decides, then the newest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from memory.codec import Json, as_json, decode, encode, from_json
from memory.store.database import Database
from memory.store.knowledge_tables import BY_NAME
from memory.tiers.forgetting import decayed
from memory.tiers.knowledge import (
    KIND_BY_NAME,
    KIND_BY_TABLE,
    ConsolidationConfig,
    LearnedPattern,
    PlayerPreference,
    SuccessfulStrategy,
)
from memory.tiers.lessons import OutboxRow

Overruled: TypeAlias = dict[str, tuple[str, tuple[str, ...]]]  # by run: the reason and its evidence
TRUST: Final = {"claim": 0, "inferred": 1, "verified": 2}


def precedence(status: str, at: float, importance: int, name: str) -> tuple[int, float, int, str]:
    """Return the rank of a statement among others on the same row: the highest is believed; `name` settles ties."""
    return TRUST[status], at, importance, name


TOTALS_ROW: Final = "totals"  # the id of the only row of totals
BY_HAND: Final = "by hand"  # the source of rows that a person has repaired
RESTORED: Final = "restored"  # the source that keeps restored rows: they are never pruned
MANAGER: Final = "memory-management"  # the source of rows that several runs agree on


@dataclass(frozen=True, slots=True)
class Closing:
    """The closing of a row by a run: the reason, its evidence and its date."""

    sequence: int
    tick: int
    at: float
    reason: str
    evidence: tuple[str, ...]
    status: str = "verified"


OPEN: Final = Closing(0, 0, 0.0, "", ())


@dataclass(frozen=True, slots=True)
class Contribution:
    """The lessons of one run about one row, added up, and the run's closing of the row, if any.

    `sequence` is its last lesson about the row, `evidence_sequence` the last that added evidence. Dates are epoch seconds:
    `since` of the first lesson, `at` of the last, `dates_by_trust` of the last lesson of each trust; from `relevant_at` on,
    a date on the time line of decay, it fades. `is_forgotten` marks a row that was forgotten on purpose, up to that lesson.
    """

    run_id: str
    sequence: int = 0
    record: Mapping[str, Json] | None = None
    times: int = 0
    status: str = "verified"
    tick: int = 0
    evidence_sequence: int = 0
    since: float = 0.0
    at: float = 0.0
    relevant_at: float = 0.0
    evidence: tuple[str, ...] = ()
    dates_by_trust: Mapping[str, float] = field(default_factory=dict)
    closing: Closing | None = None
    is_forgotten: bool = False

    @property
    def has_record(self) -> bool:
        """Whether it holds a record."""
        return self.record is not None

    @property
    def content(self) -> Mapping[str, Any]:
        """The fields of its record, by name; empty without one."""
        return self.record or {}

    @property
    def precedence(self) -> tuple[int, float, int, str]:
        """The rank of its last lesson among other contributions."""
        return precedence(self.status, self.at, self.content.get("importance", 0), self.run_id)

    def with_lesson(
        self, lesson: OutboxRow, record: Mapping[str, Json], at: float, fresh: float
    ) -> Contribution:
        """Return the contribution after one more lesson; `record` holds all lessons, `at` is the date of this one, which fades from `fresh` on.

        It reopens a row the run had closed, unless the lesson is of the closing's tick or less trusted.
        """
        closing, status = self.closing, lesson.payload.get("status", "verified")
        dates = dict(self.dates_by_trust)
        if closing is not None and lesson.tick != closing.tick and _may_reopen(status, closing):
            closing = None
        return replace(
            self,
            sequence=lesson.sequence,
            record=record,
            times=self.times + 1,
            status=status,
            tick=lesson.tick,
            evidence_sequence=lesson.sequence,
            since=min(self.since, at) if self.has_record else at,
            at=max(self.at, at),
            relevant_at=fresh,
            evidence=tuple(lesson.payload.get("sources", ())),
            dates_by_trust=dates | {status: max(dates.get(status, at), at)},
            closing=closing,
            is_forgotten=False,
        )

    def with_closing(self, closing: Closing) -> Contribution:
        """Return the contribution after the run closed the row."""
        return replace(self, sequence=closing.sequence, closing=closing)

    def to_json(self) -> dict[str, Json]:
        """Return all fields except the run and the sequence, which are columns; defaults are left out."""
        if self.is_forgotten:
            return {_KEYS["is_forgotten"]: True}
        data: dict[str, Json] = {}
        if self.record is not None:
            usual = _defaults(self.sequence, self.at, self.status)
            values = {name: getattr(self, name) for name in _FIELDS}
            data = {
                _KEYS.get(name, name): values[name]
                for name in _FIELDS
                if values[name] != usual.get(name)
            }
        if self.closing is not None:
            data["closing"] = as_json(self.closing)
        return data

    @classmethod
    def from_json(cls, run_id: str, sequence: int, data: Mapping[str, Any]) -> Contribution:
        """Return the contribution that `to_json` wrote."""
        known = {_NAMES.get(name, name): each for name, each in data.items()}
        if "record" in data:
            known = _defaults(sequence, data["at"], data["status"]) | known
            known["evidence"] = tuple(known["evidence"])
        if "closing" in data:
            known["closing"] = from_json(Closing, data["closing"])
        return cls(run_id, sequence, **known)


_FIELDS: Final = [
    each.name
    for each in fields(Contribution)
    if each.name not in {"run_id", "sequence", "closing", "is_forgotten"}
]
# The keys of fields in files, where they differ.
_KEYS: Final = {
    "evidence_sequence": "taught",
    "relevant_at": "fresh",
    "dates_by_trust": "said",
    "is_forgotten": "let_go",
}
_NAMES: Final = {key: name for name, key in _KEYS.items()}


def _defaults(sequence: int, at: float, status: str) -> dict[str, Any]:
    """Return the default fields of a contribution with a record."""
    return {
        "evidence": (),
        "evidence_sequence": sequence,
        "since": at,
        "relevant_at": at,
        "dates_by_trust": {status: at},
    }


def latest_of(one: Contribution, other: Contribution) -> Contribution:
    """Return the one of two contributions of one run to one row that contains the other.

    The same lessons make the same contribution; in files older than contributions the choice ignores the order.
    """
    return max(
        one,
        other,
        key=lambda each: (each.sequence, each.is_forgotten, each.times, encode(each.to_json())),
    )


def by_precedence(contributions: Iterable[Contribution]) -> list[Contribution]:
    """Return the contributions with a record, ordered by precedence, the deciding one last."""
    return sorted((each for each in contributions if each.has_record), key=attrgetter("precedence"))


def standing_closing(contributions: Iterable[Contribution]) -> Closing:
    """Return the newest closing that no newer, equally trusted evidence has undone, or else `OPEN`."""
    known = list(contributions)
    stands = [
        (each.closing.at, each.run_id, each.closing)
        for each in known
        if each.closing is not None
        and not any(_reopens(other, each.closing) for other in known if other.run_id != each.run_id)
    ]
    return max(stands, key=lambda row: row[:2])[2] if stands else OPEN


def overruled_runs(contributions: Iterable[Contribution], by: Contribution, what: str) -> Overruled:
    """Return the reason why each contribution with another `what` than the deciding one does not hold."""
    reason = f"{by.run_id} says otherwise, which is {by.status} and "
    evidence = (f"run:{by.run_id}", *by.evidence)
    return {
        each.run_id: (
            reason + ("newer" if TRUST[each.status] == TRUST[by.status] else "more to be trusted"),
            evidence,
        )
        for each in contributions
        if each.content[what] != by.content[what]
    }


def _reopens(contribution: Contribution, closing: Closing) -> bool:
    return contribution.has_record and any(
        at > closing.at and _may_reopen(status, closing)
        for status, at in contribution.dates_by_trust.items()
    )


def _may_reopen(status: str, closing: Closing) -> bool:
    return TRUST[status] >= TRUST[closing.status]


class AggregatedRow(NamedTuple):
    """One knowledge row, the contribution that decides it, why it is closed, and which runs are overruled."""

    record: Any
    deciding: Contribution
    closed: str
    evidence: tuple[str, ...]
    overruled: Overruled


def aggregate(
    table: str, contributions: Iterable[Contribution], *, at: float, config: ConsolidationConfig
) -> AggregatedRow | None:
    """Return a row of one of the four tables at a date, or None while nothing is known to work often enough."""
    all_of_them = list(contributions)
    known = by_precedence(all_of_them)
    if not known:
        return None
    kind, deciding, overruled = KIND_BY_TABLE[table], known[-1], Overruled()
    rate = config.forgetting_decay_rate
    record = reduce(kind.merge, (from_json(kind.record, each.content) for each in known))
    if isinstance(record, SuccessfulStrategy) and record.success_rate == 0.0:
        return None
    if isinstance(record, LearnedPattern):
        if record.success_count < config.min_occurrences_for_pattern:
            return None
        record = _faded_pattern(record, known, at, rate)
    elif isinstance(record, PlayerPreference):
        record = _faded_preference(record, known, at, rate)
        # Only preferences can differ under one id.
        overruled = overruled_runs(known, deciding, "preference_value")
    closing = standing_closing(all_of_them)
    return AggregatedRow(
        record, deciding, closing.reason, (*deciding.evidence, *closing.evidence), overruled
    )


def sum_totals(contributions: Iterable[Contribution]) -> dict[str, int]:
    """Return the sums of sessions, battles and victories over all runs."""
    sums = {"sessions": 0, "battles": 0, "victories": 0}
    for contribution in contributions:
        sums = {name: count + contribution.content.get(name, 0) for name, count in sums.items()}
    return sums


def _faded_pattern(
    record: LearnedPattern, known: Sequence[Contribution], at: float, rate: float
) -> LearnedPattern:
    first = min(known, key=attrgetter("since", "run_id")).content
    since = max(each.relevant_at for each in known)
    return replace(
        record,
        learned_from_session=first["learned_from_session"],
        learned_from_tick=first["learned_from_tick"],
        relevance_score=record.relevance_score * decayed(since, at, rate),
    )


def _faded_preference(
    record: PlayerPreference, known: Sequence[Contribution], at: float, rate: float
) -> PlayerPreference:
    return replace(
        record,
        created_at=min(each.content["created_at"] for each in known),
        confidence=record.confidence * decayed(known[-1].relevant_at, at, rate),
    )


ByRun: TypeAlias = "dict[str, Contribution]"  # by run
ByRow: TypeAlias = "dict[tuple[str, str], ByRun]"  # by table and id
TOTALS_TABLE: Final = "tactician_stats"
FORGOTTEN: Final = encode(Contribution("", is_forgotten=True).to_json())

_SELECT: Final = "SELECT table_name, id, run_id, sequence, share FROM shares "
_KEEP: Final = (
    "INSERT INTO shares (table_name, id, run_id, sequence, share) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET sequence = excluded.sequence, share = excluded.share, "
    "closed = '', evidence = '[]'"
)


def closing_from(lesson: OutboxRow, at: float) -> Closing:
    """Return the closing in a lesson; `at` is its date when the lesson has none."""
    payload: Any = lesson.payload
    return Closing(
        lesson.sequence,
        lesson.tick,
        float(payload.get("at", at)),
        payload["reason"],
        tuple(payload["evidence"]),
        payload.get("status", "verified"),
    )


class ContributionTable:
    """The table of contributions, including those to archived rows: from them a row returns with all its evidence."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, table: str, memory_id: str) -> ByRun:
        """Return the contributions to one row, by run."""
        rows = self._database.rows(_SELECT + "WHERE table_name = ? AND id = ?", (table, memory_id))
        return {contribution.run_id: contribution for _, contribution in self._read(rows)}

    def all(self, *tables: str) -> ByRow:
        """Return the contributions to all rows of `tables`, or of every table when none is given."""
        marks = ", ".join("?" * len(tables))
        rows = self._database.rows(
            f"{_SELECT}WHERE table_name IN ({marks})" if tables else _SELECT, tables
        )
        found: defaultdict[tuple[str, str], ByRun] = defaultdict(dict)
        for key, contribution in self._read(rows):
            found[key][contribution.run_id] = contribution
        return dict(found)

    def save(self, table: str, memory_id: str, contributions: Iterable[Contribution]) -> None:
        """Replace the contributions of these runs to one row."""
        self.save_all({(table, memory_id): {each.run_id: each for each in contributions}})

    def save_all(self, saved: Mapping[tuple[str, str], ByRun]) -> None:
        """Replace the contributions of these runs to many rows."""
        rows = [
            (*key, each.run_id, each.sequence, encode(_row_json(key[0], each)))
            for key, runs in saved.items()
            for each in runs.values()
        ]
        self._database.execute_many(_KEEP, rows)

    def forget(self, rows: Iterable[tuple[str, str]]) -> None:
        """Mark rows as forgotten on purpose, up to their last lessons."""
        self._database.execute_many(
            "UPDATE shares SET share = ?1, closed = '', evidence = '[]' "
            "WHERE table_name = ?2 AND id = ?3 AND share <> ?1",
            [(FORGOTTEN, *key) for key in rows],
        )

    def save_manual(
        self, table: str, memory_id: str, record: Mapping[str, Json], at: float
    ) -> None:
        """Replace all contributions to a row by one without a run; `at` is its date."""
        last = self.of(table, memory_id).get(BY_HAND, Contribution(BY_HAND)).sequence
        self.forget([(table, memory_id)])
        data = {"record": record, "times": 1, "status": "verified", "at": at}
        self.save(table, memory_id, [Contribution.from_json(BY_HAND, last + 1, data)])

    def mark(self, table: str, memory_id: str, overruled: Overruled) -> None:
        """Record which runs are overruled, with reason and evidence; all other contributions hold."""
        self._database.execute(
            "UPDATE shares SET closed = '', evidence = '[]' "
            "WHERE table_name = ? AND id = ? AND closed <> ''",
            (table, memory_id),
        )
        self._database.execute_many(
            "UPDATE shares SET closed = ?, evidence = ? "
            "WHERE table_name = ? AND id = ? AND run_id = ?",
            [
                (reason, encode(evidence), table, memory_id, run_id)
                for run_id, (reason, evidence) in overruled.items()
            ],
        )

    def stored(self, run_id: str) -> list[tuple[str, str, int, str]]:
        """Return the contributions of one run as stored: table, id, sequence and content of each."""
        return self._database.rows(
            "SELECT table_name, id, sequence, share FROM shares WHERE run_id = ? ORDER BY 1, 2",
            (run_id,),
        )

    def take_back(
        self, run_id: str, after: int, rows: Iterable[tuple[str, str, int, str]]
    ) -> list[tuple[str, str]]:
        """Replace what a run contributed after lesson `after` by its `rows` of then, from `stored`; return the keys.

        What was forgotten on purpose since then stays so.
        """
        then = {(table, name): rest for table, name, *rest in rows}
        changed = [
            (table, name)
            for table, name, sequence, share in self.stored(run_id)
            if sequence > after and share != FORGOTTEN
        ]
        self._database.execute_many(
            "DELETE FROM shares WHERE table_name = ? AND id = ? AND run_id = ?",
            ((*key, run_id) for key in changed),
        )
        back = [(*key, run_id, *then[key]) for key in changed if key in then]
        self._database.execute_many(_KEEP, back)
        return changed

    def restored(self) -> frozenset[tuple[str, str]]:
        """Return table and id of the rows that were brought back from the archive, and not forgotten again."""
        sql = "SELECT table_name, id FROM shares WHERE run_id = ? AND share <> ?"
        return frozenset(self._database.rows(sql, (RESTORED, FORGOTTEN)))

    def run_ids(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return the sorted runs that contributed to each row, by table and id."""
        found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        rows = self._database.rows(
            "SELECT table_name, id, run_id FROM shares "
            "WHERE json_type(share, '$.record') IS NOT NULL ORDER BY run_id"
        )
        for table, memory_id, run_id in rows:
            found[table, memory_id].append(run_id)
        return {key: tuple(runs) for key, runs in found.items()}

    def _read(
        self, rows: Iterable[tuple[str, str, str, int, str]]
    ) -> Iterator[tuple[tuple[str, str], Contribution]]:
        with self._database.decoding("shares"):
            for table, memory_id, run_id, sequence, contribution in rows:
                data = decode(contribution)
                if table in BY_NAME and "record" in data:
                    data["record"] = dict(zip(BY_NAME[table].columns, data["record"], strict=True))
                yield (table, memory_id), Contribution.from_json(run_id, sequence, data)


def _row_json(table: str, contribution: Contribution) -> dict[str, Json]:
    """Return a contribution as stored: a record of the four tables as its values in column order."""
    data = contribution.to_json()
    if contribution.record is not None and table in BY_NAME:
        data["record"] = [contribution.record[name] for name in BY_NAME[table].columns]
    return data


class LessonIntake:
    """Adds lessons of one run to its contributions in order; `save` writes them.

    `today` dates undated lessons; `fades_from` returns from when a lesson of a date fades.
    """

    def __init__(
        self,
        contributions: ContributionTable,
        run_id: str,
        today: float,
        fades_from: Callable[[float], float],
    ) -> None:
        self._contributions = contributions
        self._run_id = run_id
        self._today = today
        self._fades_from = fades_from
        self._changed: ByRow = {}

    def add(self, row: OutboxRow) -> None:
        """Add a lesson about a row of the four tables, a closing, or totals."""
        if row.kind == "totals":
            mine, runs = self._own(TOTALS_TABLE, TOTALS_ROW)
            sums = sum_totals([mine])
            counted: dict[str, Json] = {name: sums[name] + row.payload[name] for name in sums}
            contribution = Contribution(self._run_id, row.sequence, counted, mine.times + 1)
        elif row.kind == "close":
            payload: Any = row.payload
            mine, runs = self._own(payload["table"], payload["id"])
            contribution = mine.with_closing(closing_from(row, self._today))
        else:
            table = BY_NAME[KIND_BY_NAME[row.kind].table]
            mine, runs = self._own(table.name, row.payload[table.id_column])
            record = from_json(table.kind.record, row.payload)
            at = table.kind.last_of(record)
            if mine.record is not None:
                record = table.kind.merge(from_json(table.kind.record, mine.record), record)
            contribution = mine.with_lesson(row, as_json(record), at, self._fades_from(at))
        runs[self._run_id] = contribution

    def save(self) -> ByRow:
        """Write the contributions of this run, and return all contributions to the changed rows."""
        mine = self._run_id
        self._contributions.save_all(
            {each: {mine: runs[mine]} for each, runs in self._changed.items()}
        )
        return self._changed

    def _own(self, table: str, memory_id: str) -> tuple[Contribution, ByRun]:
        key = table, memory_id
        if key not in self._changed:
            self._changed[key] = self._contributions.of(table, memory_id)
        runs = self._changed[key]
        return runs.get(self._run_id, Contribution(self._run_id)), runs
