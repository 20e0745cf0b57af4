"""Figures that cannot be: what was counted less than once, rates that no count gives, dates the wrong way round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.store.checks.finding import Finding
from memory.store.knowledge_tables import MISTAKES, PATTERNS, PREFERENCES, STRATEGIES
from memory.tiers.knowledge import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memory.store.checks.finding import Mend
    from memory.store.checks.held import Held
    from memory.tiers.knowledge import (
        LearnedPattern,
        MistakeRecord,
        PlayerPreference,
        SuccessfulStrategy,
    )

CLOSE: Final = 1e-3  # wins, battles: what floating point may lose
RANKED: Final = "what is recalled, and what is let go of first, goes by these figures"


def counts(held: Held) -> Iterator[Finding]:
    """Yield the figures that do not fit together."""
    checks: tuple[tuple[str, Callable[[Any], Iterator[Finding]]], ...] = (
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
            yield Finding(
                "count",
                f"entry {entry.key}",
                f"it was taught {taught.times} times, relevance {entry.relevance:.3g}, utility {entry.utility:.3g}",
                RANKED,
                "it is counted once, and shares are brought back between 0 and 1",
                _entry_mended(entry.seq),
            )


def _pattern(each: LearnedPattern) -> Iterator[Finding]:
    where, table = f"pattern {each.pattern_id}", PATTERNS.name
    total = each.success_count + each.failure_count
    if min(each.success_count, each.failure_count) < 0 or total < 1:
        what = f"{each.description!r} worked {each.success_count} and failed {each.failure_count} times"
        yield _baseless(table, where, what, each.pattern_id, each)
        return
    share = each.success_count / total
    if abs(each.confidence - share) > CLOSE:
        yield Finding(
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
        yield Finding(
            "count",
            where,
            f"relevance {each.relevance_score:.3g} is not between 0 and its confidence {each.confidence:.3g}",
            RANKED,
            "its relevance is brought back between them",
            lambda mending: mending.change(
                table, each, relevance_score=_within(each.relevance_score, each.confidence)
            ),
        )


def _strategy(each: SuccessfulStrategy) -> Iterator[Finding]:
    where, table = f"strategy {each.strategy_id}", STRATEGIES.name
    if each.total_uses < 1:
        what = f"{each.strategy_description!r} was used {each.total_uses} times"
        yield _baseless(table, where, what, each.strategy_id, each)
        return
    wins = each.success_rate * each.total_uses
    nearest = min(max(round(wins), 0), each.total_uses)
    if abs(wins - nearest) > CLOSE * each.total_uses:
        rate = nearest / each.total_uses
        yield Finding(
            "count",
            where,
            f"a success rate of {each.success_rate:.3g} in {each.total_uses} uses is {wins:.2f} wins",
            "battles are won or lost whole, and later ones are added to this",
            f"the rate becomes {rate:.3g}, {nearest} wins, the nearest that can be",
            lambda mending: mending.change(table, each, success_rate=rate),
        )
    elif each.first_used > each.last_used:
        yield _turned(table, where, each, "first_used", "last_used")


def _mistake(each: MistakeRecord) -> Iterator[Finding]:
    where, table = f"mistake {each.mistake_id}", MISTAKES.name
    if each.occurrence_count < 1:
        what = f"{each.description!r} occurred {each.occurrence_count} times"
        yield _baseless(table, where, what, each.mistake_id, each)
    elif each.severity not in SEVERITIES:
        yield Finding(
            "count",
            where,
            f"its severity {each.severity!r} is none of {', '.join(SEVERITIES)}",
            "it is ranked as minor, whatever it was",
            "it becomes minor, as which it counts already",
            lambda mending: mending.change(table, each, severity=SEVERITIES[0]),
        )
    elif each.first_occurred > each.last_occurred:
        yield _turned(table, where, each, "first_occurred", "last_occurred")


def _preference(each: PlayerPreference) -> Iterator[Finding]:
    where, table = f"preference {each.preference_id}", PREFERENCES.name
    if not 0.0 <= each.confidence <= 1.0:
        yield Finding(
            "count",
            where,
            f"its confidence {each.confidence:.3g} is not between 0 and 1",
            RANKED,
            "it is brought back between them",
            lambda mending: mending.change(table, each, confidence=_within(each.confidence, 1.0)),
        )
    elif each.created_at > each.updated_at:
        yield _turned(table, where, each, "created_at", "updated_at")


def _stats(held: Held) -> Iterator[Finding]:
    if held.stats is None:
        return
    sessions, battles, rate, _ = held.stats
    nearest = min(max(round(rate * battles), 0), max(battles, 0))
    if min(sessions, battles) >= 0 and abs(rate * battles - nearest) <= CLOSE * max(1, battles):
        return
    sums = max(sessions, 0), max(battles, 0), max(nearest, 0)
    share = nearest / battles if battles > 0 else 0.0
    yield Finding(
        "count",
        "the totals",
        f"{sessions} sessions, {battles} battles, of which {rate:.3g} were won",
        "later runs add to these",
        f"they become {sums[0]}, {sums[1]} and {share:.3g}, the nearest that can be",
        lambda mending: mending.put_totals(*sums),
    )


def _baseless(table: str, where: str, what: str, memory_id: str, record: Any) -> Finding:  # noqa: ANN401
    return Finding(
        "count",
        where,
        what,
        "nothing that happened stands behind it",
        "it is archived",
        lambda mending: mending.let_go(table, memory_id, record),
    )


def _turned(table: str, where: str, record: Any, first: str, last: str) -> Finding:  # noqa: ANN401
    swapped = {first: getattr(record, last), last: getattr(record, first)}
    return Finding(
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
