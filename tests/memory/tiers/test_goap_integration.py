"""What planning is told of memory, and what memory is told of planning (E35)."""

from dataclasses import replace

from memory import Blackboard, MistakeRecord, as_json
from memory.tiers import TICK_STATE
from memory.tiers.integrations import MemoryGOAPIntegration
from tests.memory.samples import AIM, FIGHT, MISTAKE, NOON, PATTERN, SENSORY, STATE, STRATEGY, Tiers

GOAP = MemoryGOAPIntegration()
LOST = MistakeRecord(
    "m2", "turtle lost", {"enemy_pokemon": "rat"}, "lost", "critical", "", NOON, NOON, 1
)


def see(blackboard: Blackboard, *, location: str = "town", goal: str | None = "badge") -> None:
    state = replace(STATE, tick=7, location=location, active_goal=goal)
    blackboard.write(SENSORY, TICK_STATE, as_json(state), tick=7, game_s=1.0)


def context_of(tiers: Tiers) -> dict[str, object]:
    return dict(GOAP.get_context_for_planning(tiers.observer, tiers.strategist, tiers.tactician))


def test_e35_the_planning_context_tells_the_moment_and_what_is_known_of_this_place(
    tiers: Tiers,
) -> None:
    tiers.strategist.set_objective(AIM)
    tiers.strategist.record_battle(FIGHT)
    for each in (MISTAKE, LOST):
        tiers.tactician.add_mistake(each)
    tiers.tactician.add_pattern(PATTERN)
    see(tiers.blackboard)
    context = context_of(tiers)
    assert context["location"] == "town"
    assert context["objectives"] == [as_json(AIM)]
    assert context["win_rate"] == 1.0
    assert context["mistakes"] == [as_json(MISTAKE)]  # the lost battle is not about a place
    assert context["patterns"] == [as_json(PATTERN)]


def test_e35_before_anything_is_seen_nothing_is_known_of_the_place(tiers: Tiers) -> None:
    tiers.tactician.add_mistake(MISTAKE)
    context = context_of(tiers)
    assert context["state"] is None
    assert context["mistakes"] == []


def test_e35_objectives_are_the_active_ones_the_most_urgent_first(tiers: Tiers) -> None:
    urgent = replace(AIM, objective_id="o2", priority=90)
    done = replace(AIM, objective_id="o3", priority=99, status="completed")
    for each in (AIM, urgent, done):
        tiers.strategist.set_objective(each)
    assert GOAP.query_strategist_objectives(tiers.strategist) == [urgent, AIM]


def test_e35_strategies_are_those_that_worked_against_the_enemy_the_most_proven_first(
    tiers: Tiers,
) -> None:
    often = replace(STRATEGY, strategy_id="s2", total_uses=9)
    team = replace(STRATEGY, strategy_id="s3", enemy_type="bat, rat", player_pokemon="frog")
    for each in (STRATEGY, often, team):
        tiers.tactician.add_strategy(each)
    query = GOAP.query_tactician_strategies
    own = {"enemy_pokemon": "rat", "player_pokemon": "turtle"}
    assert query(tiers.tactician, own) == [often, STRATEGY]
    assert query(tiers.tactician, {"enemy_pokemon": "rat"}) == [often, STRATEGY, team]
    assert query(tiers.tactician, {"enemy_pokemon": "ra"}) == []
    assert query(tiers.tactician, {}) == []


def test_e35_a_plan_that_keeps_failing_in_a_place_becomes_a_mistake_known_there(
    tiers: Tiers,
) -> None:
    see(tiers.blackboard)
    for _ in range(3):
        GOAP.record_planning_outcome(tiers.observer, False, "no way")
    assert [each.outcome_summary for each in tiers.observer.recent_actions] == ["no way"] * 3
    tiers.consolidator.consolidate(1000, reason="session_end")
    (mistake,) = tiers.tactician.get_mistakes_for_context({"location": "town"})
    assert mistake.situation == {"location": "town", "action": "plan:badge"}
