"""The three tiers: the design's names, and what each promises."""

from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import (
    BATTLE,
    LOCATION,
    OBJECTIVE,
    RESOURCES,
    SENSORY_INPUT,
    TICK_STATE,
    ActionRecord,
    BattleRecord,
    BlackboardRecall,
    ConsolidationConfig,
    LearnedPattern,
    LocationVisited,
    MalformedRecord,
    MistakeRecord,
    PlayerPreference,
    Recall,
    ResourceSnapshot,
    SensoryInput,
    SessionObjective,
    SuccessfulStrategy,
    TickState,
    UnknownMemory,
    as_json,
)
from memory.codec import decode, encode
from tests.memory.samples import (
    ACT,
    AIM,
    FIGHT,
    MISTAKE,
    NOON,
    OWNED,
    PATTERN,
    PREFERENCE,
    SENSORY,
    STATE,
    STM,
    STRATEGY,
    TOWN,
    WORKING,
    Tiers,
    open_tiers,
)

SEED = {
    TickState: "tick timestamp location is_battle party_hp_percent money badges screen_type "
    "active_goal",
    ActionRecord: "tick action_type action_value reasoning confidence success outcome_summary "
    "duration_ms",
    SensoryInput: "vision_labels ocr_text ocr_confidence screen_type enemy_pokemon "
    "player_hp_percent enemy_hp_percent available_actions",
    SessionObjective: "objective_id name description objective_type priority status "
    "progress_percent created_tick completed_tick prerequisites related_location",
    BattleRecord: "battle_id start_tick end_tick enemy_pokemon enemy_level player_pokemon "
    "player_level outcome turns_taken player_hp_remaining moves_used items_used key_decisions",
    LocationVisited: "location_name location_type first_visit_tick last_visit_tick visit_count "
    "explored_areas unexplored_areas points_of_interest npcs_interacted",
    ResourceSnapshot: "tick money items tms_obtained hms_obtained key_items",
    LearnedPattern: "pattern_id pattern_type description trigger_conditions learned_from_session "
    "learned_from_tick success_count failure_count confidence last_validated relevance_score",
    SuccessfulStrategy: "strategy_id context enemy_type player_pokemon strategy_description "
    "moves_sequence success_rate total_uses first_used last_used",
    MistakeRecord: "mistake_id description situation outcome severity prevention_tip "
    "first_occurred last_occurred occurrence_count",
    PlayerPreference: "preference_id category description preference_value learned_from_session "
    "confidence created_at updated_at",
    ConsolidationConfig: "tick_interval session_end_consolidate pattern_threshold "
    "min_occurrences_for_pattern forgetting_decay_rate max_patterns_per_type max_strategies "
    "max_mistakes importance_threshold",
}


@pytest.mark.parametrize("kind", SEED, ids=lambda kind: kind.__name__)
def test_fields_are_those_of_the_design(kind: type) -> None:
    assert [field.name for field in fields(kind)] == SEED[kind].split()


def test_tiers_hold_what_the_design_has_them_hold(tiers: Tiers) -> None:
    for tier, names in (
        (
            tiers.strategist,
            "session_id session_start_tick objectives active_objective battle_history "
            "locations_visited resource_history total_battles victories defeats",
        ),
        (
            tiers.tactician,
            "patterns strategies mistakes preferences total_sessions total_battles "
            "overall_win_rate",
        ),
    ):
        assert [name for name in names.split() if not hasattr(tier, name)] == []


def test_defaults_of_consolidation_are_those_of_the_design() -> None:
    assert ConsolidationConfig() == ConsolidationConfig(1000, True, 0.7, 3, 0.95, 50, 100, 200, 0.3)


# Observer


def test_the_observer_shows_the_newest_moment(tiers: Tiers) -> None:
    assert [tiers.observer.current_state, tiers.observer.sensory_input] == [None, None]
    seen = SensoryInput(("grass",), "Hi", 1.0, "dialogue", None, 100.0, None, ("a",))
    for tick in (1, 2):
        state = replace(STATE, tick=tick)
        tiers.blackboard.write(SENSORY, TICK_STATE, as_json(state), tick=tick, game_s=0.0)
    tiers.blackboard.write(SENSORY, SENSORY_INPUT, as_json(seen), tick=2, game_s=0.0)
    assert tiers.observer.current_state == replace(STATE, tick=2)
    assert tiers.observer.sensory_input == seen
    context = tiers.observer.decision_context
    assert context["current_state"] == as_json(replace(STATE, tick=2))


