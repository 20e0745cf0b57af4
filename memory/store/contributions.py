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
from memory.store.knowledge_tables import BY_NAME, TABLES
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

Losers: TypeAlias = dict[str, tuple[str, tuple[str, ...]]]  # by run: why, and what shows it
TRUST: Final = {"claim": 0, "inferred": 1, "verified": 2}


def standing(status: str, at: float, importance: int, name: str) -> tuple[int, float, int, str]:
    """Return how a word stands among others about the same thing: the highest is believed; `name` settles ties."""
    return TRUST[status], at, importance, name


TOTALS_ROW: Final = "totals"  # the one row of totals
BY_HAND: Final = "by hand"  # who teaches what was saved without a run
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
class Share:
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
    def is_known(self) -> bool:
        """Whether it teaches anything."""
        return self.record is not None

    @property
    def says(self) -> Mapping[str, Any]:
        """All that it teaches, by name."""
        return self.record or {}

    @property
    def standing(self) -> tuple[int, float, int, str]:
        """How its last word stands among those of others."""
        return standing(self.status, self.at, self.says.get("importance", 0), self.run_id)

    def taught_again(self, lesson: OutboxRow, record: Mapping[str, Json], at: float) -> Share:
        """Return the share after one more lesson, by which `record` is all that was taught; `at` is when it was last so.

        What the run itself had closed holds again, unless the lesson is of the very tick that closed it, or less trusted.
        """
        closing, status = self.closing, lesson.payload.get("status", "verified")
        if closing is not None and lesson.tick != closing.tick and _may_open(status, closing):
            closing = None
        return replace(
            self,
            sequence=lesson.sequence,
            record=record,
            times=self.times + 1,
            status=status,
            tick=lesson.tick,
            taught=lesson.sequence,
            since=min(self.since, at) if self.is_known else at,
            at=max(self.at, at),
            fresh=at,
            evidence=tuple(lesson.payload.get("sources", ())),
            said={**self.said, status: max(self.said.get(status, at), at)},
            closing=closing,
            let_go=False,
        )

    def closed(self, closing: Closing) -> Share:
        """Return the share of a run that has seen that something does not hold."""
        return replace(self, sequence=closing.sequence, closing=closing)

    def to_json(self) -> dict[str, Json]:
        """Return everything but the run and the sequence, which are columns; what goes without saying is left out."""
        if self.let_go:
            return {"let_go": True}
        told: dict[str, Json] = {}
        if self.record is not None:
            usual = _usual(self.sequence, self.at, self.status)
            values = {name: getattr(self, name) for name in _TAUGHT}
            told = {name: values[name] for name in _TAUGHT if values[name] != usual.get(name)}
        if self.closing is not None:
            told["closing"] = as_json(self.closing)
        return told

    @classmethod
    def from_json(cls, run_id: str, sequence: int, told: Mapping[str, Any]) -> Share:
        """Return the share that `to_json` took apart."""
        known = dict(told)
        if "record" in told:
            known = _usual(sequence, told["at"], told["status"]) | known
            known["evidence"] = tuple(known["evidence"])
        if "closing" in told:
            known["closing"] = from_json(Closing, told["closing"])
        return cls(run_id, sequence, **known)


_TAUGHT: Final = [
    each.name
    for each in fields(Share)
    if each.name not in {"run_id", "sequence", "closing", "let_go"}
]


def _usual(sequence: int, at: float, status: str) -> dict[str, Any]:
    """Return what goes without saying of a share that teaches."""
    return {"evidence": (), "taught": sequence, "since": at, "fresh": at, "said": {status: at}}


def joined(one: Share, other: Share) -> Share:
    """Return which of two shares that one run has of one thing contains the other.

    The same lessons make the same share. Where they did not, as in files older than shares, the choice is the same
    whichever comes first.
    """
    return max(
        one,
        other,
        key=lambda each: (each.sequence, each.let_go, each.times, encode(each.to_json())),
    )


def teaching(shares: Iterable[Share]) -> list[Share]:
    """Return the shares that teach something, the one that is believed last."""
    return sorted((each for each in shares if each.is_known), key=attrgetter("standing"))


def closing_of(shares: Iterable[Share]) -> Closing:
    """Return the newest closing that no newer evidence, as much to be trusted, has undone, or else `OPEN`."""
    known = list(shares)
    stands = [
        (each.closing.at, each.run_id, each.closing)
        for each in known
        if each.closing is not None
        and not any(_undoes(other, each.closing) for other in known if other.run_id != each.run_id)
    ]
    return max(stands, key=lambda row: row[:2])[2] if stands else OPEN


