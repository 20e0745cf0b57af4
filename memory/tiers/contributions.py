"""What each run contributes to the entries that outlive runs, and the one rule by which contributions add up.

A contribution only grows, lesson by lesson of its run: of two copies the one with the later lesson contains the other, so
that merged memories count nothing twice. Every entry is added up from contributions in an order that depends on nothing
else. Where they disagree, the most trusted one decides, then the newest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias, cast

from memory.blackboard.entry import TRUST, Data, Entry, Status
from memory.codec import Json, as_json, encode, from_json
from memory.tiers.knowledge import KIND_BY_NAME, ConsolidationConfig, decayed
from memory.tiers.lasting import RUN, TOTALS_KEY, AddingRule, Key, OutboxRow, entry_json, rule_of
from memory.tiers.tactician import IMPORTANCE, added

Overruled: TypeAlias = dict[str, tuple[str, tuple[str, ...]]]  # by run: the reason and its evidence
BY_HAND: Final = "by hand"  # the source of rows that a person has repaired
RESTORED: Final = "restored"  # the source that keeps restored rows: they are never pruned
MANAGER: Final = "memory-management"  # the source of rows that several runs agree on


def precedence(status: str, at: float, importance: int, name: str) -> tuple[int, float, int, str]:
    """Return the rank of a statement among others on the same row: the highest is believed; `name` settles ties."""
    return TRUST[status], at, importance, name


# Fields that a contribution stores outside of its record.
_NOT_IN_RECORD: Final = frozenset({"scope", "key", "status", "sources"})
_USUAL: Final[Mapping[str, Json]] = {
    "tags": [],
    "game_s": 0.0,
    "importance": IMPORTANCE,
    "relevance": 1.0,
    "utility": 0.5,
    "closed": "",
}


def contributed(entry: Entry, origin: str) -> dict[str, Json]:
    """Return the record that a contribution holds of an entry."""
    values = {"origin": origin, **entry_json(entry)}
    return {name: values[name] for name in values if name not in _NOT_IN_RECORD}


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


@dataclass(frozen=True, slots=True)
class Contribution:
    """The lessons of one run about one entry, added up, and the run's closing of it, if any.

    `sequence` is its last lesson about the entry, `evidence_sequence` the last that added evidence. Dates are epoch seconds:
    `since` of the first lesson, `at` of the last, `dates_by_trust` of the last lesson of each trust; from `relevant_at` on,
    a date on the time line of decay, it fades. `is_forgotten` marks what was forgotten on purpose, up to that lesson.
    """

    run_id: str
    sequence: int = 0
    record: Mapping[str, Json] | None = None
    times: int = 0
    status: str = "verified"
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
        self, entry: Entry, origin: str, lesson: OutboxRow, at: float, relevant_at: float
    ) -> Contribution:
        """Return the contribution after one more lesson, with this entry; `at` is its date, `relevant_at` from when it fades.

        It reopens an entry the run had closed, unless the lesson is of the closing's tick or less trusted.
        """
        closing, status, record = self.closing, entry.status, contributed(entry, origin)
        rule, dates = rule_of(entry.scope, entry.kind), dict(self.dates_by_trust)
        if rule.adds and rule.merge is not None and self.record is not None:
            record["data"] = rule.merge(self.content["data"], entry.data)
        if closing is not None and lesson.tick != closing.tick and _may_reopen(status, closing):
            closing = None
        return replace(
            self,
            sequence=lesson.sequence,
            record=record,
            times=self.times + 1,
            status=status,
            evidence_sequence=lesson.sequence,
            since=min(self.since, at) if self.has_record else at,
            at=max(self.at, at),
            relevant_at=relevant_at,
            evidence=entry.sources,
            dates_by_trust=dates | {status: max(dates.get(status, at), at)},
            closing=closing,
            is_forgotten=False,
        )

    def with_closing(self, closing: Closing) -> Contribution:
        """Return the contribution after the run closed the entry."""
        return replace(self, sequence=closing.sequence, closing=closing)

    def to_json(self) -> dict[str, Json]:
        """Return all fields except the run and the sequence, which are columns; defaults are left out."""
        if self.is_forgotten:
            return {"is_forgotten": True}
        data: dict[str, Json] = {}
        if self.record is not None:
            usual = _defaults(self.sequence, self.at, self.status)
            values = {name: getattr(self, name) for name in _FIELDS}
            data = {name: values[name] for name in _FIELDS if values[name] != usual.get(name)}
            data["record"] = self._short_record(self.record)
        if self.closing is not None:
            data["closing"] = as_json(self.closing)
        return data

    def _short_record(self, record: Mapping[str, Json]) -> dict[str, Json]:
        """Return the record without the usual values, and the data of knowledge without the names of its fields."""
        usual = {**_USUAL, "origin": self.run_id}
        short = {name: each for name, each in record.items() if usual.get(name, ...) != each}
        kind, data = KIND_BY_NAME.get(str(record["kind"])), record["data"]
        if kind is not None and isinstance(data, Mapping) and data.keys() == set(kind.fields):
            short["data"] = [data[name] for name in kind.fields]
        return short

    @classmethod
    def from_json(cls, run_id: str, sequence: int, data: Mapping[str, Any]) -> Contribution:
        """Return the contribution that `to_json` wrote."""
        known = dict(data)
        if "record" in known:
            record = {**_USUAL, "origin": run_id, **known["record"]}
            if isinstance(record["data"], list):
                names = KIND_BY_NAME[record["kind"]].fields
                record["data"] = dict(zip(names, record["data"], strict=True))
            known = _defaults(sequence, known["at"], known["status"]) | known | {"record": record}
            known["evidence"] = tuple(known["evidence"])
        if "closing" in known:
            known["closing"] = from_json(Closing, known["closing"])
        return cls(run_id, sequence, **known)


_FIELDS: Final = [
    each.name
    for each in fields(Contribution)
    if each.name not in {"run_id", "sequence", "closing", "is_forgotten"}
]


def _defaults(sequence: int, at: float, status: str) -> dict[str, Any]:
    """Return the default fields of a contribution with a record."""
    return {
        "evidence": (),
        "evidence_sequence": sequence,
        "since": at,
        "relevant_at": at,
        "dates_by_trust": {status: at},
        "times": 1,
    }


ByRun: TypeAlias = "dict[str, Contribution]"  # by run
ByEntry: TypeAlias = "dict[Key, ByRun]"


def latest_of(one: Contribution, other: Contribution) -> Contribution:
    """Return the one of two contributions of one run to one entry that contains the other.

    The same lessons make the same contribution; in files repaired by hand the choice ignores the order.
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