def test_the_last_ten_actions_survive_a_clear(tiers: Tiers) -> None:
    tiers.blackboard.write(SENSORY, TICK_STATE, as_json(STATE), tick=1, game_s=0.0)
    for tick in range(11):
        tiers.observer.add_action(replace(ACT, tick=tick))
    tiers.observer.clear()
    assert tiers.observer.current_state is None
    assert [action.tick for action in tiers.observer.recent_actions] == list(range(1, 11))
    assert tiers.observer.get_recent_outcomes()[-1] == {
        "tick": 10,
        "action": "up",
        "success": True,
        "outcome": "moved",
    }
    assert tiers.blackboard.entries(WORKING)[0].data["location"] == "hometown"


def test_a_record_that_lacks_a_field_is_refused_by_name(tiers: Tiers) -> None:
    tiers.blackboard.write(SENSORY, TICK_STATE, {"tick": 1}, tick=1, game_s=0.0)
    with pytest.raises(MalformedRecord, match=r"TickState cannot be read .*timestamp"):
        _ = tiers.observer.current_state


# Strategist


def test_the_win_rate_counts_battles_that_were_won_or_lost(tiers: Tiers) -> None:
    memory = tiers.strategist
    assert memory.get_win_rate() == 0.0
    for outcome in ("victory", "defeat", "runaway", "catch", "victory", "victory"):
        memory.record_battle(replace(FIGHT, outcome=outcome))
    assert (memory.total_battles, memory.victories, memory.defeats) == (6, 3, 1)
    assert memory.get_win_rate() == 0.75


def test_a_repeated_visit_adds_to_what_is_known(tiers: Tiers) -> None:
    memory = tiers.strategist
    memory.add_location(TOWN)
    memory.add_location(
        replace(TOWN, first_visit_tick=90, last_visit_tick=90, explored_areas=("lab",))
    )
    assert memory.locations_visited["hometown"] == replace(
        TOWN,
        last_visit_tick=90,
        visit_count=2,
        explored_areas=("lawn", "lab"),
        unexplored_areas=(),
    )


def test_an_objective_is_completed_at_a_hundred_percent(tiers: Tiers) -> None:
    memory = tiers.strategist
    memory.set_objective(AIM)
    memory.set_objective(replace(AIM, objective_id="o2", status="pending", progress_percent=50.0))
    memory.update_objective_progress("o1", 40.0)
    assert [memory.active_objective] == [replace(AIM, progress_percent=40.0)]
    assert memory.get_objectives_progress() == {"reach": 45.0}
    memory.update_objective_progress("o1", 100.0, tick=77)
    assert memory.active_objective is None
    assert memory.objective("o1") == replace(
        AIM, progress_percent=100.0, status="completed", completed_tick=77
    )
    with pytest.raises(UnknownMemory, match="no objective 'o9'"):
        memory.update_objective_progress("o9", 1.0)


def test_belongings_are_noted_when_they_have_changed(tiers: Tiers) -> None:
    memory = tiers.strategist
    memory.snapshot_resources(1)
    assert memory.resource_history == []
    memory.snapshot_resources(1, OWNED)
    memory.snapshot_resources(2, OWNED)
    memory.snapshot_resources(3, replace(OWNED, money=1))
    moment = as_json(replace(STATE, money=7))
    tiers.blackboard.write(SENSORY, TICK_STATE, moment, tick=4, game_s=0.0)
    memory.snapshot_resources(4)
    memory.snapshot_resources(5)
    assert [(each.tick, each.money) for each in memory.resource_history] == [
        (1, 3000),
        (3, 1),
        (4, 7),
    ]


def test_histories_are_bounded_and_totals_are_not(tiers: Tiers) -> None:
    memory = tiers.strategist
    for n in range(300):
        memory.record_battle(replace(FIGHT, battle_id=str(n)))
        memory.add_location(replace(TOWN, location_name=str(n)))
        memory.snapshot_resources(n, replace(OWNED, money=n))
        status = "completed" if n == 50 else "active"
        memory.set_objective(replace(AIM, objective_id=str(n), status=status))
    assert [len(memory.battle_history), memory.total_battles] == [100, 300]
    assert list(memory.locations_visited) == [str(n) for n in range(52, 300)]
    assert [len(memory.resource_history), memory.resource_history[0].money] == [100, 200]
    assert [len(memory.objectives), memory.objectives[-1].objective_id] == [100, "299"]
    assert len(encode(memory.to_json())) < 130_000  # with every history full
    memory.clear_session(session_id="next", tick=900)
    assert (memory.session_id, memory.session_start_tick) == ("next", 900)
    assert (memory.total_battles, memory.battle_history, memory.resource_history) == (0, [], [])
    assert memory.locations_visited == {}
    assert memory.objectives == []


def test_short_term_entries_feed_the_strategist(tiers: Tiers) -> None:
    for kind, record in (
        (OBJECTIVE, AIM),
        (BATTLE, FIGHT),
        (LOCATION, TOWN),
        (RESOURCES, OWNED),
    ):
        tiers.blackboard.write(STM, kind, as_json(record), tick=7, game_s=3.0)
    assert tiers.strategist.active_objective == AIM
    assert tiers.strategist.battle_history == [FIGHT]
    assert tiers.strategist.locations_visited == {"hometown": TOWN}
    assert tiers.strategist.resource_history == [OWNED]


