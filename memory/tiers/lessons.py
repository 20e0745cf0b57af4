"""What a session teaches: pure functions from what happened to knowledge, and how knowledge is taken in.

A lesson is a kind and a JSON payload, so that it can wait in an outbox; it carries only new evidence.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from memory.codec import content_id, from_json
from memory.tiers.knowledge import (
    LearnedPattern,
    MistakeRecord,
    PlayerPreference,
    SuccessfulStrategy,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.tiers.approaches import Approach
    from memory.tiers.knowledge import Knowledge
    from memory.tiers.settings import ConsolidationConfig
    from memory.tiers.strategist import BattleRecord

Kind: TypeAlias = Literal[
    "pattern", "strategy", "mistake", "preference", "totals", "entry", "close"
]
MANY_FAILURES: Final = 10
MOVE_ORDER: Final = "move_order"


def learn(knowledge: Knowledge, kind: Kind, payload: Mapping[str, Any]) -> None:
    """Add one lesson to `knowledge`; entries, and what is closed, are none of its business."""
    match kind:
        case "pattern":
            knowledge.add_pattern(from_json(LearnedPattern, payload))
        case "strategy":
            knowledge.add_strategy(from_json(SuccessfulStrategy, payload))
        case "mistake":
            knowledge.add_mistake(from_json(MistakeRecord, payload))
        case "preference":
            knowledge.set_preference(from_json(PlayerPreference, payload))
        case "totals":
            knowledge.count(**payload)
        case "entry" | "close":
            pass


def pattern_of(
    approach: Approach, config: ConsolidationConfig, *, session_id: str, at: float
) -> LearnedPattern | None:
    """Return what is new about a sequence that works often enough, or was passed on before."""
    successes = approach.successes - approach.told_successes
    failures = approach.failures - approach.told_failures
    total = approach.successes + approach.failures
    confidence = approach.successes / total
    is_proven = (
        total >= config.min_occurrences_for_pattern and confidence >= config.pattern_threshold
    )
    is_known = approach.told_successes + approach.told_failures > 0
    if not (is_proven or is_known) or successes + failures == 0:
        return None
    return LearnedPattern(
        pattern_id=approach.name,
        pattern_type="action_sequence",
        description=f"{approach.reasoning}: {', '.join(approach.actions)}",
        trigger_conditions={"location": approach.place, "reasoning": approach.reasoning},
        learned_from_session=session_id,
        learned_from_tick=approach.last_tick,
        success_count=successes,
        failure_count=failures,
        confidence=confidence,
        last_validated=at,
        relevance_score=confidence,
    )


def mistake_id_of(place: str, action: str) -> str:
    """Return the id of the mistake that an action is in one place."""
    return content_id("action", place, action)


def mistake_of(
    approach: Approach, config: ConsolidationConfig, *, at: float
) -> MistakeRecord | None:
    """Return what is new about an action that keeps failing in one place."""
    failures = approach.failures - approach.told_failures
    total = approach.successes + approach.failures
    often = approach.failures >= config.min_occurrences_for_pattern
    mostly = approach.failures >= config.pattern_threshold * total
    if failures == 0 or not (often and mostly):
        return None
    action = approach.actions[0]
    return MistakeRecord(
        mistake_id=mistake_id_of(approach.place, action),
        description=f"{action} keeps failing in {approach.place or 'an unknown place'}",
        situation={"location": approach.place, "action": action},
        outcome=f"failed {approach.failures} of {total} times",
        severity="major" if approach.failures >= MANY_FAILURES else "minor",
        prevention_tip="Try another way first.",
        first_occurred=at,
        last_occurred=at,
        occurrence_count=failures,
    )


def strategy_of(battle: BattleRecord, *, at: float) -> SuccessfulStrategy | None:
    """Return the moves of a battle that was won or lost, in order, repeats in a row named once."""
    moves = tuple(move for move, _ in groupby(battle.moves_used))
    if battle.outcome not in {"victory", "defeat"} or not moves:
        return None
    return SuccessfulStrategy(
        strategy_id=content_id(battle.enemy_pokemon, battle.player_pokemon, moves),
        context={"enemy_level": battle.enemy_level, "player_level": battle.player_level},
        enemy_type=battle.enemy_pokemon,
        player_pokemon=battle.player_pokemon,
        strategy_description=f"{battle.player_pokemon}: {', '.join(moves)}",
        moves_sequence=moves,
        success_rate=1.0 if battle.outcome == "victory" else 0.0,
        total_uses=1,
        first_used=at,
        last_used=at,
    )


def defeat_of(battle: BattleRecord, *, at: float) -> MistakeRecord | None:
    """Return the mistake that a lost battle was."""
    if battle.outcome != "defeat":
        return None
    enemy, own = battle.enemy_pokemon, battle.player_pokemon
    return MistakeRecord(
        mistake_id=content_id("battle", enemy, own),
        description=f"{own} lost against {enemy}",
        situation={
            "enemy_pokemon": enemy,
            "enemy_level": battle.enemy_level,
            "player_pokemon": own,
            "player_level": battle.player_level,
        },
        outcome=f"lost at level {battle.player_level} against level {battle.enemy_level}",
        severity="critical",
        prevention_tip=f"Come back above level {battle.player_level} or with another Pokemon.",
        first_occurred=at,
        last_occurred=at,
        occurrence_count=1,
    )


def preference_of(
    strategy: SuccessfulStrategy, config: ConsolidationConfig, *, session_id: str
) -> PlayerPreference | None:
    """Return the habit that a strategy has become: which move a Pokemon opens with."""
    often = strategy.total_uses >= config.min_occurrences_for_pattern
    if not often or strategy.success_rate < config.pattern_threshold:
        return None
    own, opening = strategy.player_pokemon, strategy.moves_sequence[0]
    return PlayerPreference(
        preference_id=content_id(MOVE_ORDER, own, strategy.enemy_type),
        category=f"{MOVE_ORDER}:{own}",
        description=f"{own} opens with {opening} against {strategy.enemy_type}",
        preference_value=opening,
        learned_from_session=session_id,
        confidence=strategy.success_rate,
        created_at=strategy.first_used,
        updated_at=strategy.last_used,
    )
