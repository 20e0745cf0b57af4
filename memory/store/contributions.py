"""What each run has contributed to each piece of knowledge, so that memories can be merged without counting twice.

A share only grows, lesson by lesson of its run: of two that a run has of one thing, in copies of a memory that grew
apart, the one with the later lesson contains the other. Whatever is known is folded from shares in an order that
depends on nothing but them. Of several words about one thing the most trusted stands, then the newest.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from memory.codec import Json, as_json, decode, encode, from_json
from memory.store.knowledge_tables import BY_NAME, TABLES
from memory.tiers.forgetting import faded
from memory.tiers.knowledge import (
    KIND_IN,
    KIND_NAMED,
    LearnedPattern,
    Piece,
    PlayerPreference,
    SuccessfulStrategy,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memory.store.database import Database
    from memory.tiers.knowledge import Knowledge
    from memory.tiers.lessons import OutboxRow


TRUST: Final = {"claim": 0, "inferred": 1, "verified": 2}


class Word(NamedTuple):
    """One statement about a thing, as far as it decides whether it stands; `name` settles what nothing else does."""

    status: str
    at: float
    importance: int
    name: str


def standing(word: Word) -> tuple[int, float, int, str]:
    """Return how a word stands among others about the same thing: the highest is believed."""
    return TRUST[word.status], word.at, word.importance, word.name


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
    def word(self) -> Word:
        """Its last word, to be weighed against those of others."""
        importance: Any = (self.record or {}).get("importance", 0)
        return Word(self.status, self.at, importance, self.run_id)

    def taught_again(self, lesson: Lesson, record: Mapping[str, Json]) -> Share:
        """Return the share after one more lesson, by which `record` is all that was taught.

        What the run itself had closed holds again, unless the lesson is of the very tick that closed it, or less trusted.
        """
        closing, said = self.closing, dict(self.said)
        if (
            closing is not None
            and lesson.tick != closing.tick
            and _may_open(lesson.status, closing)
        ):
            closing = None
        said[lesson.status] = max(said.get(lesson.status, lesson.at), lesson.at)
        return replace(
            self,
            sequence=lesson.sequence,
            record=record,
            times=self.times + 1,
            status=lesson.status,
            tick=lesson.tick,
            taught=lesson.sequence,
            since=min(self.since, lesson.at) if self.is_known else lesson.at,
            at=max(self.at, lesson.at),
            fresh=lesson.at,
            evidence=lesson.evidence,
            said=said,
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
            at = self.at
            told = {"record": self.record, "times": self.times, "status": self.status, "at": at}
            told["tick"] = self.tick
            for name, value, usual in (
                ("evidence", self.evidence, ()),
                ("taught", self.taught, self.sequence),
                ("since", self.since, at),
                ("fresh", self.fresh, at),
                ("said", self.said, {self.status: at}),
            ):
                if value != usual:
                    told[name] = value
        if self.closing is not None:
            told["closing"] = as_json(self.closing)
        return told

    @classmethod
    def from_json(cls, run_id: str, sequence: int, told: Mapping[str, Any]) -> Share:
        """Return the share that `to_json` took apart."""
        closing = told.get("closing")
        share = cls(
            run_id,
            sequence,
            closing=closing and from_json(Closing, closing),
            let_go=told.get("let_go", False),
        )
        if told.get("record") is None:
            return share
        at = told["at"]
        usual = {"taught": sequence, "since": at, "fresh": at, "said": {told["status"]: at}}
        known = usual | {name: told[name] for name in told if name != "closing"}
        return replace(share, **known | {"evidence": tuple(told.get("evidence", ()))})


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson, as far as every kind of it is alike; `at` is when what it tells of was last so."""

    sequence: int
    tick: int
    status: str
    at: float
    evidence: tuple[str, ...] = ()


def joined(one: Share, other: Share) -> Share:
    """Return which of two shares that one run has of one thing contains the other.

    The same lessons make the same share. Where they did not, as in files older than shares, the choice is the same
    whichever comes first.
    """
    return max(one, other, key=_reach)


def teaching(shares: Iterable[Share]) -> list[Share]:
    """Return the shares that teach something, the one that is believed last."""
    return sorted((each for each in shares if each.is_known), key=lambda each: standing(each.word))


def closing_of(shares: Iterable[Share]) -> Closing | None:
    """Return why something is closed: the newest closing that no newer evidence, as much to be trusted, has undone."""
    known = list(shares)
    stands = [
        (each.closing.at, each.run_id, each.closing)
        for each in known
        if each.closing is not None
        and not any(_undoes(other, each.closing) for other in known if other.run_id != each.run_id)
    ]
    return max(stands, key=lambda row: row[:2])[2] if stands else None


