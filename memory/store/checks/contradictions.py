"""Two things that cannot both be true."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from memory.codec import Json, encode
from memory.store.checks.finding import Finding
from memory.store.knowledge_tables import MISTAKES, PATTERNS, STRATEGIES
from memory.tiers.knowledge import more_strategy
from memory.tiers.settings import ConsolidationConfig

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.blackboard.entry import Entry
    from memory.store.checks.held import Held
    from memory.store.checks.mending import Mending
    from memory.tiers.knowledge import LearnedPattern, MistakeRecord, SuccessfulStrategy

CONFIG: Final = ConsolidationConfig()
FEW: Final = CONFIG.min_occurrences_for_pattern  # uses under which a rate says little


def contradictions(held: Held) -> Iterator[Finding]:
    """Yield what contradicts something else, or itself."""
    yield from _strategies(list(held.open(STRATEGIES.name).values()))
    yield from _patterns(held)
    yield from _entries(held)


def _strategies(strategies: Sequence[SuccessfulStrategy]) -> Iterator[Finding]:
    same: defaultdict[str, list[SuccessfulStrategy]] = defaultdict(list)
    alike: defaultdict[str, list[SuccessfulStrategy]] = defaultdict(list)
    # The most proven first: into it the others go.
    for each in sorted(strategies, key=lambda each: (-each.total_uses, each.strategy_id)):
        whom: list[Json] = [each.enemy_type, each.player_pokemon]
        same[encode([*whom, each.moves_sequence])].append(each)
        alike[encode([*whom, each.context])].append(each)
    for first, *others in same.values():
        for other in others:
            yield _said_twice(first, other)
    for group in alike.values():
        few = [each for each in group if each.total_uses < FEW]
        never = [each for each in few if each.success_rate == 0.0]
        always = [each for each in few if each.success_rate == 1.0]
        for lost in never:
            for won in always:
                if lost.moves_sequence != won.moves_sequence:
                    yield _won_and_lost(lost, won)


def _said_twice(first: SuccessfulStrategy, other: SuccessfulStrategy) -> Finding:
    def unite(mending: Mending) -> None:
        mending.put(STRATEGIES.name, more_strategy(other, first))
        mending.let_go(STRATEGIES.name, other.strategy_id, other)

    return Finding(
        "contradiction",
        f"strategies {first.strategy_id} and {other.strategy_id}",
        f"{first.player_pokemon} against {first.enemy_type} with {', '.join(first.moves_sequence)} has two rows: "
        f"won {first.success_rate:.0%} of {first.total_uses} and {other.success_rate:.0%} of {other.total_uses}",
        "whoever asks gets whichever of the two comes first",
        f"both become {first.strategy_id} with the battles of both; the other is archived",
        unite,
    )


def _won_and_lost(lost: SuccessfulStrategy, won: SuccessfulStrategy) -> Finding:
    return Finding(
        "contradiction",
        f"strategies {lost.strategy_id} and {won.strategy_id}",
        f"{won.player_pokemon} against {won.enemy_type} at the same levels always wins and never wins, each from "
        f"fewer than {FEW} battles",
        "a few battles prove neither",
    )


def _patterns(held: Held) -> Iterator[Finding]:
    mistakes: dict[tuple[str, str], MistakeRecord] = {}
    for mistake in held.open(MISTAKES.name).values():
        where = mistake.situation
        if "action" in where:
            mistakes[str(where.get("location", "")), str(where["action"])] = mistake
    for pattern in held.open(PATTERNS.name).values():
        total = pattern.success_count + pattern.failure_count
        if total >= FEW and pattern.failure_count >= CONFIG.pattern_threshold * total:
            yield _failing(pattern, total)
            continue
        opposite = mistakes.get(_deed(pattern))
        if opposite is not None and pattern.confidence >= CONFIG.pattern_threshold:
            yield _opposite(pattern, opposite)


def _deed(pattern: LearnedPattern) -> tuple[str, str]:
    """Return place and action of a pattern of one action; the action of others is several."""
    reasoning = str(pattern.trigger_conditions.get("reasoning", ""))
    place = str(pattern.trigger_conditions.get("location", ""))
    return place, pattern.description.removeprefix(f"{reasoning}: ")


def _failing(pattern: LearnedPattern, total: int) -> Finding:
    reason = f"it failed {pattern.failure_count} of {total} times"
    return Finding(
        "contradiction",
        f"pattern {pattern.pattern_id}",
        f"{pattern.description!r} is held to work, and {reason}",
        "it would be followed, though it fails as often as a pattern must work",
        "it is closed, with this as the reason",
        lambda mending: mending.close(PATTERNS.name, pattern.pattern_id, reason),
    )


def _opposite(pattern: LearnedPattern, mistake: MistakeRecord) -> Finding:
    worked, failed = pattern.success_count, mistake.occurrence_count
    what = (
        f"{pattern.description!r} worked {worked} times, and {mistake.description!r} says the opposite of it, "
        f"from {failed}"
    )
    where = f"pattern {pattern.pattern_id} and mistake {mistake.mistake_id}"
    why = "the same deed in the same place is advised and advised against"
    if worked < failed:
        return Finding("contradiction", where, what, why)
    reason = f"it worked {worked} of {worked + failed} times"
    return Finding(
        "contradiction",
        where,
        what,
        why,
        "the mistake is closed, as play closes one that works as often as it fails",
        lambda mending: mending.close(
            MISTAKES.name, mistake.mistake_id, reason, f"pattern:{pattern.pattern_id}"
        ),
    )


def _entries(held: Held) -> Iterator[Finding]:
    """Yield entries of one key in one scope; the file forbids them, unless its index is damaged."""
    by_key: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    for _, entry in held.entries:
        by_key[entry.scope, entry.key].append(entry)
    for (scope, key), (*older, newest) in by_key.items():
        for each in older:
            yield Finding(
                "contradiction",
                f"entries {each.seq} and {newest.seq} of {scope}",
                f"both are called {key}"
                + (", with different data" if each.data != newest.data else ""),
                "a name must mean one thing",
                "the newer one stays, the other is archived",
                partial(_go, number=each.seq),
            )


def _go(mending: Any, number: int) -> None:  # noqa: ANN401  # a Mending
    mending.let_go_of_entry(number)