texts = st.text(max_size=8)
tuples = st.lists(texts, max_size=3).map(tuple)
numbers = st.floats(allow_nan=False, allow_infinity=False)
integers = st.integers(-(2**53), 2**53)
objectives = st.builds(
    SessionObjective,
    objective_id=texts,
    progress_percent=numbers,
    completed_tick=st.none() | integers,
    prerequisites=tuples,
    related_location=st.none() | texts,
)
battles = st.builds(
    BattleRecord,
    player_hp_remaining=numbers,
    moves_used=tuples,
    items_used=tuples,
    key_decisions=tuples,
)
places = st.builds(
    LocationVisited,
    explored_areas=tuples,
    unexplored_areas=tuples,
    points_of_interest=tuples,
    npcs_interacted=tuples,
)
belongings = st.builds(
    ResourceSnapshot,
    items=st.dictionaries(texts, integers, max_size=3),
    tms_obtained=st.lists(integers, max_size=3).map(tuple),
    hms_obtained=tuples,
    key_items=tuples,
)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(objectives, max_size=3),
    st.lists(battles, max_size=3),
    st.lists(places, max_size=3),
    st.lists(belongings, max_size=3),
)
def test_a_strategist_comes_back_equal(
    wanted: list[SessionObjective],
    fought: list[BattleRecord],
    seen: list[LocationVisited],
    owned: list[ResourceSnapshot],
) -> None:
    with TemporaryDirectory() as folder:
        one, other = (open_tiers(Path(folder) / name) for name in ("1.sqlite", "2.sqlite"))
        memory = one.strategist
        for objective in wanted:
            memory.set_objective(objective)
        for battle in fought:
            memory.record_battle(battle)
        for place in seen:
            memory.add_location(place)
        for each in owned:
            memory.snapshot_resources(each.tick, each)
        other.strategist.restore(decode(encode(memory.to_json())))
        assert other.strategist.to_json() == memory.to_json()
        assert other.strategist.objectives == memory.objectives
        assert other.strategist.battle_history == memory.battle_history
        assert list(other.strategist.locations_visited) == list(memory.locations_visited)
        assert other.strategist.resource_history == memory.resource_history
        for tiers in (one, other):
            tiers.store.close()


# Tactician


def test_adding_a_pattern_adds_its_evidence(tiers: Tiers) -> None:
    memory = tiers.tactician
    memory.add_pattern(PATTERN)
    memory.add_pattern(replace(PATTERN, success_count=0, failure_count=4, last_validated=NOON + 9))
    (pattern,) = memory.patterns.values()
    assert (pattern.success_count, pattern.failure_count) == (3, 5)
    assert pattern.confidence == pattern.relevance_score == 3 / 8
    assert pattern.last_validated == NOON + 9


def test_a_strategy_is_rated_over_all_its_uses_and_keeps_its_move_order(tiers: Tiers) -> None:
    memory = tiers.tactician
    memory.add_strategy(replace(STRATEGY, strategy_id="s0", success_rate=0.0))
    assert memory.get_successful_strategies("rat", "turtle") == []  # it never worked
    memory.add_strategy(STRATEGY)
    memory.add_strategy(replace(STRATEGY, success_rate=0.0, total_uses=1))
    memory.record_strategy_success("s1")
    assert (memory.strategies["s1"].success_rate, memory.strategies["s1"].total_uses) == (0.75, 4)
    assert memory.strategies["s1"].moves_sequence == ("growl", "tackle")
    with pytest.raises(UnknownMemory, match="no strategy 's9'"):
        memory.record_strategy_success("s9")


def test_a_mistake_made_again_is_counted_and_stays_as_grave(tiers: Tiers) -> None:
    memory = tiers.tactician
    memory.add_mistake(replace(MISTAKE, severity="critical"))
    memory.add_mistake(replace(MISTAKE, last_occurred=NOON + 5, occurrence_count=1))
    mistake = memory.mistakes["m1"]
    assert (mistake.occurrence_count, mistake.severity) == (4, "critical")
    assert (mistake.first_occurred, mistake.last_occurred) == (NOON, NOON + 5)


def test_the_most_trusted_preference_of_a_category_counts(tiers: Tiers) -> None:
    memory = tiers.tactician
    assert memory.get_preference("naming") is None
    memory.set_preference(PREFERENCE)
    memory.set_preference(replace(PREFERENCE, preference_value="B", created_at=NOON + 1))
    assert memory.get_preference("naming") == replace(PREFERENCE, preference_value="B")
    memory.set_preference(replace(PREFERENCE, preference_id="f2", confidence=0.1))
    assert memory.get_preference("naming") == replace(PREFERENCE, preference_value="B")