def _reopens(contribution: Contribution, closing: Closing) -> bool:
    return contribution.has_record and any(
        at > closing.at and _may_reopen(status, closing)
        for status, at in contribution.dates_by_trust.items()
    )


def _may_reopen(status: str, closing: Closing) -> bool:
    return TRUST[status] >= TRUST[closing.status]


def _overruled(known: Sequence[Contribution], rule: AddingRule) -> Overruled:
    """Return the reason why each contribution that contradicts the deciding one, the last, does not hold."""
    by = known[-1]
    decided = rule.decisive(by.content["data"])
    reason = f"{by.run_id} says otherwise, which is {by.status} and "
    evidence = (f"{RUN}{by.run_id}", *by.evidence)
    return {
        each.run_id: (
            reason + ("newer" if TRUST[each.status] == TRUST[by.status] else "more to be trusted"),
            evidence,
        )
        for each in known
        if rule.decisive(each.content["data"]) != decided
    }


class EntryHistory(NamedTuple):
    """The history of an entry: its first run, its last lesson, the number of lessons, and merged keys."""

    origin: str
    run_id: str
    sequence: int
    times: int = 1
    merged: tuple[str, ...] = ()


class AddedEntry(NamedTuple):
    """One entry that contributions add up to, with its history and, by key, the overruled runs."""

    entry: Entry
    known: EntryHistory
    overruled: Mapping[str, Overruled]
    since: tuple[float, str, int]  # the sort key of entries


def add_up(
    scope: str, contributions: Mapping[str, ByRun], *, at: float, config: ConsolidationConfig
) -> list[AddedEntry]:
    """Return the entries that contributions, by key, add up to at a date, oldest knowledge first; equal ones are merged."""
    known = (_entry_of(scope, key, runs, at, config) for key, runs in contributions.items())
    groups: dict[tuple[str, str, str], list[AddedEntry]] = {}
    for each in sorted(filter(None, known), key=lambda each: each.since):
        same = each.entry.kind, encode(each.entry.data), each.entry.closed
        groups.setdefault(same, []).append(each)
    return [_merged_entry(group) for group in groups.values()]


