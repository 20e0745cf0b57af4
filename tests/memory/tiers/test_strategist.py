"""The first two tiers: current state and last actions, one session, and the end of a session."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import BATTLE, BattleRecord, MalformedRecord, SessionObjective, as_json
from memory.codec import encode
from memory.errors import UnknownMemory
from memory.tiers.observer import SENSORY_INPUT, TICK_STATE, ActionRecord, SensoryInput, TickState
from memory.tiers.strategist import (
    LOCATION,
    OBJECTIVE,
    RESOURCES,
    LocationVisited,
    ResourceSnapshot,
    SessionTotals,
    StrategistMemory,
)
from tests.memory.samples import (
    ACT,
    AIM,
    FIGHT,
    OWNED,
    SENSORY,
    STATE,
    STM,
    TOWN,
    WORKING,
    Tiers,
    checkpoint,
    open_tiers,
    session_of,
)

Record: TypeAlias = SessionObjective | BattleRecord | LocationVisited | ResourceSnapshot
SEED = {
    SessionObjective: "objective_id name description objective_type priority status "
    "progress_percent created_tick completed_tick prerequisites related_location",
    BattleRecord: "battle_id start_tick end_tick enemy_pokemon enemy_level player_pokemon "
    "player_level outcome turns_taken player_hp_remaining moves_used items_used key_decisions",
    LocationVisited: "location_name location_type first_visit_tick last_visit_tick visit_count "
    "explored_areas unexplored_areas points_of_interest npcs_interacted",
    ResourceSnapshot: "tick money items tms_obtained hms_obtained key_items",
    TickState: "tick timestamp location is_battle party_hp_percent money badges screen_type "
    "active_goal",
    ActionRecord: "tick action_type action_value reasoning confidence success outcome_summary "
    "duration_ms",
    SensoryInput: "vision_labels ocr_text ocr_confidence screen_type enemy_pokemon "
    "player_hp_percent enemy_hp_percent available_actions",
}


@pytest.fixture
def session(tiers: Tiers) -> StrategistMemory:
    return tiers.strategist


@pytest.mark.parametrize("kind", SEED, ids=lambda kind: kind.__name__)
def test_e01_e02_e03_e08_e09_e10_e11_fields_are_those_of_the_design(kind: type) -> None:
    assert [field.name for field in fields(kind)] == SEED[kind].split()


@pytest.mark.parametrize(
    ("kind", "record"), [(OBJECTIVE, AIM), (BATTLE, FIGHT), (LOCATION, TOWN), (RESOURCES, OWNED)]
)
def test_e08_e09_e10_e11_short_term_entries_feed_the_session(
    tiers: Tiers, kind: str, record: Record
) -> None:
    tiers.blackboard.write(STM, kind, as_json(record), tick=7, game_s=3.0)
    session = tiers.strategist
    held: dict[str, Sequence[Record]] = {
        OBJECTIVE: session.objectives,
        BATTLE: session.battle_history,
        LOCATION: list(session.locations_visited.values()),
        RESOURCES: session.resource_history,
    }
    assert held == {name: [record] if name == kind else [] for name in held}


def test_e08_e13_an_objective_is_completed_at_a_hundred_percent(session: StrategistMemory) -> None:
    session.set_objective(AIM)
    session.set_objective(replace(AIM, objective_id="o2", status="pending", progress_percent=50.0))
    session.set_objective(replace(AIM, objective_id="o3", status="failed", objective_type="catch"))
    session.update_objective_progress("o1", 40.0)
    assert session.get_objectives_progress() == {"reach": 45.0, "catch": 0.0}
    objectives = [session.active_objective]
    session.update_objective_progress("o1", 100.0, tick=77)
    objectives.append(session.active_objective)
    assert objectives == [replace(AIM, progress_percent=40.0), None]
    (done,) = (each for each in session.objectives if each.objective_id == "o1")
    assert done == replace(AIM, progress_percent=100.0, status="completed", completed_tick=77)
    with pytest.raises(UnknownMemory, match="no objective 'o9'"):
        session.update_objective_progress("o9", 1.0)
    session.set_objective(replace(AIM, objective_id="o3"))
    session.set_objective(replace(AIM, objective_id="o3", status="failed"))
    assert session.active_objective is None
    assert session.objectives[-1].status == "failed"


def test_e10_a_repeated_visit_adds_to_the_record(session: StrategistMemory) -> None:
    session.add_location(TOWN)
    again = replace(TOWN, first_visit_tick=90, last_visit_tick=90, explored_areas=("lab",))
    session.add_location(again)
    assert session.locations_visited["hometown"] == replace(
        TOWN, last_visit_tick=90, visit_count=2, explored_areas=("lawn", "lab"), unexplored_areas=()
    )


def test_e11_resources_are_recorded_when_they_change_with_the_current_money(tiers: Tiers) -> None:
    session = tiers.strategist
    session.snapshot_resources(1)
    assert session.resource_history == []
    session.snapshot_resources(1, OWNED)
    session.snapshot_resources(2, OWNED)
    session.snapshot_resources(3, replace(OWNED, money=1))
    moment = as_json(replace(STATE, tick=4, money=7))
    tiers.blackboard.write(SENSORY, TICK_STATE, moment, tick=4, game_s=1.0)
    session.snapshot_resources(4)
    noted = [(each.tick, each.money) for each in session.resource_history]
    assert noted == [(1, 3000), (3, 1), (4, 7)]
    assert session.resource_history[-1] == replace(OWNED, tick=4, money=7)


def test_e04_e06_e07_a_new_decision_reads_again_and_keeps_the_last_ten_actions(
    tiers: Tiers,
) -> None:
    look(tiers, 1)
    for tick in range(10):
        tiers.observer.clear()
        tiers.observer.add_action(replace(ACT, tick=tick))
    assert ticks(tiers) == list(range(10))
    tiers.observer.add_action(replace(ACT, tick=10))
    tiers.observer.clear()
    assert ticks(tiers) == list(range(1, 11))  # the eleventh pushes out the first
    assert [tiers.observer.current_state, tiers.observer.sensory_input] == [None, None]
    look(tiers, 2)
    assert tiers.observer.current_state == replace(STATE, tick=2)
    assert len(encode(tiers.observer.decision_context)) < 1500


def begun(name: str, tick: int) -> dict[str, object]:
    """A new session without records."""
    return {
        **dict(zip(SETTLED.split(), (name, tick, 0, 0, 0), strict=True)),
        "objectives": [],
        "active_objective": None,
        "battle_history": [],
        "locations_visited": {},
        "resource_history": [],
    }


def test_e12_e13_runaways_and_catches_are_not_defeats(session: StrategistMemory) -> None:
    assert session_of(session) == begun("session-1", 0)
    assert session.get_win_rate() == 0.0
    session.record_battle(replace(FIGHT, battle_id="first", outcome="runaway"))
    assert session.get_win_rate() == 0.0
    outcomes = ("victory", "defeat", "runaway", "catch", "victory", "victory")
    for number, outcome in enumerate(outcomes):
        session.record_battle(replace(FIGHT, battle_id=str(number), outcome=outcome))
    assert session.totals == SessionTotals("session-1", 0, 7, victories=3, defeats=1)
    assert session.get_win_rate() == 0.75


def test_e13_clearing_begins_an_empty_session(session: StrategistMemory) -> None:
    empty = session_of(session)
    session.record_battle(FIGHT)
    session.add_location(TOWN)
    session.snapshot_resources(1, OWNED)
    session.set_objective(AIM)
    session.clear_session(session_id="next", tick=900)
    begun = {"session_id": "next", "session_start_tick": 900}
    assert session_of(session) == {**empty, **begun}


def test_e14_histories_are_bounded_and_totals_are_not(session: StrategistMemory) -> None:
    for n in range(300):
        session.record_battle(replace(FIGHT, battle_id=str(n)))
        session.add_location(replace(TOWN, location_name=str(n)))
        session.snapshot_resources(n, replace(OWNED, money=n))
        status = "completed" if n == 50 else "active"
        session.set_objective(replace(AIM, objective_id=str(n), status=status))
    assert [len(session.battle_history), session.totals.total_battles] == [100, 300]
    assert list(session.locations_visited) == [str(n) for n in range(52, 300)]
    assert [len(session.resource_history), session.resource_history[0].money] == [25, 275]
    assert [len(session.objectives), session.objectives[-1].objective_id] == [100, "299"]
    histories: tuple[Record, ...] = (
        *session.objectives,
        *session.battle_history,
        *session.locations_visited.values(),
        *session.resource_history,
    )
    assert sum(len(encode(as_json(each))) for each in histories) < 130_000


numbers = st.floats(allow_nan=False, allow_infinity=False)
objectives = st.builds(
    SessionObjective,
    status=st.sampled_from(["pending", "active", "completed", "failed"]),
    progress_percent=numbers,
)
battles = st.builds(
    BattleRecord,
    outcome=st.sampled_from(["victory", "defeat", "runaway", "catch"]),
    player_hp_remaining=numbers,
)
places = st.builds(LocationVisited, visit_count=st.integers(1, 9))
belongings = st.builds(
    ResourceSnapshot, items=st.dictionaries(st.text(max_size=8), st.integers(), max_size=3)
)


@settings(max_examples=25)
@given(
    st.fixed_dictionaries(
        {
            OBJECTIVE: st.lists(objectives, max_size=3),
            BATTLE: st.lists(battles, max_size=3, unique_by=lambda each: each.battle_id),
            LOCATION: st.lists(places, max_size=3),
            RESOURCES: st.lists(belongings, max_size=3),
        }
    )
)
def test_e15_a_checkpoint_restores_an_equal_session(records: Mapping[str, list[Record]]) -> None:
    with TemporaryDirectory() as folder:
        tiers = open_tiers(Path(folder) / "run.sqlite")
        for kind, each in ((kind, each) for kind, found in records.items() for each in found):
            tiers.blackboard.write(STM, kind, as_json(each), tick=1, game_s=0.0)
        before = session_of(tiers.strategist)
        order = list(tiers.strategist.locations_visited)
        tiers.store.commit(checkpoint=checkpoint(1))
        tiers.store.close()
        again = open_tiers(Path(folder) / "run.sqlite")
        assert session_of(again.strategist) == before
        assert list(again.strategist.locations_visited) == order
        assert again.strategist.battle_history == records[BATTLE]
        again.store.close()


SETTLED = "session_id session_start_tick total_battles victories defeats"


def test_e15_a_restored_session_continues_from_its_totals(tmp_path: Path) -> None:
    tiers = open_tiers(tmp_path / "run.sqlite")
    for outcome in ("victory", "defeat"):
        tiers.strategist.record_battle(replace(FIGHT, battle_id=outcome, outcome=outcome))
    tiers.strategist.add_location(TOWN)
    tiers.store.commit(checkpoint=checkpoint(1))
    tiers.store.close()
    again = open_tiers(tmp_path / "run.sqlite")
    again.strategist.record_battle(replace(FIGHT, battle_id="b3"))
    again.strategist.add_location(TOWN)
    assert again.strategist.get_win_rate() == pytest.approx(2 / 3)
    assert again.strategist.locations_visited["hometown"].visit_count == 2
    again.store.close()


def fight(tiers: Tiers, outcome: str = "victory") -> None:
    battle = replace(FIGHT, battle_id=outcome, outcome=outcome)
    tiers.blackboard.write(STM, BATTLE, as_json(battle), tick=20, game_s=10.0)


def test_e16_an_ended_session_is_consolidated_saved_and_cleared(tiers: Tiers) -> None:
    fight(tiers)
    tiers.strategist.add_location(TOWN)
    tiers.acts(range(4), "heal", why="heal")
    before = session_of(tiers.strategist)
    tiers.memory.end_session(tiers.store, 500)
    assert len(tiers.tactician.patterns) == len(tiers.tactician.strategies) == 1
    assert tiers.tactician.total_sessions == 1
    places = {"locations_visited": {"hometown": TOWN}}  # known for the whole game
    assert session_of(tiers.strategist) == begun("session-1#2", 500) | places
    tiers.memory.end_session(tiers.store, 900)  # and reports only its own lessons
    assert (tiers.tactician.total_sessions, tiers.tactician.total_battles) == (2, 1)
    (strategy,) = tiers.tactician.strategies.values()
    assert strategy.total_uses == 1
    tiers.strategist.restore(tiers.store.strategist_checkpoints.load("session-1"))
    assert session_of(tiers.strategist) == before


SEEN = SensoryInput(("grass",), "Hi", 0.9, "dialogue", "rat", 100.0, 40.0, ("a", "b"))


def look(tiers: Tiers, tick: int) -> None:
    state = as_json(replace(STATE, tick=tick))
    tiers.blackboard.write(SENSORY, TICK_STATE, state, tick=tick, game_s=0.0)
    tiers.blackboard.write(SENSORY, SENSORY_INPUT, as_json(SEEN), tick=tick, game_s=0.0)


def ticks(tiers: Tiers) -> list[int]:
    return [action.tick for action in tiers.observer.recent_actions]


def test_e01_e03_the_observer_shows_the_newest_state(tiers: Tiers) -> None:
    assert [tiers.observer.current_state, tiers.observer.sensory_input] == [None, None]
    look(tiers, 1)
    look(tiers, 2)
    assert tiers.observer.current_state == replace(STATE, tick=2)
    assert tiers.observer.sensory_input == SEEN
    context = tiers.observer.decision_context
    assert context["current_state"] == as_json(replace(STATE, tick=2))
    assert context["sensory_input"] == as_json(SEEN)


def test_e01_a_missing_field_is_named_in_the_error(tiers: Tiers) -> None:
    def keep_and_look() -> None:
        tiers.blackboard.write(SENSORY, TICK_STATE, {"tick": 1}, tick=1, game_s=0.0)
        _ = tiers.observer.current_state

    with pytest.raises(MalformedRecord, match=r"TickState.*timestamp"):
        keep_and_look()


@pytest.mark.parametrize("kind", ["press", "hold", "sequence", "batch"])
def test_e02_an_action_is_stored_completely_with_its_place(tiers: Tiers, kind: str) -> None:
    look(tiers, 1)
    action = replace(ACT, action_type=kind, success=False, outcome_summary="bumped")
    tiers.observer.add_action(action)
    assert tiers.observer.recent_actions == [action]
    assert tiers.blackboard.entries(WORKING)[0].data["location"] == "hometown"


def test_e05_outcomes_are_listed_oldest_first(tiers: Tiers) -> None:
    assert list(tiers.observer.get_recent_outcomes()) == []
    tiers.observer.add_action(ACT)
    bump = replace(ACT, tick=2, action_value="left", success=False, outcome_summary="bumped")
    tiers.observer.add_action(bump)
    assert tiers.observer.get_recent_outcomes() == [
        {"tick": 1, "action": "up", "success": True, "outcome": "moved"},
        {"tick": 2, "action": "left", "success": False, "outcome": "bumped"},
    ]
