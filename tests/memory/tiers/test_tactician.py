"""The third tier: knowledge that outlives sessions."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import MistakeRecord, SuccessfulStrategy, as_json
from memory.errors import UnknownMemory
from memory.tiers.knowledge import LearnedPattern, PlayerPreference
from memory.tiers.lessons import defeat_of
from memory.tiers.tactician import TacticianMemory
from tests.memory.samples import (
    FIGHT,
    KNOWLEDGE_FIELDS,
    MISTAKE,
    NOON,
    PATTERN,
    PREFERENCE,
    STRATEGY,
    Tiers,
    knowledge_of,
)

SEED = {
    LearnedPattern: "pattern_id pattern_type description trigger_conditions learned_from_session "
    "learned_from_tick success_count failure_count confidence last_validated relevance_score",
    SuccessfulStrategy: "strategy_id context enemy_type player_pokemon strategy_description "
    "moves_sequence success_rate total_uses first_used last_used",
    MistakeRecord: "mistake_id description situation outcome severity prevention_tip "
    "first_occurred last_occurred occurrence_count",
    PlayerPreference: "preference_id category description preference_value learned_from_session "
    "confidence created_at updated_at",
}


@pytest.fixture
def known(tiers: Tiers) -> TacticianMemory:
    return tiers.tactician


@pytest.mark.parametrize("kind", SEED, ids=lambda kind: kind.__name__)
def test_e17_e18_e19_e20_fields_are_those_of_the_design(kind: type) -> None:
    assert [field.name for field in fields(kind)] == SEED[kind].split()


def test_e17_e18_e19_e20_records_are_stored_unchanged(known: TacticianMemory) -> None:
    known.add_pattern(PATTERN)
    known.add_strategy(STRATEGY)
    known.add_mistake(MISTAKE)
    known.set_preference(PREFERENCE)
    records = {"p1": PATTERN}, {"s1": STRATEGY}, {"m1": MISTAKE}, {"f1": PREFERENCE}
    fields = dict(zip(KNOWLEDGE_FIELDS.split(), (*records, 0, 0, 0.0), strict=True))
    assert knowledge_of(known) == fields


def test_e18_the_same_moves_in_another_order_are_another_strategy(tiers: Tiers) -> None:
    for name, moves in (("b1", ("growl", "tackle")), ("b2", ("tackle", "growl"))):
        tiers.strategist.record_battle(replace(FIGHT, battle_id=name, moves_used=moves))
    tiers.consolidator.consolidate(1000)
    found = tiers.tactician.get_successful_strategies("rat", "turtle")
    assert sorted(each.moves_sequence for each in found) == [
        ("growl", "tackle"),
        ("tackle", "growl"),
    ]
    assert [each.total_uses for each in found] == [1, 1]


def test_e18_e21_a_strategy_is_rated_over_all_its_uses(known: TacticianMemory) -> None:
    known.add_strategy(replace(STRATEGY, strategy_id="s0", success_rate=0.0))
    assert known.get_successful_strategies("rat", "turtle") == []  # it never worked
    known.add_strategy(STRATEGY)
    known.add_strategy(replace(STRATEGY, success_rate=0.0, total_uses=1))
    known.record_strategy_success("s1")
    strategy = known.strategies["s1"]
    assert (strategy.success_rate, strategy.total_uses) == (0.75, 4)
    assert strategy.moves_sequence == ("growl", "tackle")
    with pytest.raises(UnknownMemory, match="no strategy 's9'"):
        known.record_strategy_success("s9")


def test_e17_e21_adding_a_pattern_adds_its_evidence(known: TacticianMemory) -> None:
    known.add_pattern(PATTERN)
    later = replace(PATTERN, success_count=0, failure_count=4, last_validated=NOON + 9)
    known.add_pattern(later)
    (pattern,) = known.patterns.values()
    assert (pattern.success_count, pattern.failure_count) == (3, 5)
    assert pattern.confidence == pattern.relevance_score == 3 / 8
    assert pattern.last_validated == NOON + 9


def test_e19_e21_a_repeated_mistake_is_counted_and_keeps_its_severity(
    known: TacticianMemory,
) -> None:
    known.add_mistake(replace(MISTAKE, severity="critical"))
    known.add_mistake(replace(MISTAKE, last_occurred=NOON + 5, occurrence_count=1))
    mistake = known.mistakes["m1"]
    assert (mistake.occurrence_count, mistake.severity) == (4, "critical")
    assert (mistake.first_occurred, mistake.last_occurred) == (NOON, NOON + 5)


def test_e20_e21_the_preference_with_the_highest_confidence_is_returned(
    known: TacticianMemory,
) -> None:
    assert known.get_preference("naming") is None
    known.set_preference(PREFERENCE)
    known.set_preference(replace(PREFERENCE, preference_value="B", created_at=NOON + 1))
    assert known.get_preference("naming") == replace(PREFERENCE, preference_value="B")
    known.set_preference(replace(PREFERENCE, preference_id="f2", confidence=0.1))
    assert known.get_preference("naming") == replace(PREFERENCE, preference_value="B")


def test_e22_matches_are_closest_and_most_severe_first(known: TacticianMemory) -> None:
    near = {"location": "town", "reasoning": "heal"}
    known.add_pattern(PATTERN)
    known.add_pattern(replace(PATTERN, pattern_id="near", trigger_conditions=near))
    known.add_pattern(replace(PATTERN, pattern_id="far", trigger_conditions={"location": "cave"}))
    known.add_mistake(MISTAKE)
    known.add_mistake(replace(MISTAKE, mistake_id="grave", severity="critical"))
    lost: dict[str, Any] = {"enemy_pokemon": "rat", "player_level": 5}
    known.add_mistake(replace(MISTAKE, mistake_id="lost", situation=lost))
    found = known.get_relevant_patterns({"location": "town", "reasoning": "heal", "x": 1})
    assert [pattern.pattern_id for pattern in found] == ["near", "p1"]
    mistakes = known.get_mistakes_for_context({"location": "town"})
    assert [mistake.mistake_id for mistake in mistakes] == ["grave", "m1"]
    # A battle at another level is the same mistake.
    assert known.get_mistakes_for_context({"enemy_pokemon": "rat", "player_level": 9})
    assert not known.get_mistakes_for_context({"enemy_pokemon": "owl", "player_level": 5})


def test_e22_an_empty_context_finds_nothing_and_more_uses_outrank_a_single_success(
    known: TacticianMemory,
) -> None:
    known.add_pattern(PATTERN)
    known.add_pattern(replace(PATTERN, pattern_id="always", trigger_conditions={}))
    known.add_mistake(MISTAKE)
    known.add_mistake(replace(MISTAKE, mistake_id="always", situation={}))
    known.add_strategy(replace(STRATEGY, strategy_id="lucky", total_uses=1))
    known.add_strategy(replace(STRATEGY, strategy_id="proven", success_rate=0.9, total_uses=10))
    assert known.get_relevant_patterns({}) == []
    assert known.get_mistakes_for_context({}) == []
    found = known.get_successful_strategies("rat", "turtle")
    assert [strategy.strategy_id for strategy in found] == ["proven", "lucky"]
    for enemy, own in (("", ""), ("rat", "mouse"), ("owl", "turtle")):
        assert known.get_successful_strategies(enemy, own) == []


def test_e26_fifty_patterns_of_each_type_a_hundred_strategies_and_two_hundred_mistakes(
    known: TacticianMemory,
) -> None:
    for n in range(60):
        known.add_pattern(replace(PATTERN, pattern_id=f"a{n}", relevance_score=n / 60))
        known.add_pattern(replace(PATTERN, pattern_id=f"b{n}", pattern_type="other"))
    assert len(known.patterns) == 100
    assert {f"a{n}" for n in range(10, 60)} <= known.patterns.keys()
    for n in range(110):
        known.add_strategy(replace(STRATEGY, strategy_id=str(n), success_rate=(n + 1) / 110))
    assert known.strategies.keys() == {str(n) for n in range(10, 110)}
    for n in range(210):
        severity = "critical" if n < 3 else "minor"
        mistake = replace(MISTAKE, mistake_id=str(n), severity=severity, occurrence_count=n + 1)
        known.add_mistake(mistake)
    assert known.mistakes.keys() == {"0", "1", "2"} | {str(n) for n in range(13, 210)}


def test_the_tip_after_defeats_is_that_of_the_highest_level(known: TacticianMemory) -> None:
    for level in (8, 6):  # the later game lost with a weaker one
        known.add_mistake(defeat_of(as_json(FIGHT) | {"player_level": level}, at=NOON))
    (mistake,) = known.mistakes.values()
    assert mistake.outcome == f"lost at level 6 against level {FIGHT.enemy_level}"
    assert mistake.prevention_tip == "Come back above level 8 or with another Pokemon."


texts = st.text(max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(texts, texts | st.integers(), max_size=4), texts, texts)
def test_e22_recall_never_returns_what_was_not_stored(
    known: TacticianMemory, context: dict[str, Any], enemy: str, own: str
) -> None:
    if not known.patterns:
        known.add_pattern(PATTERN)
        known.add_mistake(MISTAKE)
        known.add_strategy(STRATEGY)
    assert known.get_relevant_patterns(context) in ([], [PATTERN])
    assert known.get_mistakes_for_context(context) in ([], [MISTAKE])
    assert known.get_successful_strategies(enemy, own) in ([], [STRATEGY])