def _entry_of(
    scope: str, key: str, runs: ByRun, at: float, config: ConsolidationConfig
) -> AddedEntry | None:
    """Return the entry of a key, or None while nothing is known to work often enough."""
    known = by_precedence(runs.values())
    if not known or (scope, key) == TOTALS_KEY:
        return None
    deciding, record = known[-1], known[-1].content
    rule, closing = rule_of(scope, record["kind"]), standing_closing(runs.values())
    since = min((each.since, each.run_id, each.evidence_sequence) for each in known)
    data = record["data"]
    if rule.merge is not None:  # each run reports its own part
        data = reduce(rule.merge, (each.content["data"] for each in known))
    if (kind := rule.kind) is not None:
        first = runs[since[1]].content["data"]
        data = {**data, **{name: first[name] for name in kind.first}}
        if kind.is_kept is not None and not kind.is_kept(data, config):
            return None
    times = sum(each.times for each in known)
    entry = Entry(
        seq=0,
        scope=scope,
        kind=record["kind"],
        tick=record["tick"],
        game_s=record["game_s"],
        data=data,
        tags=frozenset(record["tags"]),
        importance=record["importance"],
        expires_s=None,
        key=key,
        version=times,
        relevance=_relevance(known, rule, at, config.forgetting_decay_rate),
        utility=record["utility"],
        status=cast("Status", deciding.status),
        sources=(*deciding.evidence, *closing.evidence),
        closed=record["closed"] if closing is OPEN else closing.reason,
    )
    origin = since[1] if rule.merge is not None else record["origin"]
    history = EntryHistory(origin, deciding.run_id, deciding.evidence_sequence, times)
    overruled = {key: _overruled(known, rule)} if rule.decisive(data) is not None else {}
    return AddedEntry(entry, history, overruled, since)


def _relevance(known: Sequence[Contribution], rule: AddingRule, at: float, rate: float) -> float:
    """Return what time has left of contributions, the deciding one last: evidence counts from its newest date."""
    deciding = known[-1]
    is_evidence = rule.kind is not None and not rule.kind.decides
    date = max(each.relevant_at for each in known) if is_evidence else deciding.relevant_at
    return float(deciding.content["relevance"] * decayed(date, at, rate))


def current_relevance(entry: Entry, known: Iterable[ByRun], *, at: float, rate: float) -> float:
    """Return the relevance of an entry at a date, from the contributions under each of its keys.

    An entry without contributions was agreed on by several runs, and holds its own date.
    """
    rule = rule_of(entry.scope, entry.kind)
    ranked = [believed for each in known if (believed := by_precedence(each.values()))]
    if not ranked:
        since: Any = entry.data.get("at")
        return entry.relevance if since is None else decayed(since, at, rate)
    return max(_relevance(each, rule, at, rate) for each in ranked)


def _merged_entry(group: Sequence[AddedEntry]) -> AddedEntry:
    """Return the most trusted, then oldest, of equal entries, with the sources and tags of all."""
    if len(group) == 1:
        return group[0]
    best = max(group, key=lambda each: TRUST[each.entry.status])  # the first of equals
    entries = [each.entry for each in group]
    others = [each for each in group if each is not best]
    merged = [key for each in others for key in (each.entry.key, *each.known.merged)]
    sources = [
        source for each in group for source in (*each.entry.sources, f"{RUN}{each.known.origin}")
    ]
    entry = best.entry._replace(
        tags=frozenset().union(*(each.tags for each in entries)),
        importance=max(each.importance for each in entries),
        relevance=max(each.relevance for each in entries),
        utility=max(each.utility for each in entries),
        sources=tuple(dict.fromkeys(sources)),
    )
    known = best.known._replace(
        times=sum(each.known.times for each in group), merged=(*best.known.merged, *merged)
    )
    overruled = {key: why for each in group for key, why in each.overruled.items()}
    return AddedEntry(entry, known, overruled, group[0].since)


class Totals(NamedTuple):
    """Sessions, battles won or lost, and the fraction won, of all runs."""

    sessions: int
    battles: int
    win_rate: float


def sum_totals(runs: Iterable[Contribution]) -> Mapping[str, Any]:
    """Return the sums of sessions, battles and victories over all runs."""
    nothing: Data = {"sessions": 0, "battles": 0, "victories": 0}
    return reduce(added, (each.content["data"] for each in runs if each.has_record), nothing)
