"""Memory as context for planning and as text for models (E35, E36)."""

from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from memory import Blackboard, MistakeRecord, as_json
from memory.tiers.integrations import (
    SectionName,
    get_context_for_planning,
    get_recent_actions_summary,
    get_strategic_context,
    get_tactical_context,
    memory_sections,
    query_strategist_objectives,
    query_tactician_strategies,
    record_planning_outcome,
)
from memory.tiers.observer import SENSORY_INPUT, TICK_STATE, SensoryInput
from memory.tokens import tokens
from tests.memory.samples import AIM, FIGHT, MISTAKE, NOON, PATTERN, SENSORY, STATE, STRATEGY, Tiers

LOST = MistakeRecord(
    mistake_id="m2",
    description="turtle lost against rat",
    situation={"enemy_pokemon": "rat", "player_pokemon": "turtle"},
    outcome="lost at level 5 against level 6",
    severity="critical",
    prevention_tip="Come back above level 5.",
    first_occurred=NOON,
    last_occurred=NOON,
    occurrence_count=2,
)


def fill(tiers: Tiers) -> None:
    tiers.strategist.set_objective(AIM)
    for outcome in ("victory", "defeat"):
        tiers.strategist.record_battle(replace(FIGHT, battle_id=outcome, outcome=outcome))
    tiers.tactician.add_strategy(STRATEGY)
    tiers.tactician.add_mistake(LOST)
    tiers.act(3, "go:town")
    tiers.act(4, "talk:mum", success=False)


def meet(tiers: Tiers, enemy: str) -> None:
    seen = SensoryInput((), "", 1.0, "battle", enemy, 100.0, 100.0, ())
    tiers.blackboard.write(SENSORY, SENSORY_INPUT, as_json(seen), tick=5, game_s=1.0)


def test_e36_the_tactical_text_lists_strategies_and_mistakes(tiers: Tiers) -> None:
    fill(tiers)
    text = get_tactical_context(tiers.tactician, {"enemy_pokemon": "rat"})
    assert text == snapshot("""\
Known from earlier battles:
- worked 100% of 2: tackle
- mistake (critical, x2): turtle lost against rat; lost at level 5 against level 6. Come back above level 5.\
""")


def test_e36_the_strategic_text_lists_objectives_and_battles(tiers: Tiers) -> None:
    fill(tiers)
    assert get_strategic_context(tiers.strategist) == snapshot("""\
This session:
- [50] Leave, 0% done
- battles: 1 won, 1 lost
- defeat: turtle L5 against rat L3, 2 turns
- victory: turtle L5 against rat L3, 2 turns\
""")


def test_e36_the_action_summary_is_newest_first(tiers: Tiers) -> None:
    fill(tiers)
    assert get_recent_actions_summary(tiers.observer) == snapshot("""\
Last actions, newest first:
- tick 4: talk:mum, moved
- tick 3: go:town, moved\
""")


def test_e36_each_model_gets_its_sections_without_empty_ones(tiers: Tiers) -> None:
    def sections() -> dict[str, dict[SectionName, str]]:
        wanted: dict[str, tuple[SectionName, ...]] = {
            "small": ("tactical", "recent_actions"),
            "large": ("strategic",),
        }
        return memory_sections(wanted, tiers.observer, tiers.strategist, tiers.tactician)

    assert sections() == {"small": {}, "large": {}}
    fill(tiers)
    meet(tiers, "rat")
    found = sections()
    assert {model: set(texts) for model, texts in found.items()} == {
        "small": {"tactical", "recent_actions"},
        "large": {"strategic"},
    }
    assert found["large"]["strategic"] == get_strategic_context(tiers.strategist)
    meet(tiers, "bat")  # an unknown enemy
    assert set(sections()["small"]) == {"recent_actions"}


@pytest.mark.parametrize("budget", [0, 5, 7, 20, 45, 300])
def test_e36_no_section_is_longer_than_its_budget(tiers: Tiers, budget: int) -> None:
    fill(tiers)
    for at in range(12):
        aim = replace(AIM, objective_id=str(at), name="go " * at * at, priority=at + 1)
        tiers.strategist.set_objective(aim)
    texts = (
        get_strategic_context(tiers.strategist, budget),
        get_recent_actions_summary(tiers.observer, budget),
        get_tactical_context(tiers.tactician, {"enemy_pokemon": "rat"}, budget),
    )
    assert all(tokens(text) <= budget for text in texts)
    assert any(texts) == (budget > 7)


def see(blackboard: Blackboard, *, location: str = "town", goal: str | None = "badge") -> None:
    state = replace(STATE, tick=7, location=location, active_goal=goal)
    blackboard.write(SENSORY, TICK_STATE, as_json(state), tick=7, game_s=1.0)


def context_of(tiers: Tiers) -> dict[str, object]:
    return dict(get_context_for_planning(tiers.observer, tiers.strategist, tiers.tactician))


def test_e35_the_planning_context_has_the_state_and_knowledge_of_the_place(tiers: Tiers) -> None:
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
    assert context["mistakes"] == [as_json(MISTAKE)]  # the lost battle has no place
    assert context["patterns"] == [as_json(PATTERN)]


def test_e35_before_the_first_state_no_place_is_known(tiers: Tiers) -> None:
    tiers.tactician.add_mistake(MISTAKE)
    context = context_of(tiers)
    assert context["state"] is None
    assert context["mistakes"] == []


def test_e35_objectives_are_active_and_sorted_by_priority(tiers: Tiers) -> None:
    urgent = replace(AIM, objective_id="o2", priority=90)
    done = replace(AIM, objective_id="o3", priority=99, status="completed")
    for each in (AIM, urgent, done):
        tiers.strategist.set_objective(each)
    assert query_strategist_objectives(tiers.strategist) == [urgent, AIM]


def test_e35_strategies_worked_against_the_enemy_and_are_sorted_by_proof(tiers: Tiers) -> None:
    often = replace(STRATEGY, strategy_id="s2", total_uses=9)
    team = replace(STRATEGY, strategy_id="s3", enemy_type="bat, rat", player_pokemon="frog")
    for each in (STRATEGY, often, team):
        tiers.tactician.add_strategy(each)
    query = query_tactician_strategies
    own = {"enemy_pokemon": "rat", "player_pokemon": "turtle"}
    assert query(tiers.tactician, own) == [often, STRATEGY]
    assert query(tiers.tactician, {"enemy_pokemon": "rat"}) == [often, STRATEGY, team]
    assert query(tiers.tactician, {"enemy_pokemon": "ra"}) == []
    assert query(tiers.tactician, {}) == []


def test_e35_a_plan_that_keeps_failing_becomes_a_mistake_of_the_place(tiers: Tiers) -> None:
    see(tiers.blackboard)
    for _ in range(3):
        record_planning_outcome(tiers.observer, success=False, outcome="no way")
    assert [each.outcome_summary for each in tiers.observer.recent_actions] == ["no way"] * 3
    tiers.consolidator.consolidate(1000, reason="session_end")
    (mistake,) = tiers.tactician.get_mistakes_for_context({"location": "town"})
    assert mistake.situation == {"location": "town", "action": "plan:badge"}
