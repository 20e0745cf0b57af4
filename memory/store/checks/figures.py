"""Rows of knowledge with impossible figures, and rows that have outlived their use."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from memory.store.checks.finding import CheckFinding
from memory.store.items import last_of
from memory.store.knowledge_tables import (
    BY_NAME,
    MISTAKES,
    PATTERNS,
    PREFERENCES,
    STRATEGIES,
    TABLES,
    known_from,
)
from memory.store.long_term import IMPORTANT, MAX_ENTRIES
from memory.tiers.forgetting import MONTH_S, Memory, faded, values
from memory.tiers.knowledge import SEVERITIES, ConsolidationConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memory.blackboard.entry import Entry
    from memory.store.checks.finding import Held, Mend
    from memory.tiers.knowledge import (
        Knowledge,
        LearnedPattern,
        MistakeRecord,
        PlayerPreference,
        SuccessfulStrategy,
    )


CLOSE: Final = 1e-3  # wins, battles: what floating point may lose
RANKED: Final = "what is recalled, and what is let go of first, goes by these figures"


def counts(held: Held) -> Iterator[CheckFinding]:
    """Yield the figures that do not fit together."""
    checks: tuple[tuple[str, Callable[[Any], Iterator[CheckFinding]]], ...] = (
        (PATTERNS.name, _pattern),
        (STRATEGIES.name, _strategy),
        (MISTAKES.name, _mistake),
        (PREFERENCES.name, _preference),
    )
    for table, check in checks:
        for record in held.records[table].values():
            yield from check(record)
    yield from _stats(held)
    for taught, entry in held.entries:
        if taught.times < 1 or not 0.0 <= entry.relevance <= 1.0 or not 0.0 <= entry.utility <= 1.0:
            yield CheckFinding(
                "count",
                f"entry {entry.key}",
                f"it was taught {taught.times} times, relevance {entry.relevance:.3g}, utility {entry.utility:.3g}",
                RANKED,
                "it is counted once, and shares are brought back between 0 and 1",
                _entry_mended(entry.seq),
            )


def _pattern(each: LearnedPattern) -> Iterator[CheckFinding]:
    where, table = f"pattern {each.pattern_id}", PATTERNS.name
    total = each.success_count + each.failure_count
    if min(each.success_count, each.failure_count) < 0 or total < 1:
        what = f"{each.description!r} worked {each.success_count} and failed {each.failure_count} times"
        yield _baseless(table, where, what, each.pattern_id, each)
        return
    share = each.success_count / total
    if abs(each.confidence - share) > CLOSE:
        yield CheckFinding(
            "count",
            where,
            f"confidence {each.confidence:.3g}, but {each.success_count} of {total} is {share:.3g}",
            RANKED,
            "its confidence is computed anew; its relevance no higher",
            lambda mending: mending.change(
                table, each, confidence=share, relevance_score=_within(each.relevance_score, share)
            ),
        )
    elif not 0.0 <= each.relevance_score <= each.confidence + CLOSE:
        yield CheckFinding(
            "count",
            where,
            f"relevance {each.relevance_score:.3g} is not between 0 and its confidence {each.confidence:.3g}",
            RANKED,
            "its relevance is brought back between them",
            lambda mending: mending.change(
                table, each, relevance_score=_within(each.relevance_score, each.confidence)
            ),
        )


def _strategy(each: SuccessfulStrategy) -> Iterator[CheckFinding]:
    where, table = f"strategy {each.strategy_id}", STRATEGIES.name
    if each.total_uses < 1:
        what = f"{each.strategy_description!r} was used {each.total_uses} times"
        yield _baseless(table, where, what, each.strategy_id, each)
        return
    wins = each.success_rate * each.total_uses
    nearest = min(max(round(wins), 0), each.total_uses)
    if abs(wins - nearest) > CLOSE * each.total_uses:
        rate = nearest / each.total_uses
        yield CheckFinding(
            "count",
            where,
            f"a success rate of {each.success_rate:.3g} in {each.total_uses} uses is {wins:.2f} wins",
            "battles are won or lost whole, and later ones are added to this",
            f"the rate becomes {rate:.3g}, {nearest} wins, the nearest that can be",
            lambda mending: mending.change(table, each, success_rate=rate),
        )
    elif each.first_used > each.last_used:
        yield _turned(table, where, each, "first_used", "last_used")


def _mistake(each: MistakeRecord) -> Iterator[CheckFinding]:
    where, table = f"mistake {each.mistake_id}", MISTAKES.name
    if each.occurrence_count < 1:
        what = f"{each.description!r} occurred {each.occurrence_count} times"
        yield _baseless(table, where, what, each.mistake_id, each)
    elif each.severity not in SEVERITIES:
        yield CheckFinding(
            "count",
            where,
            f"its severity {each.severity!r} is none of {', '.join(SEVERITIES)}",
            "it is ranked as minor, whatever it was",
            "it becomes minor, as which it counts already",
            lambda mending: mending.change(table, each, severity=SEVERITIES[0]),
        )
    elif each.first_occurred > each.last_occurred:
        yield _turned(table, where, each, "first_occurred", "last_occurred")


def _preference(each: PlayerPreference) -> Iterator[CheckFinding]:
    where, table = f"preference {each.preference_id}", PREFERENCES.name
    if not 0.0 <= each.confidence <= 1.0:
        yield CheckFinding(
            "count",
            where,
            f"its confidence {each.confidence:.3g} is not between 0 and 1",
            RANKED,
            "it is brought back between them",
            lambda mending: mending.change(table, each, confidence=_within(each.confidence, 1.0)),
        )
    elif each.created_at > each.updated_at:
        yield _turned(table, where, each, "created_at", "updated_at")


def _stats(held: Held) -> Iterator[CheckFinding]:
    if held.stats is None:
        return
    sessions, battles, rate, _ = held.stats
    nearest = min(max(round(rate * battles), 0), max(battles, 0))
    if min(sessions, battles) >= 0 and abs(rate * battles - nearest) <= CLOSE * max(1, battles):
        return
    sums = max(sessions, 0), max(battles, 0), max(nearest, 0)
    share = nearest / battles if battles > 0 else 0.0
    yield CheckFinding(
        "count",
        "the totals",
        f"{sessions} sessions, {battles} battles, of which {rate:.3g} were won",
        "later runs add to these",
        f"they become {sums[0]}, {sums[1]} and {share:.3g}, the nearest that can be",
        lambda mending: mending.put_totals(*sums),
    )


def _baseless(table: str, where: str, what: str, memory_id: str, record: Any) -> CheckFinding:  # noqa: ANN401
    return CheckFinding(
        "count",
        where,
        what,
        "nothing that happened stands behind it",
        "it is archived",
        lambda mending: mending.let_go(table, memory_id, record),
    )


def _turned(table: str, where: str, record: Any, first: str, last: str) -> CheckFinding:  # noqa: ANN401
    swapped = {first: getattr(record, last), last: getattr(record, first)}
    return CheckFinding(
        "count",
        where,
        f"{first.replace('_', ' ')} comes after {last.replace('_', ' ')}",
        "what fades is reckoned from these dates",
        "the two dates are exchanged",
        lambda mending: mending.change(table, record, **swapped),
    )


def _entry_mended(number: int) -> Mend:
    return lambda mending: mending.database.execute(
        "UPDATE ltm_entries SET count = max(1, count), relevance = min(1.0, max(0.0, relevance)), "
        "utility = min(1.0, max(0.0, utility)) WHERE id = ?",
        (number,),
    )


def _within(value: float, most: float) -> float:
    return min(max(value, 0.0), most)


CONFIG: Final = ConsolidationConfig()
MONTHS: Final = 6  # after which nothing is taken for granted
_FADED: Final = CONFIG.forgetting_decay_rate**MONTHS  # how relevant an entry still is by then


def staleness(held: Held, *, now: float) -> Iterator[CheckFinding]:
    """Yield what is stale at the date `now`."""
    yield from _rows(held, now)
    for known, entry in held.entries:
        yield from _entry(entry, known.origin)
    yield from _caps(held)


def _rows(held: Held, now: float) -> Iterator[CheckFinding]:
    known = _faded(held, now)
    worth = values(known, now=now, rate=CONFIG.forgetting_decay_rate)
    for table in TABLES:
        for memory_id, record in known.of(table.name).items():
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
                yield CheckFinding(
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


def _let_go(where: str, what: str, table: str, record: Any) -> CheckFinding:  # noqa: ANN401  # any record
    memory_id = str(getattr(record, BY_NAME[table].id_column))
    return CheckFinding(
        "stale",
        where,
        what,
        "it takes the room of what is worth more, and no run is given it",
        "it is archived",
        lambda mending: mending.let_go(table, memory_id, record),
    )


def _entry(entry: Entry, origin: str) -> Iterator[CheckFinding]:
    where = f"entry {entry.key}"
    worth = entry.relevance * (0.5 + entry.utility)
    if entry.closed and entry.relevance < _FADED:
        what = f"closed ({entry.closed}), and more than {MONTHS} months old"
    elif entry.importance < IMPORTANT and worth < CONFIG.importance_threshold:
        what = f"it has faded to {worth:.2f}, under {CONFIG.importance_threshold}"
    else:
        return
    yield CheckFinding(
        "stale",
        where,
        f"{what} (run {origin})",
        "it takes the room of what is worth more, and no run is given it",
        "it is archived",
        lambda mending: mending.let_go_of_entry(entry.seq),
    )


def _caps(held: Held) -> Iterator[CheckFinding]:
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
            yield CheckFinding(
                "stale",
                what,
                f"there are {count}, and room for {cap}",
                "the next lesson would push out as many at once",
                "those worth least are archived",
                lambda mending: mending.limit_rows(),
            )
    for scope, count in Counter(entry.scope for _, entry in held.entries).items():
        if count > MAX_ENTRIES:
            yield CheckFinding(
                "stale",
                scope,
                f"it holds {count} entries, and has room for {MAX_ENTRIES}",
                "the next lesson would push out as many at once",
                "those worth least are archived",
                lambda mending: mending.limit_entries(),
            )
