"""Long-term entries folded from what each run said under each key; several that say the same are one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memory.blackboard.entry import Entry
from memory.codec import encode
from memory.store.ltm_rows import RUN, Taught
from memory.tiers.agreement import TRUST
from memory.tiers.forgetting import faded
from memory.tiers.shares import Lesson, Share, closing_of, outspoken, teaching

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memory.codec import Json
    from memory.store.run_rows import OutboxRow
    from memory.store.share_rows import Runs

    Losers = Mapping[str, tuple[str, tuple[str, ...]]]


class Told(NamedTuple):
    """One entry and how it came to be known; by key, which runs' words do not stand."""

    entry: Entry
    known: Taught
    losers: Mapping[str, Losers]
    since: tuple[float, str, int]  # by which entries are put in an order that nothing else decides


def thing(scope: str, key: str) -> str:
    """Return the id under which the shares of an entry are kept."""
    return encode([scope, key])


def lesson_of(
    lesson: OutboxRow, entry: Entry, origin: str, at: float
) -> tuple[Lesson, dict[str, Json]]:
    """Return an entry that was taught as a lesson and the record that a share keeps of it.

    `at` is the date it is given when the lesson has none.
    """
    told = Lesson(
        lesson.sequence,
        lesson.tick,
        entry.status,
        float(lesson.payload.get("at", at)),
        entry.sources,
    )
    return told, {
        "origin": origin,
        "kind": entry.kind,
        "tick": entry.tick,
        "game_s": entry.game_s,
        "data": entry.data,
        "tags": sorted(entry.tags),
        "importance": entry.importance,
        "relevance": entry.relevance,
        "utility": entry.utility,
        "closed": entry.closed,
    }


def fold_entries(scope: str, shares: Mapping[str, Runs], *, at: float, rate: float) -> list[Told]:
    """Return the entries that `shares`, by key, make at a date, those known longest first."""
    told = sorted(_each(scope, shares, at, rate), key=lambda each: each.since)
    groups: dict[tuple[str, str, str], list[Told]] = {}
    for each in told:
        same = each.entry.kind, encode(each.entry.data), each.entry.closed
        groups.setdefault(same, []).append(each)
    return [_as_one(group) for group in groups.values()]


def relevance_of(entry: Entry, known: Iterable[Runs], *, at: float, rate: float) -> float:
    """Return how relevant an entry is at a date, from what was said under each of its keys.

    What no run has taught was agreed on at a date of its own.
    """
    voices = [told[-1] for each in known if (told := teaching(each.values()))]
    if not voices:
        since: Any = entry.data.get("at", at)
        return faded(since, at, rate)
    return max(_relevance(each, at, rate) for each in voices)


def _relevance(voice: Share, at: float, rate: float) -> float:
    record: Mapping[str, Any] = voice.record or {}
    kept: float = record["relevance"] * faded(voice.fresh, at, rate)
    return kept


def _each(scope: str, shares: Mapping[str, Runs], at: float, rate: float) -> Iterator[Told]:
    """Yield what is believed of each key."""
    for key, runs in shares.items():
        known = teaching(runs.values())
        if not known:
            continue
        voice = known[-1]
        record: Mapping[str, Any] = voice.record or {}
        closing = closing_of(runs.values())
        times = sum(each.times for each in known)
        entry = Entry(
            0,
            scope,
            record["kind"],
            record["tick"],
            record["game_s"],
            record["data"],
            frozenset(record["tags"]),
            record["importance"],
            None,
            key,
            times,
            _relevance(voice, at, rate),
            record["utility"],
            voice.status,  # type: ignore[arg-type]  # as it was taught
            voice.evidence if closing is None else (*voice.evidence, *closing.evidence),
            record["closed"] if closing is None else closing.reason,
        )
        before: Any = record.get("merged", ())  # what had become one before there were shares
        taught = Taught(record["origin"], voice.run_id, voice.taught, times, tuple(before))
        otherwise = [each for each in known if (each.record or {})["data"] != entry.data]
        since = min((each.since, each.run_id, each.taught) for each in known)
        yield Told(entry, taught, {key: outspoken(otherwise, voice)}, since)


def _as_one(group: Sequence[Told]) -> Told:
    """Return the most trusted of those that say the same, then oldest, with what all of them know."""
    best = max(range(len(group)), key=lambda n: (TRUST[group[n].entry.status], -n))
    if len(group) == 1:
        return group[0]
    entries = [each.entry for each in group]
    known = group[best].known
    keys = list(known.merged)
    for n, each in enumerate(group):
        if n != best:
            keys += (each.entry.key, *each.known.merged)
    entry = entries[best]._replace(
        tags=frozenset().union(*(each.tags for each in entries)),
        importance=max(each.importance for each in entries),
        relevance=max(each.relevance for each in entries),
        utility=max(each.utility for each in entries),
        sources=tuple(
            dict.fromkeys(
                source
                for each in group
                for source in (*each.entry.sources, f"{RUN}{each.known.origin}")
            )
        ),
    )
    times = sum(each.known.times for each in group)
    losers = {key: why for each in group for key, why in each.losers.items()}
    return Told(entry, known._replace(times=times, merged=tuple(keys)), losers, group[0].since)