def outspoken(shares: Iterable[Share], by: Share, what: str) -> Losers:
    """Return why those of `shares` that say another `what` do not stand against the one that is believed."""
    reason = f"{by.run_id} says otherwise, which is {by.status} and "
    evidence = (f"run:{by.run_id}", *by.evidence)
    return {
        each.run_id: (
            reason + ("newer" if TRUST[each.status] == TRUST[by.status] else "more to be trusted"),
            evidence,
        )
        for each in shares
        if each.says[what] != by.says[what]
    }


def _undoes(share: Share, closing: Closing) -> bool:
    return share.is_known and any(
        at > closing.at and _may_open(status, closing) for status, at in share.said.items()
    )


def _may_open(status: str, closing: Closing) -> bool:
    return TRUST[status] >= TRUST[closing.status]


class Folded(NamedTuple):
    """One piece of knowledge, whose word it is, why it is closed if it is, and whose words do not stand."""

    record: Any
    voice: Share
    closed: str
    evidence: tuple[str, ...]
    losers: Losers


def fold(table: str, shares: Iterable[Share], *, at: float, rate: float) -> Folded | None:
    """Return what a row of one of the four tables is at a date, or None while nothing is known that works."""
    all_of_them = list(shares)
    known = teaching(all_of_them)
    if not known:
        return None
    kind, voice, losers = KIND_IN[table], known[-1], Losers()
    record = reduce(kind.more, (from_json(kind.record, each.says) for each in known))
    if isinstance(record, SuccessfulStrategy) and record.success_rate == 0.0:
        return None
    if isinstance(record, LearnedPattern):
        record = _faded_pattern(record, known, at, rate)
    elif isinstance(record, PlayerPreference):
        record = _faded_preference(record, known, at, rate)
        # Only of preferences do runs say different things under one id.
        losers = outspoken(known, voice, "preference_value")
    closing = closing_of(all_of_them)
    return Folded(record, voice, closing.reason, (*voice.evidence, *closing.evidence), losers)


def sum_totals(shares: Iterable[Share]) -> dict[str, int]:
    """Return the sums of sessions, battles and victories over the runs."""
    sums = {"sessions": 0, "battles": 0, "victories": 0}
    for share in shares:
        sums = {name: count + share.says.get(name, 0) for name, count in sums.items()}
    return sums


def _faded_pattern(
    record: LearnedPattern, known: Sequence[Share], at: float, rate: float
) -> LearnedPattern:
    first = min(known, key=attrgetter("since", "run_id")).says
    since = known[0].fresh if len(known) == 1 else record.last_validated
    return replace(
        record,
        learned_from_session=first["learned_from_session"],
        learned_from_tick=first["learned_from_tick"],
        relevance_score=record.relevance_score * faded(since, at, rate),
    )


def _faded_preference(
    record: PlayerPreference, known: Sequence[Share], at: float, rate: float
) -> PlayerPreference:
    return replace(
        record,
        created_at=min(each.says["created_at"] for each in known),
        confidence=record.confidence * faded(known[-1].fresh, at, rate),
    )


Runs: TypeAlias = "dict[str, Share]"  # by run
ByThing: TypeAlias = "dict[tuple[str, str], Runs]"  # by table and id
TOTALS_TABLE: Final = "tactician_stats"
LET_GO: Final = encode(Share("", let_go=True).to_json())

_SELECT: Final = "SELECT table_name, id, run_id, sequence, share FROM shares "
_KEEP: Final = (
    "INSERT INTO shares (table_name, id, run_id, sequence, share) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET sequence = excluded.sequence, share = excluded.share, "
    "closed = '', evidence = '[]'"
)


def closing_in(lesson: OutboxRow, at: float) -> Closing:
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


