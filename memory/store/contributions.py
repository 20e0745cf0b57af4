"""What each run has contributed to each piece of knowledge, so that memories can be merged without counting twice.

A share only grows, lesson by lesson of its run: of two that a run has of one thing, in copies of a memory that grew
apart, the one with the later lesson contains the other. Whatever is known is folded from shares in an order that
depends on nothing but them. Of several words about one thing the most trusted stands, then the newest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from memory.codec import Json, as_json, decode, encode, from_json
from memory.store.database import Database
from memory.store.knowledge_tables import TABLE_NAMED, TABLES
from memory.tiers.forgetting import faded
from memory.tiers.knowledge import (
    KIND_IN,
    KIND_NAMED,
    Knowledge,
    LearnedPattern,
    PlayerPreference,
    SuccessfulStrategy,
)
from memory.tiers.lessons import OutboxRow

Overruled: TypeAlias = dict[str, tuple[str, tuple[str, ...]]]  # by run: why, and what shows it
TRUST: Final = {"claim": 0, "inferred": 1, "verified": 2}


def precedence(status: str, at: float, importance: int, name: str) -> tuple[int, float, int, str]:
    """Return how a word stands among others about the same thing: the highest is believed; `name` settles ties."""
    return TRUST[status], at, importance, name


TOTALS_ROW: Final = "totals"  # the one row of totals
MANUAL_SOURCE: Final = "by hand"  # who teaches what was saved without a run
MANAGER: Final = "memory-management"  # who tells what several runs agree on


@dataclass(frozen=True, slots=True)
class Closing:
    """Why a run holds something to be no longer true, and since when."""

    sequence: int
    tick: int
    at: float
    reason: str
    evidence: tuple[str, ...]
    status: str = "verified"


OPEN: Final = Closing(0, 0, 0.0, "", ())


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one run taught of one thing, added up, and whether it closed it.

    `sequence` is its last lesson about it, `taught` the last that taught. Dates are in epoch seconds: `since` the first
    word, `at` the last, `fresh` when relevance was what the record says, `said` the last word of each trust.
    `let_go` says that it was forgotten on purpose, up to that lesson.
    """

    run_id: str
    sequence: int = 0
    record: Mapping[str, Json] | None = None
    times: int = 0
    status: str = "verified"
    tick: int = 0
    taught: int = 0
    since: float = 0.0
    at: float = 0.0
    fresh: float = 0.0
    evidence: tuple[str, ...] = ()
    said: Mapping[str, float] = field(default_factory=dict)
    closing: Closing | None = None
    let_go: bool = False

    @property
    def has_record(self) -> bool:
        """Whether it teaches anything."""
        return self.record is not None

    @property
    def content(self) -> Mapping[str, Any]:
        """All that it teaches, by name."""
        return self.record or {}

    @property
    def precedence(self) -> tuple[int, float, int, str]:
        """How its last word stands among those of others."""
        return precedence(self.status, self.at, self.content.get("importance", 0), self.run_id)

    def with_lesson(self, lesson: OutboxRow, record: Mapping[str, Json], at: float) -> Contribution:
        """Return the share after one more lesson, by which `record` is all that was taught; `at` is when it was last so.

        What the run itself had closed holds again, unless the lesson is of the very tick that closed it, or less trusted.
        """
        closing, status = self.closing, lesson.payload.get("status", "verified")
        if closing is not None and lesson.tick != closing.tick and _may_reopen(status, closing):
            closing = None
        return replace(
            self,
            sequence=lesson.sequence,
            record=record,
            times=self.times + 1,
            status=status,
            tick=lesson.tick,
            taught=lesson.sequence,
            since=min(self.since, at) if self.has_record else at,
            at=max(self.at, at),
            fresh=at,
            evidence=tuple(lesson.payload.get("sources", ())),
            said={**self.said, status: max(self.said.get(status, at), at)},
            closing=closing,
            let_go=False,
        )

    def closed(self, closing: Closing) -> Contribution:
        """Return the share of a run that has seen that something does not hold."""
        return replace(self, sequence=closing.sequence, closing=closing)

    def to_json(self) -> dict[str, Json]:
        """Return everything but the run and the sequence, which are columns; what goes without saying is left out."""
        if self.let_go:
            return {"let_go": True}
        data: dict[str, Json] = {}
        if self.record is not None:
            usual = _defaults(self.sequence, self.at, self.status)
            values = {name: getattr(self, name) for name in _RECORD_FIELDS}
            data = {
                name: values[name] for name in _RECORD_FIELDS if values[name] != usual.get(name)
            }
        if self.closing is not None:
            data["closing"] = as_json(self.closing)
        return data

    @classmethod
    def from_json(cls, run_id: str, sequence: int, data: Mapping[str, Any]) -> Contribution:
        """Return the share that `to_json` took apart."""
        known = dict(data)
        if "record" in data:
            known = _defaults(sequence, data["at"], data["status"]) | known
            known["evidence"] = tuple(known["evidence"])
        if "closing" in data:
            known["closing"] = from_json(Closing, data["closing"])
        return cls(run_id, sequence, **known)


