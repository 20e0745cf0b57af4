"""What has outlived its use: closed long ago, faded, not borne out for months, or more than there is room for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from memory.store.checks.finding import Finding
from memory.store.growing_entries import IMPORTANT, MAX_ENTRIES
from memory.store.items import last_of
from memory.store.knowledge_tables import (
    BY_NAME,
    MISTAKES,
    PATTERNS,
    STRATEGIES,
    TABLES,
    knowledge,
    known_from,
)
from memory.tiers.forgetting import MONTH_S, Memory, faded, values
from memory.tiers.settings import ConsolidationConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory.blackboard.entry import Entry
    from memory.store.checks.held import Held
    from memory.tiers.knowledge import Knowledge

CONFIG: Final = ConsolidationConfig()
MONTHS: Final = 6  # after which nothing is taken for granted
_FADED: Final = CONFIG.forgetting_decay_rate**MONTHS  # how relevant an entry still is by then


def staleness(held: Held, *, now: float) -> Iterator[Finding]:
    """Yield what is stale at the date `now`."""
    yield from _rows(held, now)
    for known, entry in held.entries:
        yield from _entry(entry, known.origin)
    yield from _caps(held)


def _rows(held: Held, now: float) -> Iterator[Finding]:
    known = _faded(held, now)
    worth = values(known, now=now, rate=CONFIG.forgetting_decay_rate)
    for table in TABLES:
        for memory_id, record in knowledge(known, table).items():
            months = (now - last_of(record)) / MONTH_S
            left = worth[Memory(table.name, memory_id)]
            where, closed = f"{table.name} {memory_id}", held.closed(table.name, memory_id)
            if closed and months > MONTHS:
                what = f"closed ({closed}), and {months:.0f} months old"
                yield _let_go(where, what, table.name, held.records[table.name][memory_id])
            elif left < CONFIG.importance_threshold:
                what = f"it is worth {left:.2f} by now, under {CONFIG.importance_threshold}"
                yield _let_go(where, what, table.name, held.records[table.name][memory_id])
            elif table is PATTERNS and months > MONTHS:
                yield Finding(
                    "stale",
                    where,
                    f"{months:.0f} months have passed since it was last borne out",
                    "it is still followed; the game may be played otherwise by now",
                )


def _faded(held: Held, now: float) -> Knowledge:
    """Return what is held as it has faded by `now`, since it was last faded or proved."""
    known, rate = known_from(held.records), CONFIG.forgetting_decay_rate
    if held.stats is None:
        return known
    since: float = held.stats[3]
    for name, pattern in list(known.patterns.items()):
        kept = faded(max(since, pattern.last_validated), now, rate)
        known.patterns[name] = replace(pattern, relevance_score=pattern.relevance_score * kept)
    for name, preference in list(known.preferences.items()):
        kept = faded(max(since, preference.updated_at), now, rate)
        known.preferences[name] = replace(preference, confidence=preference.confidence * kept)
    return known


def _let_go(where: str, what: str, table: str, record: Any) -> Finding:  # noqa: ANN401  # any record
    memory_id = str(getattr(record, BY_NAME[table].id_column))
    return Finding(
        "stale",
        where,
        what,
        "it takes the room of what is worth more, and no run is given it",
        "it is archived",
        lambda mending: mending.let_go(table, memory_id, record),
    )


def _entry(entry: Entry, origin: str) -> Iterator[Finding]:
    where = f"entry {entry.key}"
    worth = entry.relevance * (0.5 + entry.utility)
    if entry.closed and entry.relevance < _FADED:
        what = f"closed ({entry.closed}), and more than {MONTHS} months old"
    elif entry.importance < IMPORTANT and worth < CONFIG.importance_threshold:
        what = f"it has faded to {worth:.2f}, under {CONFIG.importance_threshold}"
    else:
        return
    yield Finding(
        "stale",
        where,
        f"{what} (run {origin})",
        "it takes the room of what is worth more, and no run is given it",
        "it is archived",
        lambda mending: mending.let_go_of_entry(entry.seq),
    )


def _caps(held: Held) -> Iterator[Finding]:
    types = Counter(each.pattern_type for each in held.open(PATTERNS.name).values())
    over = [
        (f"patterns of type {name}", count, CONFIG.max_patterns_per_type)
        for name, count in types.items()
    ]
    over += [
        ("strategies", len(held.open(STRATEGIES.name)), CONFIG.max_strategies),
        ("mistakes", len(held.open(MISTAKES.name)), CONFIG.max_mistakes),
    ]
    for what, count, cap in over:
        if count > cap:
            yield Finding(
                "stale",
                what,
                f"there are {count}, and room for {cap}",
                "the next lesson would push out as many at once",
                "those worth least are archived",
                lambda mending: mending.limit_rows(),
            )
    for scope, count in Counter(entry.scope for _, entry in held.entries).items():
        if count > MAX_ENTRIES:
            yield Finding(
                "stale",
                scope,
                f"it holds {count} entries, and has room for {MAX_ENTRIES}",
                "the next lesson would push out as many at once",
                "those worth least are archived",
                lambda mending: mending.limit_entries(),
            )
