"""What models are told of memory: the same words for the same memory, and never too many (E36)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from inline_snapshot import snapshot

from memory import MistakeRecord, as_json
from memory.tiers import SENSORY_INPUT, SensoryInput
from memory.tiers.integrations import MemoryAIIntegration, Section
from memory.tokens import tokens
from tests.memory.samples import AIM, FIGHT, NOON, SENSORY, STRATEGY, Tiers

AI = MemoryAIIntegration()
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


@dataclass(frozen=True)
class Client:
    sections: Mapping[str, tuple[Section, ...]]


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


def test_e36_the_tactical_text_tells_what_worked_and_what_did_not(tiers: Tiers) -> None:
    fill(tiers)
    text = AI.get_tactical_context(tiers.tactician, {"enemy_pokemon": "rat"})
    assert text == snapshot("""\
Known from earlier battles:
- worked 100% of 2: tackle
- mistake (critical, x2): turtle lost against rat; lost at level 5 against level 6. Come back above level 5.\
""")


def test_e36_the_strategic_text_tells_aims_and_battles(tiers: Tiers) -> None:
    fill(tiers)
    assert AI.get_strategic_context(tiers.strategist) == snapshot("""\
This session:
- [50] Leave, 0% done
- battles: 1 won, 1 lost
- defeat: turtle L5 against rat L3, 2 turns
- victory: turtle L5 against rat L3, 2 turns\
""")


def test_e36_the_summary_of_actions_tells_the_newest_first(tiers: Tiers) -> None:
    fill(tiers)
    assert AI.get_recent_actions_summary(tiers.observer) == snapshot("""\
Last actions, newest first:
- tick 4: talk:mum, moved
- tick 3: go:town, moved\
""")


def test_e36_each_model_gets_its_own_sections_and_no_empty_one(tiers: Tiers) -> None:
    client = Client({"small": ("tactical", "recent_actions"), "large": ("strategic",)})
    args = (client, tiers.observer, tiers.strategist, tiers.tactician)
    assert AI.inject_memory_context(*args) == {"small": {}, "large": {}}
    fill(tiers)
    meet(tiers, "rat")
    found = AI.inject_memory_context(*args)
    assert {model: set(texts) for model, texts in found.items()} == {
        "small": {"tactical", "recent_actions"},
        "large": {"strategic"},
    }
    assert found["large"]["strategic"] == AI.get_strategic_context(tiers.strategist)
    meet(tiers, "bat")  # of whom nothing is known
    assert set(AI.inject_memory_context(*args)["small"]) == {"recent_actions"}


@pytest.mark.parametrize("budget", [0, 5, 7, 20, 45, 300])
def test_e36_no_section_is_longer_than_its_budget(tiers: Tiers, budget: int) -> None:
    fill(tiers)
    for at in range(12):
        aim = replace(AIM, objective_id=str(at), name="go " * at * at, priority=at + 1)
        tiers.strategist.set_objective(aim)
    ai = MemoryAIIntegration(budget)
    texts = (
        ai.get_strategic_context(tiers.strategist),
        ai.get_recent_actions_summary(tiers.observer),
        ai.get_tactical_context(tiers.tactician, {"enemy_pokemon": "rat"}),
    )
    assert all(tokens(text) <= budget for text in texts)
    assert any(texts) == (budget > 7)
