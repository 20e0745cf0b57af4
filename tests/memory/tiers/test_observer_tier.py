"""The first tier: the moment, and the last ten actions."""

from dataclasses import fields, replace
from timeit import repeat

import pytest

from memory import MalformedRecord, as_json
from memory.codec import encode
from memory.tiers import ActionRecord, SensoryInput, TickState
from memory.tiers.observer import SENSORY_INPUT, TICK_STATE
from tests.memory.samples import ACT, SENSORY, STATE, WORKING, Tiers

SEEN = SensoryInput(("grass",), "Hi", 0.9, "dialogue", "rat", 100.0, 40.0, ("a", "b"))
SEED = {
    TickState: "tick timestamp location is_battle party_hp_percent money badges screen_type "
    "active_goal",
    ActionRecord: "tick action_type action_value reasoning confidence success outcome_summary "
    "duration_ms",
    SensoryInput: "vision_labels ocr_text ocr_confidence screen_type enemy_pokemon "
    "player_hp_percent enemy_hp_percent available_actions",
}


def look(tiers: Tiers, tick: int) -> None:
    state = as_json(replace(STATE, tick=tick))
    tiers.blackboard.write(SENSORY, TICK_STATE, state, tick=tick, game_s=0.0)
    tiers.blackboard.write(SENSORY, SENSORY_INPUT, as_json(SEEN), tick=tick, game_s=0.0)


def ticks(tiers: Tiers) -> list[int]:
    return [action.tick for action in tiers.observer.recent_actions]


@pytest.mark.parametrize("kind", SEED, ids=lambda kind: kind.__name__)
def test_e01_e02_e03_fields_are_those_of_the_design(kind: type) -> None:
    assert [field.name for field in fields(kind)] == SEED[kind].split()


def test_e01_e03_the_observer_shows_the_newest_moment(tiers: Tiers) -> None:
    assert [tiers.observer.current_state, tiers.observer.sensory_input] == [None, None]
    look(tiers, 1)
    look(tiers, 2)
    assert tiers.observer.current_state == replace(STATE, tick=2)
    assert tiers.observer.sensory_input == SEEN
    context = tiers.observer.decision_context
    assert context["current_state"] == as_json(replace(STATE, tick=2))
    assert context["sensory_input"] == as_json(SEEN)


def test_e01_a_record_that_lacks_a_field_is_refused_by_name(tiers: Tiers) -> None:
    def keep_and_look() -> None:
        tiers.blackboard.write(SENSORY, TICK_STATE, {"tick": 1}, tick=1, game_s=0.0)
        _ = tiers.observer.current_state

    with pytest.raises(MalformedRecord, match=r"TickState.*timestamp"):
        keep_and_look()


@pytest.mark.parametrize("kind", ["press", "hold", "sequence", "batch"])
def test_e02_an_action_is_remembered_whole_and_where_it_happened(tiers: Tiers, kind: str) -> None:
    look(tiers, 1)
    action = replace(ACT, action_type=kind, success=False, outcome_summary="bumped")
    tiers.observer.add_action(action)
    assert tiers.observer.recent_actions == [action]
    assert tiers.blackboard.entries(WORKING)[0].data["location"] == "hometown"


def test_e04_the_eleventh_action_pushes_out_the_first(tiers: Tiers) -> None:
    for tick in range(10):
        tiers.observer.add_action(replace(ACT, tick=tick))
    assert ticks(tiers) == list(range(10))
    tiers.observer.add_action(replace(ACT, tick=10))
    assert ticks(tiers) == list(range(1, 11))


def test_e05_outcomes_are_told_oldest_first(tiers: Tiers) -> None:
    assert list(tiers.observer.get_recent_outcomes()) == []
    tiers.observer.add_action(ACT)
    bump = replace(ACT, tick=2, action_value="left", success=False, outcome_summary="bumped")
    tiers.observer.add_action(bump)
    assert tiers.observer.get_recent_outcomes() == [
        {"tick": 1, "action": "up", "success": True, "outcome": "moved"},
        {"tick": 2, "action": "left", "success": False, "outcome": "bumped"},
    ]


def test_e06_a_new_decision_starts_from_a_fresh_look(tiers: Tiers) -> None:
    look(tiers, 1)
    tiers.observer.clear()
    assert [tiers.observer.current_state, tiers.observer.sensory_input] == [None, None]
    look(tiers, 2)
    assert tiers.observer.current_state == replace(STATE, tick=2)


def test_e06_the_last_ten_actions_span_decisions(tiers: Tiers) -> None:
    for tick in range(12):
        tiers.observer.clear()
        tiers.observer.add_action(replace(ACT, tick=tick))
    tiers.observer.clear()
    assert ticks(tiers) == list(range(2, 12))


def test_e07_the_moment_is_small_and_at_hand(tiers: Tiers) -> None:
    look(tiers, 1)
    for tick in range(50):
        tiers.observer.add_action(replace(ACT, tick=tick))
    assert len(encode(tiers.observer.decision_context)) < 1500
    once = min(repeat(lambda: tiers.observer.current_state, number=100, repeat=5)) / 100
    assert once < 1e-3  # the limit of the design; the bench has the figure
