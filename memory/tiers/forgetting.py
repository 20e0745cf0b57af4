"""What knowledge is worth as time passes, and what is let go. Time is passed in, in epoch seconds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memory.tiers.tactician import SEVERITIES

if TYPE_CHECKING:
    from memory.tiers.settings import ConsolidationConfig
    from memory.tiers.tactician import TacticianMemory

MONTH_S: Final = 30 * 86_400.0
_SEVERITY_VALUE: Final = dict(zip(SEVERITIES, (0.5, 0.8, 1.0), strict=True))


class Memory(NamedTuple):
    """The name of one piece of knowledge: its table and its id."""

    table: str
    id: str


def decay(tactician: TacticianMemory, *, since: float, now: float, rate: float) -> None:
    """Weaken patterns and preferences by `rate` a month, from `since` or their last proof on."""
    for pattern in list(tactician.patterns.values()):
        kept = rate ** _months(max(since, pattern.last_validated), now)
        tactician.patterns[pattern.pattern_id] = replace(
            pattern, relevance_score=pattern.relevance_score * kept
        )
    for preference in list(tactician.preferences.values()):
        kept = rate ** _months(max(since, preference.updated_at), now)
        tactician.preferences[preference.preference_id] = replace(
            preference, confidence=preference.confidence * kept
        )


def values(tactician: TacticianMemory, *, now: float, rate: float) -> dict[Memory, float]:
    """Return what each piece of knowledge is worth at `now`, from 0 to 1."""
    worth: dict[Memory, float] = {}
    for pattern in tactician.patterns.values():
        worth[Memory("tactician_patterns", pattern.pattern_id)] = pattern.relevance_score
    for strategy in tactician.strategies.values():
        kept = rate ** _months(strategy.last_used, now)
        worth[Memory("successful_strategies", strategy.strategy_id)] = strategy.success_rate * kept
    for mistake in tactician.mistakes.values():
        kept = rate ** _months(mistake.last_occurred, now)
        severity = _SEVERITY_VALUE.get(mistake.severity, _SEVERITY_VALUE["minor"])
        worth[Memory("mistake_records", mistake.mistake_id)] = severity * kept
    for preference in tactician.preferences.values():
        worth[Memory("player_preferences", preference.preference_id)] = preference.confidence
    return worth


def prune(tactician: TacticianMemory, config: ConsolidationConfig, *, now: float) -> list[Memory]:
    """Return what was dropped: all that is worth less than the threshold, and all over the caps."""
    worth = values(tactician, now=now, rate=config.forgetting_decay_rate)
    shelves: dict[str, dict[str, Any]] = {
        "tactician_patterns": tactician.patterns,
        "successful_strategies": tactician.strategies,
        "mistake_records": tactician.mistakes,
        "player_preferences": tactician.preferences,
    }
    for memory, value in worth.items():
        if value < config.importance_threshold:
            del shelves[memory.table][memory.id]
    tactician.limit(config)
    return [memory for memory in worth if memory.id not in shelves[memory.table]]


def _months(since: float, now: float) -> float:
    return max(0.0, now - since) / MONTH_S
