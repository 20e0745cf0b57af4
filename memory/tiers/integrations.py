"""The three tiers as input for a planner, and as short text sections for a model within a token budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from memory.codec import Json, as_json
from memory.tiers.knowledge import SuccessfulStrategy
from memory.tiers.observer import ActionRecord, ObserverMemory
from memory.tiers.strategist import SessionObjective, StrategistMemory
from memory.tiers.tactician import TacticianMemory, proven
from memory.tokens import tokens

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def get_context_for_planning(
    observer: ObserverMemory, strategist: StrategistMemory, tactician: TacticianMemory
) -> dict[str, Json]:
    """Return the planning context as plain JSON: state, objectives, progress, recent outcomes, mistakes and patterns here.

    Before the first state there is no place, and nothing is known about it.
    """
    state = observer.current_state
    place: dict[str, Json] = {} if state is None else {"location": state.location}
    return {
        **place,
        "state": None if state is None else as_json(state),
        "objectives": _all(query_strategist_objectives(strategist)),
        "progress": strategist.get_objectives_progress(),
        "win_rate": strategist.get_win_rate(),
        "recent_outcomes": observer.get_recent_outcomes(),
        "mistakes": _all(tactician.get_mistakes_for_context(place)),
        "patterns": _all(tactician.get_relevant_patterns(place)),
    }


def query_strategist_objectives(strategist: StrategistMemory) -> list[SessionObjective]:
    """Return the active objectives, highest priority first."""
    active = [each for each in strategist.objectives if each.status == "active"]
    return sorted(active, key=lambda each: (-each.priority, each.created_tick))


def query_tactician_strategies(
    tactician: TacticianMemory, context: Mapping[str, Json]
) -> list[SuccessfulStrategy]:
    """Return the strategies that worked against `enemy_pokemon`, most proven first.

    With `player_pokemon`, only those of that Pokemon; a context without an enemy is not a battle and has no strategies.
    """
    enemy, own = context.get("enemy_pokemon"), context.get("player_pokemon")
    if not isinstance(enemy, str):
        return []
    if isinstance(own, str):
        return tactician.get_successful_strategies(enemy, own)
    known = tactician.strategies.values()
    # The Pokemon of a trainer are one entry, in the order they were sent out.
    met = [each for each in known if each.success_rate and enemy in each.enemy_type.split(", ")]
    return sorted(met, key=lambda each: (-proven(each), each.strategy_id))


def record_planning_outcome(observer: ObserverMemory, *, success: bool, outcome: str) -> None:
    """Record the outcome of the plan for the active goal as an action, which consolidation counts in its place."""
    state = observer.current_state
    goal = state.active_goal if state is not None and state.active_goal else "nothing"
    tick = 0 if state is None else state.tick
    observer.add_action(
        ActionRecord(
            tick, "batch", f"plan:{goal}", f"reach {goal}", 1.0, success, outcome, duration_ms=0.0
        )
    )


def _all(records: Iterable[DataclassInstance]) -> list[Json]:
    return [as_json(each) for each in records]


SectionName: TypeAlias = Literal["tactical", "strategic", "recent_actions"]

BUDGET: Final = 300  # tokens of one section
MOST: Final = 5  # lines of one kind


def memory_sections(
    wanted: Mapping[str, tuple[SectionName, ...]],
    observer: ObserverMemory,
    strategist: StrategistMemory,
    tactician: TacticianMemory,
) -> dict[str, dict[SectionName, str]]:
    """Return the sections `wanted` for each model, by its name; empty sections are omitted."""
    seen = observer.sensory_input
    enemy = None if seen is None else seen.enemy_pokemon
    battle: dict[str, Json] = {} if enemy is None else {"enemy_pokemon": enemy}
    texts: dict[SectionName, str] = {
        "tactical": get_tactical_context(tactician, battle),
        "strategic": get_strategic_context(strategist),
        "recent_actions": get_recent_actions_summary(observer),
    }
    return {
        model: {section: texts[section] for section in sections if texts[section]}
        for model, sections in wanted.items()
    }


def get_tactical_context(
    tactician: TacticianMemory, battle: Mapping[str, Json], budget: int = BUDGET
) -> str:
    """Return what is known about a battle such as `battle`: strategies, then mistakes, then patterns."""
    strategies = query_tactician_strategies(tactician, battle)[:MOST]
    mistakes = tactician.get_mistakes_for_context(battle)[:MOST]
    patterns = tactician.get_relevant_patterns(battle)[:MOST]
    lines = [
        f"- worked {100 * each.success_rate:.0f}% of {each.total_uses}: {each.strategy_description}"
        for each in strategies
    ]
    lines += [
        f"- mistake ({each.severity}, x{each.occurrence_count}): {each.description}; "
        f"{each.outcome}. {each.prevention_tip}".rstrip()
        for each in mistakes
    ]
    lines += [
        f"- holds {100 * each.confidence:.0f}% of {each.success_count + each.failure_count}: {each.description}"
        for each in patterns
    ]
    return _section("Known from earlier battles:", lines, budget)


def get_strategic_context(strategist: StrategistMemory, budget: int = BUDGET) -> str:
    """Return the objectives of this session, highest priority first, and its last battles, newest first."""
    lines = [
        f"- [{each.priority}] {each.name}, {each.progress_percent:.0f}% done"
        for each in query_strategist_objectives(strategist)[:MOST]
    ]
    if battles := strategist.battle_history[: -MOST - 1 : -1]:
        totals = strategist.totals
        lines.append(f"- battles: {totals.victories} won, {totals.defeats} lost")
    lines += [
        f"- {each.outcome}: {each.player_pokemon} L{each.player_level} against "
        f"{each.enemy_pokemon} L{each.enemy_level}, {each.turns_taken} turns"
        for each in battles
    ]
    return _section("This session:", lines, budget)


def get_recent_actions_summary(observer: ObserverMemory, budget: int = BUDGET) -> str:
    """Return the last actions and their outcomes, newest first."""
    lines = [
        f"- tick {each.tick}: {each.action_value}, {each.outcome_summary}"
        for each in observer.recent_actions[::-1]
    ]
    return _section("Last actions, newest first:", lines, budget)


def _section(title: str, lines: Iterable[str], budget: int) -> str:
    """Return as many of `lines`, most valuable first, as fit the budget."""
    text = title
    for line in lines:
        longer = f"{text}\n{line}"
        if tokens(longer) > budget:
            break
        text = longer
    return "" if text == title else text
