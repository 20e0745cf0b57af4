"""What the three tiers tell a planner, and how it tells them what came of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.codec import Json, as_json
from memory.tiers.observer import ActionRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from _typeshed import DataclassInstance

    from memory.tiers.knowledge import SuccessfulStrategy
    from memory.tiers.observer import ObserverMemory
    from memory.tiers.session_records import SessionObjective
    from memory.tiers.strategist import StrategistMemory
    from memory.tiers.tactician import TacticianMemory


class MemoryGOAPIntegration:
    """Integration with a GOAP planner. It keeps nothing."""

    def get_context_for_planning(
        self,
        observer: ObserverMemory,
        strategist: StrategistMemory,
        tactician: TacticianMemory,
    ) -> dict[str, Json]:
        """Return what to plan by as plain JSON: the moment, what is wanted, and what is known of this place.

        Before anything was seen there is no place, and nothing is known of it.
        """
        state = observer.current_state
        place: dict[str, Json] = {} if state is None else {"location": state.location}
        return {
            **place,
            "state": None if state is None else as_json(state),
            "objectives": _all(self.query_strategist_objectives(strategist)),
            "progress": strategist.get_objectives_progress(),
            "win_rate": strategist.get_win_rate(),
            "recent_outcomes": observer.get_recent_outcomes(),
            "mistakes": _all(tactician.get_mistakes_for_context(place)),
            "patterns": _all(tactician.get_relevant_patterns(place)),
        }

    def query_strategist_objectives(self, strategist: StrategistMemory) -> list[SessionObjective]:
        """Return the active objectives, the most urgent first."""
        active = [each for each in strategist.objectives if each.status == "active"]
        return sorted(active, key=lambda each: (-each.priority, each.created_tick))

    def query_tactician_strategies(
        self, tactician: TacticianMemory, context: Mapping[str, Json]
    ) -> list[SuccessfulStrategy]:
        """Return what worked against `enemy_pokemon`, the most proven first.

        With `player_pokemon`, what worked for that one; a context without an enemy is about no battle, and
        nothing is relevant to it.
        """
        enemy, own = context.get("enemy_pokemon"), context.get("player_pokemon")
        if not isinstance(enemy, str):
            return []
        if isinstance(own, str):
            return list(tactician.get_successful_strategies(enemy, own))
        known = tactician.strategies.values()
        # A trainer's are remembered together, in the order in which they were sent.
        met = [each for each in known if each.success_rate and enemy in _enemies(each)]
        return sorted(met, key=lambda each: (-_wins(each), each.strategy_id))

    def record_planning_outcome(
        self,
        observer: ObserverMemory,
        success: bool,  # noqa: FBT001  # the signature is the design's
        outcome: str,
    ) -> None:
        """Remember how the plan for the active goal ended, as an action that consolidation counts in its place."""
        state = observer.current_state
        goal = state.active_goal if state is not None and state.active_goal else "nothing"
        observer.add_action(
            ActionRecord(
                tick=0 if state is None else state.tick,
                action_type="batch",
                action_value=f"plan:{goal}",
                reasoning=f"reach {goal}",
                confidence=1.0,
                success=success,
                outcome_summary=outcome,
                duration_ms=0.0,
            )
        )


def _all(records: Iterable[DataclassInstance]) -> list[Json]:
    return [as_json(each) for each in records]


def _enemies(strategy: SuccessfulStrategy) -> list[str]:
    return strategy.enemy_type.split(", ")


def _wins(strategy: SuccessfulStrategy) -> float:
    # One win of one is less than nine of ten.
    return (strategy.success_rate * strategy.total_uses + 1) / (strategy.total_uses + 2)