def outspoken(shares: Iterable[Share], by: Share) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return why each of `shares` does not stand against the one that is believed, and what shows it, by run."""
    reason = f"{by.run_id} says otherwise, which is {by.status} and "
    evidence = (f"run:{by.run_id}", *by.evidence)
    return {
        each.run_id: (
            reason + ("newer" if TRUST[each.status] == TRUST[by.status] else "more to be trusted"),
            evidence,
        )
        for each in shares
    }


def _undoes(share: Share, closing: Closing) -> bool:
    return share.is_known and any(
        at > closing.at and _may_open(status, closing) for status, at in share.said.items()
    )


def _may_open(status: str, closing: Closing) -> bool:
    return TRUST[status] >= TRUST[closing.status]


def _reach(share: Share) -> tuple[int, bool, int, str]:
    return share.sequence, share.let_go, share.times, encode(share.to_json())


class Folded(NamedTuple):
    """One piece of knowledge, whose word it is, why it is closed if it is, and whose words do not stand."""

    record: Any
    voice: Share
    closed: str
    evidence: tuple[str, ...]
    losers: Mapping[str, tuple[str, tuple[str, ...]]]


def add_lesson(
    table: str, share: Share, payload: Mapping[str, Any], *, sequence: int, tick: int
) -> Share:
    """Return the share of a run after one more lesson of it about a row of one of the four tables."""
    kind = KIND_IN[table]
    record = from_json(kind.record, payload)
    told = Lesson(
        sequence,
        tick,
        payload.get("status", "verified"),
        getattr(record, kind.date) or 0.0,
        tuple(payload.get("sources", ())),
    )
    if share.record is not None:
        record = kind.more(from_json(kind.record, share.record), record)
    return share.taught_again(told, as_json(record))


def by_hand(table: str, record: Piece, sequence: int) -> Share:
    """Return the share that a record is which was saved without a run."""
    at = getattr(record, KIND_IN[table].date) or 0.0
    return Share(
        run_id=BY_HAND,
        sequence=sequence,
        record=as_json(record),
        times=1,
        taught=sequence,
        since=at,
        at=at,
        fresh=at,
        said={"verified": at},
    )


def fold(table: str, shares: Iterable[Share], *, at: float, rate: float) -> Folded | None:
    """Return what a row of one of the four tables is at a date, or None while nothing is known that works."""
    all_of_them = list(shares)
    known = teaching(all_of_them)
    if not known:
        return None
    kind, voice = KIND_IN[table], known[-1]
    record = reduce(kind.more, (from_json(kind.record, each.record or {}) for each in known))
    if isinstance(record, SuccessfulStrategy) and record.success_rate == 0.0:
        return None
    if isinstance(record, LearnedPattern):
        record = _faded_pattern(record, known, at, rate)
    elif isinstance(record, PlayerPreference):
        record = _faded_preference(record, known, at, rate)
    closing = closing_of(all_of_them)
    return Folded(
        record,
        voice,
        "" if closing is None else closing.reason,
        voice.evidence if closing is None else (*voice.evidence, *closing.evidence),
        outspoken(_otherwise(table, known), voice),
    )


def sum_totals(shares: Iterable[Share]) -> dict[str, int]:
    """Return the sums of sessions, battles and victories over the runs."""
    sums = {"sessions": 0, "battles": 0, "victories": 0}
    for share in shares:
        record: Mapping[str, Any] = share.record or {}
        sums = {name: count + record.get(name, 0) for name, count in sums.items()}
    return sums


def _otherwise(table: str, known: Sequence[Share]) -> list[Share]:
    """Return the shares that contradict the last; only of preferences do runs say different things under one id."""
    if table != "player_preferences":
        return []
    believed = (known[-1].record or {})["preference_value"]
    return [each for each in known if (each.record or {})["preference_value"] != believed]


def _faded_pattern(
    record: LearnedPattern, known: Sequence[Share], at: float, rate: float
) -> LearnedPattern:
    first: Mapping[str, Any] = min(known, key=lambda each: (each.since, each.run_id)).record or {}
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
    records: list[Mapping[str, Any]] = [each.record or {} for each in known]
    return replace(
        record,
        created_at=min(each["created_at"] for each in records),
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

    def sequences(self, run_id: str) -> dict[tuple[str, str], int]:
        """Return the last lesson of a run about each thing, by table and id."""
        rows = self._database.rows(
            "SELECT table_name, id, sequence FROM shares WHERE run_id = ?", (run_id,)
        )
        return {(table, memory_id): sequence for table, memory_id, sequence in rows}

    def mark(
        self, table: str, memory_id: str, losers: Mapping[str, tuple[str, tuple[str, ...]]]
    ) -> None:
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
                told = _unpacked(table, decode(share))
                yield (table, memory_id), Share.from_json(run_id, sequence, told)


def _packed(table: str, share: Share) -> dict[str, Json]:
    """Return a share as it is kept: of a record of the four tables the values, in the order of their columns."""
    told = share.to_json()
    if share.record is not None and table in BY_NAME:
        told["record"] = [share.record[name] for name in BY_NAME[table].columns]
    return told


def _unpacked(table: str, told: dict[str, Any]) -> dict[str, Any]:
    if table in BY_NAME and "record" in told:
        told["record"] = dict(zip(BY_NAME[table].columns, told["record"], strict=True))
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
            share = add_lesson(table.name, mine, row.payload, sequence=row.sequence, tick=row.tick)
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
    last = shares.sequences(BY_HAND)
    changed: list[tuple[str, str]] = []
    kept: ByThing = {}
    for table in TABLES:
        old, new = before.of(table.name), after.of(table.name)
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                thing = table.name, name
                changed.append(thing)
                if name in new:
                    share = by_hand(table.name, new[name], last.get(thing, 0) + 1)
                    kept[thing] = {BY_HAND: share}
    if _sums(before) != _sums(after):
        thing = TOTALS_TABLE, TOTALS_ROW
        changed.append(thing)
        kept[thing] = {BY_HAND: Share(BY_HAND, last.get(thing, 0) + 1, _sums(after), 1)}
    shares.let_go(changed)
    shares.keep_all(kept)


def _sums(known: Knowledge) -> dict[str, Json]:
    won = known.overall_win_rate * known.total_battles
    return {
        "sessions": known.total_sessions,
        "battles": known.total_battles,
        "victories": round(won) if abs(won - round(won)) < 1e-6 else won,
    }