_RECORD_FIELDS: Final = [
    each.name
    for each in fields(Contribution)
    if each.name not in {"run_id", "sequence", "closing", "let_go"}
]


def _defaults(sequence: int, at: float, status: str) -> dict[str, Any]:
    """Return what goes without saying of a share that teaches."""
    return {"evidence": (), "taught": sequence, "since": at, "fresh": at, "said": {status: at}}


def joined(one: Contribution, other: Contribution) -> Contribution:
    """Return which of two shares that one run has of one thing contains the other.

    The same lessons make the same share. Where they did not, as in files older than shares, the choice is the same
    whichever comes first.
    """
    return max(
        one,
        other,
        key=lambda each: (each.sequence, each.let_go, each.times, encode(each.to_json())),
    )


def by_precedence(shares: Iterable[Contribution]) -> list[Contribution]:
    """Return the shares that teach something, the one that is believed last."""
    return sorted((each for each in shares if each.has_record), key=attrgetter("precedence"))


def standing_closing(shares: Iterable[Contribution]) -> Closing:
    """Return the newest closing that no newer evidence, as much to be trusted, has undone, or else `OPEN`."""
    known = list(shares)
    stands = [
        (each.closing.at, each.run_id, each.closing)
        for each in known
        if each.closing is not None
        and not any(_reopens(other, each.closing) for other in known if other.run_id != each.run_id)
    ]
    return max(stands, key=lambda row: row[:2])[2] if stands else OPEN


def overruled_runs(shares: Iterable[Contribution], by: Contribution, what: str) -> Overruled:
    """Return why those of `shares` that say another `what` do not stand against the one that is believed."""
    reason = f"{by.run_id} says otherwise, which is {by.status} and "
    evidence = (f"run:{by.run_id}", *by.evidence)
    return {
        each.run_id: (
            reason + ("newer" if TRUST[each.status] == TRUST[by.status] else "more to be trusted"),
            evidence,
        )
        for each in shares
        if each.content[what] != by.content[what]
    }


def _reopens(share: Contribution, closing: Closing) -> bool:
    return share.has_record and any(
        at > closing.at and _may_reopen(status, closing) for status, at in share.said.items()
    )


def _may_reopen(status: str, closing: Closing) -> bool:
    return TRUST[status] >= TRUST[closing.status]


class AggregatedRow(NamedTuple):
    """One piece of knowledge, whose word it is, why it is closed if it is, and whose words do not stand."""

    record: Any
    deciding: Contribution
    closed: str
    evidence: tuple[str, ...]
    overruled: Overruled


def aggregate(
    table: str, shares: Iterable[Contribution], *, at: float, rate: float
) -> AggregatedRow | None:
    """Return what a row of one of the four tables is at a date, or None while nothing is known that works."""
    all_of_them = list(shares)
    known = by_precedence(all_of_them)
    if not known:
        return None
    kind, deciding, overruled = KIND_IN[table], known[-1], Overruled()
    record = reduce(kind.more, (from_json(kind.record, each.content) for each in known))
    if isinstance(record, SuccessfulStrategy) and record.success_rate == 0.0:
        return None
    if isinstance(record, LearnedPattern):
        record = _faded_pattern(record, known, at, rate)
    elif isinstance(record, PlayerPreference):
        record = _faded_preference(record, known, at, rate)
        # Only of preferences do runs say different things under one id.
        overruled = overruled_runs(known, deciding, "preference_value")
    closing = standing_closing(all_of_them)
    return AggregatedRow(
        record, deciding, closing.reason, (*deciding.evidence, *closing.evidence), overruled
    )


