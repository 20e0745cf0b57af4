"""Memory as text for a model (E36)."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from memory import Json, MistakeRecord, as_json
from memory.tiers.encounters import (
    ITEM_OWNED,
    OPPONENT_MET,
    PLACE_KNOWN,
    ItemOwned,
    OpponentMet,
    PlaceKnown,
)
from memory.tiers.integrations import MemoryAIIntegration
from memory.tokens import tokens
from tests.memory.samples import AIM, FIGHT, MISTAKE, NOON, STRATEGY, Tiers

LOST = MistakeRecord(
    "m2",
    "turtle lost against rat",
    {"enemy_pokemon": "rat", "player_pokemon": "turtle"},
    "lost at level 5 against level 6",
    "critical",
    "Come back above level 5.",
    *(NOON, NOON, 2),
)
MET = OpponentMet(
    "r1", "BIKER 1", "gym", 1, "gym", 9, 6, 3, 2, 1, 0, 0, "turtle", ("tackle",), "gym", "frog", 4
)
AHEAD: Mapping[str, Json] = {"opponent": "BIKER 1", "enemy_pokemon": "rat", "location": "town"}


def integration(tiers: Tiers) -> MemoryAIIntegration:
    return MemoryAIIntegration(tiers.observer, tiers.strategist, tiers.tactician)


def fill(tiers: Tiers) -> None:
    tiers.strategist.set_objective(AIM)
    for outcome in ("victory", "defeat"):
        tiers.strategist.record_battle(replace(FIGHT, battle_id=outcome, outcome=outcome))
    tiers.tactician.add_strategy(STRATEGY)
    tiers.tactician.add_mistake(LOST)
    tiers.tactician.add_mistake(MISTAKE)
    for run in ("r1", "r2"):
        met = as_json(replace(MET, run=run))
        tiers.blackboard.write(tiers.tactician.semantic, OPPONENT_MET, met, status="verified")
    tiers.act(3, "go:town")
    tiers.act(4, "talk:mum", success=False)


def test_e36_the_tactical_text_tells_the_record_wins_and_mistakes(tiers: Tiers) -> None:
    fill(tiers)
    assert integration(tiers).get_tactical_context(AHEAD, ("the red one: 90 ticks",)) == snapshot("""\
What earlier games and this one taught:
- the red one: 90 ticks
- BIKER 1, the next opponent: won 4 and lost 2 of its battles; last beaten by turtle with tackle; frog at level 4 lost to it last
- turtle won 2 of 2 against rat with growl, tackle
- mistake, 2x: turtle lost against rat, the last time lost at level 5 against level 6. Come back above level 5.
- mistake, 3x: wall, bump.\
""")


def test_e36_a_first_member_of_the_team_that_won_is_a_mistake_that_is_listed(tiers: Tiers) -> None:
    fill(tiers)
    text = integration(tiers).get_tactical_context({"enemy_pokemon": "rat, bat"})
    assert "turtle lost against rat" in text
    assert "won 2" not in text  # only the first of them was beaten
    assert integration(tiers).get_tactical_context({"enemy_pokemon": "bat"}) == ""


def test_e36_a_place_is_described_over_all_games(tiers: Tiers) -> None:
    semantic = tiers.tactician.semantic
    place = PlaceKnown("", "store", 7, "indoors", ("town",), ("cellar",), ("sells items",), ())
    tiers.blackboard.write(semantic, PLACE_KNOWN, as_json(place), status="verified")
    for name, where in (("POTION", "store"), ("BALL", "town")):
        item = ItemOwned("r1", name, where, 1, 9, 2)
        tiers.blackboard.write(semantic, ITEM_OWNED, as_json(item), status="verified")
    assert integration(tiers).get_tactical_context({"place": "store"}) == snapshot("""\
What earlier games and this one taught:
- store, this place: visited 7x; sells items; not explored from here: cellar
- first seen in the bag in store: POTION\
""")
    assert integration(tiers).get_tactical_context({"place": "gym"}) == ""


def test_e36_what_is_claimed_or_closed_is_left_out(tiers: Tiers) -> None:
    semantic = tiers.tactician.semantic
    claim, other = (as_json(replace(MET, run=run)) for run in ("claim", "other"))
    tiers.blackboard.write(semantic, OPPONENT_MET, claim, status="claim")
    entry = tiers.blackboard.write(semantic, OPPONENT_MET, other, status="verified")
    tiers.blackboard.close(entry, "it was another")
    assert integration(tiers).get_tactical_context(AHEAD) == ""


def test_e36_the_other_texts_list_battles_objectives_and_actions(tiers: Tiers) -> None:
    fill(tiers)
    assert integration(tiers).get_strategic_context() == snapshot("""\
This session:
- battles: 1 won, 1 lost
- begun: Leave, at tick 1\
""")
    labels = {"talk:mum": "talk to the mother"}
    assert integration(tiers).get_recent_actions_summary(labels) == snapshot("""\
Last actions, newest first:
- tick 4: talk to the mother, moved
- tick 3: go:town, moved\
""")


def test_e36_only_the_wanted_sections_with_content_are_injected(tiers: Tiers) -> None:
    assert integration(tiers).inject_memory_context(("tactical", "strategic"), AHEAD) == {}
    fill(tiers)
    found = integration(tiers).inject_memory_context(("strategic", "recent_actions"), AHEAD)
    assert list(found) == ["strategic", "recent_actions"]
    assert found["strategic"] == integration(tiers).get_strategic_context()


@pytest.mark.parametrize("budget", [0, 5, 7, 20, 45, 300])
def test_e36_no_section_is_longer_than_its_budget(tiers: Tiers, budget: int) -> None:
    fill(tiers)
    for at in range(12):
        aim = replace(AIM, objective_id=str(at), name="go " * at * at, priority=at + 1)
        tiers.strategist.set_objective(aim)
    texts = (
        integration(tiers).get_strategic_context(budget),
        integration(tiers).get_recent_actions_summary(budget=budget),
        integration(tiers).get_tactical_context(AHEAD, budget=budget),
    )
    assert all(tokens(text) <= budget for text in texts)
    assert any(texts) == (budget > 7)