def test_knowledge_is_bounded_by_relevance_success_and_severity(tiers: Tiers) -> None:
    memory = tiers.tactician
    for n in range(250):
        memory.add_pattern(replace(PATTERN, pattern_id=f"a{n}", relevance_score=n / 250))
        memory.add_pattern(replace(PATTERN, pattern_id=f"b{n}", pattern_type="other"))
        memory.add_strategy(replace(STRATEGY, strategy_id=str(n), success_rate=(n + 1) / 251))
        severity = "critical" if n < 3 else "minor"
        memory.add_mistake(
            replace(MISTAKE, mistake_id=str(n), severity=severity, occurrence_count=n)
        )
    assert len(memory.patterns) == 100
    assert {f"a{n}" for n in range(200, 250)} <= memory.patterns.keys()
    assert memory.strategies.keys() == {str(n) for n in range(150, 250)}
    assert memory.mistakes.keys() == {"0", "1", "2"} | {str(n) for n in range(53, 250)}


def test_matches_come_closest_first_and_an_empty_context_matches_nothing(tiers: Tiers) -> None:
    memory = tiers.tactician
    near = {"location": "town", "reasoning": "heal"}
    memory.add_pattern(replace(PATTERN, pattern_id="near", trigger_conditions=near))
    memory.add_pattern(PATTERN)
    memory.add_pattern(replace(PATTERN, pattern_id="far", trigger_conditions={"location": "cave"}))
    memory.add_mistake(MISTAKE)
    memory.add_mistake(replace(MISTAKE, mistake_id="grave", severity="critical"))
    memory.add_strategy(STRATEGY)
    found = memory.get_relevant_patterns({"location": "town", "reasoning": "heal", "x": 1})
    assert [pattern.pattern_id for pattern in found] == ["near", "p1"]
    mistakes = memory.get_mistakes_for_context({"location": "town"})
    assert [mistake.mistake_id for mistake in mistakes] == ["grave", "m1"]
    assert [memory.get_relevant_patterns({}), memory.get_mistakes_for_context({})] == [[], []]
    assert memory.get_successful_strategies("", "") == []
    assert memory.get_successful_strategies("rat", "turtle") == [STRATEGY]
    assert memory.get_successful_strategies("rat", "mouse") == []


def test_a_battle_at_another_level_is_still_the_same_mistake(tiers: Tiers) -> None:
    memory = tiers.tactician
    memory.add_mistake(replace(MISTAKE, situation={"enemy_pokemon": "rat", "player_level": 5}))
    assert memory.get_mistakes_for_context({"enemy_pokemon": "rat", "player_level": 9})
    assert not memory.get_mistakes_for_context({"enemy_pokemon": "owl", "player_level": 5})


def test_more_uses_outrank_a_lucky_one(tiers: Tiers) -> None:
    memory = tiers.tactician
    memory.add_strategy(replace(STRATEGY, strategy_id="lucky", total_uses=1))
    memory.add_strategy(replace(STRATEGY, strategy_id="proven", success_rate=0.9, total_uses=10))
    found = memory.get_successful_strategies("rat", "turtle")
    assert [strategy.strategy_id for strategy in found] == ["proven", "lucky"]


# Recall


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(texts, texts | integers, max_size=4), texts, texts)
def test_recall_never_returns_what_was_not_stored(
    tiers: Tiers, context: dict[str, Any], enemy: str, own: str
) -> None:
    memory = tiers.tactician
    if not memory.patterns:
        memory.add_pattern(PATTERN)
        memory.add_mistake(MISTAKE)
        memory.add_strategy(STRATEGY)
    assert memory.get_relevant_patterns(context) in ([], [PATTERN])
    assert memory.get_mistakes_for_context(context) in ([], [MISTAKE])
    assert memory.get_successful_strategies(enemy, own) in ([], [STRATEGY])


def test_recall_answers_from_all_three_tiers(tiers: Tiers) -> None:
    recall: Recall = BlackboardRecall(tiers.blackboard, tiers.strategist, tiers.tactician)
    assert recall.visits("hometown") == 0
    assert recall.recent(WORKING, "action", 5) == []
    tiers.strategist.add_location(TOWN)
    tiers.tactician.add_pattern(PATTERN)
    tiers.tactician.add_mistake(MISTAKE)
    tiers.tactician.add_strategy(STRATEGY)
    entry = tiers.observer.add_action(ACT)
    assert recall.visits("hometown") == 1
    assert recall.recent(WORKING, "action", 5) == [entry]
    assert recall.patterns({"location": "town"}) == [PATTERN]
    assert recall.mistakes({"location": "town"}) == [MISTAKE]
    assert recall.strategies("rat", "turtle") == [STRATEGY]
