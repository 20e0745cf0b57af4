"""What knowledge is worth as time passes, and what is let go. Time is passed in, in epoch seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memory.tiers.knowledge import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.tiers.knowledge import (
        ConsolidationConfig,
        Knowledge,
    )


MONTH_S: Final = 30 * 86_400.0
_SEVERITY_VALUE: Final = dict(zip(SEVERITIES, (0.5, 0.8, 1.0), strict=True))


class Memory(NamedTuple):
    """The name of one piece of knowledge: its table and its id."""

    table: str
    id: str


def faded(since: float, now: float, rate: float) -> float:
    """Return what is left of 1 at `now`, when `rate` of it is left after a month."""
    return float(rate ** _months(since, now))


def values(knowledge: Knowledge, *, now: float, rate: float) -> dict[Memory, float]:
    """Return what each piece of knowledge is worth at `now`, from 0 to 1."""
    worth: dict[Memory, float] = {}
    for pattern in knowledge.patterns.values():
        worth[Memory("tactician_patterns", pattern.pattern_id)] = pattern.relevance_score
    for strategy in knowledge.strategies.values():
        kept = faded(strategy.last_used, now, rate)
        worth[Memory("successful_strategies", strategy.strategy_id)] = strategy.success_rate * kept
    for mistake in knowledge.mistakes.values():
        kept = faded(mistake.last_occurred, now, rate)
        severity = _SEVERITY_VALUE.get(mistake.severity, _SEVERITY_VALUE["minor"])
        worth[Memory("mistake_records", mistake.mistake_id)] = severity * kept
    for preference in knowledge.preferences.values():
        worth[Memory("player_preferences", preference.preference_id)] = preference.confidence
    return worth


def worthless(knowledge: Knowledge, config: ConsolidationConfig, *, now: float) -> list[Memory]:
    """Return what is worth less at `now` than the threshold."""
    worth = values(knowledge, now=now, rate=config.forgetting_decay_rate)
    return _below(worth, config)


def prune(knowledge: Knowledge, config: ConsolidationConfig, *, now: float) -> list[Memory]:
    """Return what was dropped: all that is worth less than the threshold, and all over the caps."""
    before = values(knowledge, now=now, rate=config.forgetting_decay_rate)
    for memory in _below(before, config):
        del knowledge.of(memory.table)[memory.id]
    knowledge.limit(config)
    return [memory for memory in before if memory.id not in knowledge.of(memory.table)]


def _below(worth: Mapping[Memory, float], config: ConsolidationConfig) -> list[Memory]:
    return [memory for memory, value in worth.items() if value < config.importance_threshold]


def _months(since: float, now: float) -> float:
    return max(0.0, now - since) / MONTH_S
