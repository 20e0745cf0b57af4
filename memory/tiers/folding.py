"""Knowledge out of shares: what a run adds to its own, and what all of them come to at a date."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memory.codec import as_json, from_json
from memory.tiers.forgetting import faded
from memory.tiers.knowledge import (
    LearnedPattern,
    MistakeRecord,
    PlayerPreference,
    SuccessfulStrategy,
    more_mistake,
    more_pattern,
    more_strategy,
    newer_preference,
)
from memory.tiers.shares import BY_HAND, Lesson, Share, closing_of, outspoken, teaching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Piece = LearnedPattern | SuccessfulStrategy | MistakeRecord | PlayerPreference


class Folded(NamedTuple):
    """One piece of knowledge, whose word it is, why it is closed if it is, and whose words do not stand."""

    record: Any
    voice: Share
    closed: str
    evidence: tuple[str, ...]
    losers: Mapping[str, tuple[str, tuple[str, ...]]]


class _Way(NamedTuple):
    record: type[Any]
    more: Callable[[Any, Any], Any]
    date: str
    finish: Callable[[Any, Sequence[Share], float, float], Any]


def add(table: str, share: Share, payload: Mapping[str, Any], *, sequence: int, tick: int) -> Share:
    """Return the share of a run after one more lesson of it about a row of one of the four tables."""
    way = _WAYS[table]
    record = from_json(way.record, payload)
    told = Lesson(
        sequence,
        tick,
        payload.get("status", "verified"),
        getattr(record, way.date) or 0.0,
        tuple(payload.get("sources", ())),
    )
    if share.record is not None:
        record = way.more(from_json(way.record, share.record), record)
    return share.taught_again(told, as_json(record))


def by_hand(table: str, record: Piece, sequence: int) -> Share:
    """Return the share that a record is which was saved without a run."""
    at = getattr(record, _WAYS[table].date) or 0.0
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
    way, voice = _WAYS[table], known[-1]
    record = reduce(way.more, (from_json(way.record, each.record or {}) for each in known))
    if isinstance(record, SuccessfulStrategy) and record.success_rate == 0.0:
        return None
    closing = closing_of(all_of_them)
    return Folded(
        way.finish(record, known, at, rate),
        voice,
        "" if closing is None else closing.reason,
        voice.evidence if closing is None else (*voice.evidence, *closing.evidence),
        outspoken(_otherwise(table, known), voice),
    )


def totals(shares: Iterable[Share]) -> dict[str, int]:
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


def _pattern(record: LearnedPattern, known: Sequence[Share], at: float, rate: float) -> Any:  # noqa: ANN401
    first: Mapping[str, Any] = min(known, key=lambda each: (each.since, each.run_id)).record or {}
    since = known[0].fresh if len(known) == 1 else record.last_validated
    return replace(
        record,
        learned_from_session=first["learned_from_session"],
        learned_from_tick=first["learned_from_tick"],
        relevance_score=record.relevance_score * faded(since, at, rate),
    )


def _preference(record: PlayerPreference, known: Sequence[Share], at: float, rate: float) -> Any:  # noqa: ANN401
    records: list[Mapping[str, Any]] = [each.record or {} for each in known]
    return replace(
        record,
        created_at=min(each["created_at"] for each in records),
        confidence=record.confidence * faded(known[-1].fresh, at, rate),
    )


def _as_it_is(record: Any, _known: Sequence[Share], _at: float, _rate: float) -> Any:  # noqa: ANN401
    return record


_WAYS: Final = {
    "tactician_patterns": _Way(LearnedPattern, more_pattern, "last_validated", _pattern),
    "successful_strategies": _Way(SuccessfulStrategy, more_strategy, "last_used", _as_it_is),
    "mistake_records": _Way(MistakeRecord, more_mistake, "last_occurred", _as_it_is),
    "player_preferences": _Way(PlayerPreference, newer_preference, "updated_at", _preference),
}