def sum_totals(shares: Iterable[Contribution]) -> dict[str, int]:
    """Return the sums of sessions, battles and victories over the runs."""
    sums = {"sessions": 0, "battles": 0, "victories": 0}
    for share in shares:
        sums = {name: count + share.content.get(name, 0) for name, count in sums.items()}
    return sums


def _faded_pattern(
    record: LearnedPattern, known: Sequence[Contribution], at: float, rate: float
) -> LearnedPattern:
    first = min(known, key=attrgetter("since", "run_id")).content
    since = known[0].fresh if len(known) == 1 else record.last_validated
    return replace(
        record,
        learned_from_session=first["learned_from_session"],
        learned_from_tick=first["learned_from_tick"],
        relevance_score=record.relevance_score * faded(since, at, rate),
    )


def _faded_preference(
    record: PlayerPreference, known: Sequence[Contribution], at: float, rate: float
) -> PlayerPreference:
    return replace(
        record,
        created_at=min(each.content["created_at"] for each in known),
        confidence=record.confidence * faded(known[-1].fresh, at, rate),
    )


ByRun: TypeAlias = "dict[str, Contribution]"  # by run
ByRow: TypeAlias = "dict[tuple[str, str], ByRun]"  # by table and id
TOTALS_TABLE: Final = "tactician_stats"
FORGOTTEN: Final = encode(Contribution("", let_go=True).to_json())

_SELECT: Final = "SELECT table_name, id, run_id, sequence, share FROM shares "
_KEEP: Final = (
    "INSERT INTO shares (table_name, id, run_id, sequence, share) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET sequence = excluded.sequence, share = excluded.share, "
    "closed = '', evidence = '[]'"
)