class Shares:
    """Every share there is, also of what was let go of meanwhile: from it a row comes back with all its evidence."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, table: str, memory_id: str) -> Runs:
        """Return the shares of one thing, by run."""
        rows = self._database.rows(_SELECT + "WHERE table_name = ? AND id = ?", (table, memory_id))
        return {share.run_id: share for _, share in self._read(rows)}

    def all(self, *tables: str) -> ByThing:
        """Return the shares of all things in `tables`, or in all tables where none is named."""
        marks = ", ".join("?" * len(tables))
        rows = self._database.rows(
            f"{_SELECT}WHERE table_name IN ({marks})" if tables else _SELECT, tables
        )
        found: defaultdict[tuple[str, str], Runs] = defaultdict(dict)
        for thing, share in self._read(rows):
            found[thing][share.run_id] = share
        return dict(found)

    def keep(self, table: str, memory_id: str, shares: Iterable[Share]) -> None:
        """Put shares in the place of those that the same runs had."""
        self.keep_all({(table, memory_id): {each.run_id: each for each in shares}})

    def keep_all(self, things: Mapping[tuple[str, str], Runs]) -> None:
        """Put shares of many things in the place of those that the same runs had."""
        rows = [
            (*thing, each.run_id, each.sequence, encode(_packed(thing[0], each)))
            for thing, runs in things.items()
            for each in runs.values()
        ]
        self._database.execute_many(_KEEP, rows)

    def let_go(self, things: Iterable[tuple[str, str]]) -> None:
        """Keep of things that are forgotten on purpose nothing but that, and up to which lessons."""
        self._database.execute_many(
            "UPDATE shares SET share = ?1, closed = '', evidence = '[]' "
            "WHERE table_name = ?2 AND id = ?3 AND share <> ?1",
            [(LET_GO, *thing) for thing in things],
        )

    def save_by_hand(
        self, table: str, memory_id: str, record: Mapping[str, Json], at: float
    ) -> None:
        """Let a thing be what was saved without a run, and nothing else; `at` is when it was last so."""
        last = self.of(table, memory_id).get(BY_HAND, Share(BY_HAND)).sequence
        self.let_go([(table, memory_id)])
        told = {"record": record, "times": 1, "status": "verified", "at": at}
        self.keep(table, memory_id, [Share.from_json(BY_HAND, last + 1, told)])

    def mark(self, table: str, memory_id: str, losers: Losers) -> None:
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
                for run_id, (reason, evidence) in losers.items()
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
        return {thing: tuple(runs) for thing, runs in found.items()}

    def _read(
        self, rows: Iterable[tuple[str, str, str, int, str]]
    ) -> Iterator[tuple[tuple[str, str], Share]]:
        with self._database.understood("shares"):
            for table, memory_id, run_id, sequence, share in rows:
                told = decode(share)
                if table in BY_NAME and "record" in told:
                    told["record"] = dict(zip(BY_NAME[table].columns, told["record"], strict=True))
                yield (table, memory_id), Share.from_json(run_id, sequence, told)


def _packed(table: str, share: Share) -> dict[str, Json]:
    """Return a share as it is kept: of a record of the four tables the values, in the order of their columns."""
    told = share.to_json()
    if share.record is not None and table in BY_NAME:
        told["record"] = [share.record[name] for name in BY_NAME[table].columns]
    return told


class Contribution:
    """Lessons of one run, added to its shares in their order; `keep` writes them. `now` dates what has no date."""

    def __init__(self, shares: Shares, run_id: str, now: float) -> None:
        self._shares = shares
        self._run_id = run_id
        self._now = now
        self._touched: ByThing = {}

    def take(self, row: OutboxRow) -> None:
        """Add a lesson about a row of the four tables, what closes one, or totals."""
        if row.kind == "totals":
            mine, runs = self._share(TOTALS_TABLE, TOTALS_ROW)
            sums = sum_totals([mine])
            counted: dict[str, Json] = {name: sums[name] + row.payload[name] for name in sums}
            share = Share(self._run_id, row.sequence, counted, mine.times + 1)
        elif row.kind == "close":
            payload: Any = row.payload
            mine, runs = self._share(payload["table"], payload["id"])
            share = mine.closed(closing_in(row, self._now))
        else:
            table = BY_NAME[KIND_NAMED[row.kind].table]
            mine, runs = self._share(table.name, row.payload[table.id_column])
            record = from_json(table.kind.record, row.payload)
            at = table.kind.last_of(record)
            if mine.record is not None:
                record = table.kind.more(from_json(table.kind.record, mine.record), record)
            share = mine.taught_again(row, as_json(record), at)
        runs[self._run_id] = share

    def keep(self) -> ByThing:
        """Return the shares of all that was touched, after what this run adds to them is written."""
        mine = self._run_id
        self._shares.keep_all({each: {mine: runs[mine]} for each, runs in self._touched.items()})
        return self._touched

    def _share(self, table: str, memory_id: str) -> tuple[Share, Runs]:
        thing = table, memory_id
        if thing not in self._touched:
            self._touched[thing] = self._shares.of(table, memory_id)
        runs = self._touched[thing]
        return runs.get(self._run_id, Share(self._run_id)), runs


def save_by_hand(shares: Shares, before: Knowledge, after: Knowledge) -> None:
    """Make the shares say what was saved without a run: what was changed is one share, what is gone is none."""
    for table in TABLES:
        old, new = before.of(table.name), after.of(table.name)
        shares.let_go((table.name, name) for name in old.keys() - new.keys())
        for name, record in new.items():
            if old.get(name) != record:
                shares.save_by_hand(table.name, name, as_json(record), table.kind.last_of(record))
    if _sums(before) != _sums(after):
        shares.save_by_hand(TOTALS_TABLE, TOTALS_ROW, _sums(after), 0.0)


def _sums(known: Knowledge) -> dict[str, Json]:
    won = known.overall_win_rate * known.total_battles
    return {
        "sessions": known.total_sessions,
        "battles": known.total_battles,
        "victories": round(won) if abs(won - round(won)) < 1e-6 else won,
    }