def closing_from(lesson: OutboxRow, at: float) -> Closing:
    """Return the closing that a lesson tells of; `at` is the date it is given when the lesson has none."""
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
    """Every share there is, also of what was let go of meanwhile: from it a row comes back with all its evidence."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, table: str, memory_id: str) -> ByRun:
        """Return the shares of one thing, by run."""
        rows = self._database.rows(_SELECT + "WHERE table_name = ? AND id = ?", (table, memory_id))
        return {share.run_id: share for _, share in self._read(rows)}

    def all(self, *tables: str) -> ByRow:
        """Return the shares of all things in `tables`, or in all tables where none is named."""
        marks = ", ".join("?" * len(tables))
        rows = self._database.rows(
            f"{_SELECT}WHERE table_name IN ({marks})" if tables else _SELECT, tables
        )
        found: defaultdict[tuple[str, str], ByRun] = defaultdict(dict)
        for row_key, share in self._read(rows):
            found[row_key][share.run_id] = share
        return dict(found)

    def keep(self, table: str, memory_id: str, shares: Iterable[Contribution]) -> None:
        """Put shares in the place of those that the same runs had."""
        self.save_all({(table, memory_id): {each.run_id: each for each in shares}})

    def save_all(self, things: Mapping[tuple[str, str], ByRun]) -> None:
        """Put shares of many things in the place of those that the same runs had."""
        rows = [
            (*row_key, each.run_id, each.sequence, encode(_row_json(row_key[0], each)))
            for row_key, runs in things.items()
            for each in runs.values()
        ]
        self._database.execute_many(_KEEP, rows)

    def let_go(self, things: Iterable[tuple[str, str]]) -> None:
        """Keep of things that are forgotten on purpose nothing but that, and up to which lessons."""
        self._database.execute_many(
            "UPDATE shares SET share = ?1, closed = '', evidence = '[]' "
            "WHERE table_name = ?2 AND id = ?3 AND share <> ?1",
            [(FORGOTTEN, *row_key) for row_key in things],
        )

    def save_manual(
        self, table: str, memory_id: str, record: Mapping[str, Json], at: float
    ) -> None:
        """Let a thing be what was saved without a run, and nothing else; `at` is when it was last so."""
        last = self.of(table, memory_id).get(MANUAL_SOURCE, Contribution(MANUAL_SOURCE)).sequence
        self.let_go([(table, memory_id)])
        data = {"record": record, "times": 1, "status": "verified", "at": at}
        self.keep(table, memory_id, [Contribution.from_json(MANUAL_SOURCE, last + 1, data)])

    def mark(self, table: str, memory_id: str, overruled: Overruled) -> None:
        """Note which runs' words do not stand, why, and what shows it; those of all others do."""
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

    def teachers(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return the runs that taught each thing, by table and id, in the order of their names."""
        found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        rows = self._database.rows(
            "SELECT table_name, id, run_id FROM shares "
            "WHERE json_type(share, '$.record') IS NOT NULL ORDER BY run_id"
        )
        for table, memory_id, run_id in rows:
            found[table, memory_id].append(run_id)
        return {row_key: tuple(runs) for row_key, runs in found.items()}

    def _read(
        self, rows: Iterable[tuple[str, str, str, int, str]]
    ) -> Iterator[tuple[tuple[str, str], Contribution]]:
        with self._database.understood("shares"):
            for table, memory_id, run_id, sequence, share in rows:
                data = decode(share)
                if table in TABLE_NAMED and "record" in data:
                    data["record"] = dict(
                        zip(TABLE_NAMED[table].columns, data["record"], strict=True)
                    )
                yield (table, memory_id), Contribution.from_json(run_id, sequence, data)


def _row_json(table: str, share: Contribution) -> dict[str, Json]:
    """Return a share as it is kept: of a record of the four tables the values, in the order of their columns."""
    data = share.to_json()
    if share.record is not None and table in TABLE_NAMED:
        data["record"] = [share.record[name] for name in TABLE_NAMED[table].columns]
    return data


class LessonIntake:
    """Lessons of one run, added to its shares in their order; `keep` writes them. `now` dates what has no date."""

    def __init__(self, shares: ContributionTable, run_id: str, now: float) -> None:
        self._contributions = shares
        self._run_id = run_id
        self._now = now
        self._changed: ByRow = {}

    def take(self, row: OutboxRow) -> None:
        """Add a lesson about a row of the four tables, what closes one, or totals."""
        if row.kind == "totals":
            mine, runs = self._share(TOTALS_TABLE, TOTALS_ROW)
            sums = sum_totals([mine])
            counted: dict[str, Json] = {name: sums[name] + row.payload[name] for name in sums}
            share = Contribution(self._run_id, row.sequence, counted, mine.times + 1)
        elif row.kind == "close":
            payload: Any = row.payload
            mine, runs = self._share(payload["table"], payload["id"])
            share = mine.closed(closing_from(row, self._now))
        else:
            table = TABLE_NAMED[KIND_NAMED[row.kind].table]
            mine, runs = self._share(table.name, row.payload[table.id_column])
            record = from_json(table.kind.record, row.payload)
            at = table.kind.last_of(record)
            if mine.record is not None:
                record = table.kind.more(from_json(table.kind.record, mine.record), record)
            share = mine.with_lesson(row, as_json(record), at)
        runs[self._run_id] = share

    def keep(self) -> ByRow:
        """Return the shares of all that was touched, after what this run adds to them is written."""
        mine = self._run_id
        self._contributions.save_all(
            {each: {mine: runs[mine]} for each, runs in self._changed.items()}
        )
        return self._changed

    def _share(self, table: str, memory_id: str) -> tuple[Contribution, ByRun]:
        row_key = table, memory_id
        if row_key not in self._changed:
            self._changed[row_key] = self._contributions.of(table, memory_id)
        runs = self._changed[row_key]
        return runs.get(self._run_id, Contribution(self._run_id)), runs


def save_manual(shares: ContributionTable, before: Knowledge, after: Knowledge) -> None:
    """Make the shares say what was saved without a run: what was changed is one share, what is gone is none."""
    for table in TABLES:
        old, new = before.of(table.name), after.of(table.name)
        shares.let_go((table.name, name) for name in old.keys() - new.keys())
        for name, record in new.items():
            if old.get(name) != record:
                shares.save_manual(table.name, name, as_json(record), table.kind.last_of(record))
    if _sums(before) != _sums(after):
        shares.save_manual(TOTALS_TABLE, TOTALS_ROW, _sums(after), 0.0)


def _sums(known: Knowledge) -> dict[str, Json]:
    won = known.overall_win_rate * known.total_battles
    return {
        "sessions": known.total_sessions,
        "battles": known.total_battles,
        "victories": round(won) if abs(won - round(won)) < 1e-6 else won,
    }
