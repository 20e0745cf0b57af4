"""Healing: when the team counts as healed, and where it heals."""

from dataclasses import replace

import pytest

from agent.capabilities import heal, medicine, train, travel
from agent.capabilities.travel import MAP
from agent.planning.domain import Goal, Require
from agent.planning.search import plan
from agent.skills import Outcome
from agent.story.interactions import Healer
from emulator import Party, State
from emulator.profile import symbol
from tests.agent.demo import STORY, free_in, game_context, sensed_facts
from tests.agent.support import Game, game_fixture, state_fixture

REST_HOUSE, THE_WOOD, THIRD_TOWN = 41, 51, 2


HEALING, WALKING = heal.capability(game_context()), travel.capability(game_context())
MEDICINE = medicine.capability(game_context())
STATUS_FLAGS_4, USED_CENTER = symbol("wStatusFlags4"), 0x04
LAST_BLACKOUT_MAP, SECOND_TOWN = symbol("wLastBlackoutMap"), 1


def healed(state: State) -> int:
    return sensed_facts(HEALING, state)["healed"]


unhealed = game_fixture(lambda state: state.in_control, {STATUS_FLAGS_4: USED_CENTER})


def test_only_a_blackout_map_with_a_centre_counts_as_healed_and_not_asking(unhealed: Game) -> None:
    assert unhealed.state.flags.used_center
    assert not healed(unhealed.state)
    unhealed.poke({LAST_BLACKOUT_MAP: SECOND_TOWN})
    assert healed(unhealed.state)


def first_of_the_plan(facts: dict[str, int]) -> str:
    """Return the first action of the plan for the most urgent healing goal."""
    topics = (HEALING, MEDICINE, WALKING)
    actions = [bound.action for each in topics for bound in each.actions]
    opened = {need: 1 for place in STORY.places for need in place.needs}
    facts = {"in_control": 1, "party:hp": 100, "party:pp": 100, **opened, **facts}
    goal = max(
        (each for topic in topics for each in topic.goals if not each.reached(facts)),
        key=lambda each: each.priority,
    )
    found = plan(goal, facts, actions)
    assert found is not None
    return found.actions[0].name


def test_an_antidote_from_the_bag_comes_before_the_walk_to_a_healer() -> None:
    poisoned = {"party:hp": 25, "party:poisoned": 1, MAP: THE_WOOD}
    assert first_of_the_plan({**poisoned, "bag:antidotes": 1}) == "use:antidote"
    assert first_of_the_plan(poisoned).startswith("travel:")


def test_beside_a_healer_no_item_is_used() -> None:
    worn = {"party:hp": 25, "party:poisoned": 1, "at:rest_house": 1, MAP: REST_HOUSE}
    assert first_of_the_plan({**worn, "bag:antidotes": 1, "bag:restores": 100}) == "heal:rest_house"


def test_training_comes_before_the_healing_it_requires() -> None:
    """A team that must be both trained and healthy is healed only once."""
    bound_actions = (*HEALING.actions, *WALKING.actions, *train.capability(game_context()).actions)
    (task,) = [each for each in STORY.tasks if each.id == "challenge_leader"]
    strong = Goal(
        "strong",
        (Require(task.ready, at_least=1), Require("party:hp", at_least=80)),
        1,
        "be strong",
    )
    # No further than the leader: beyond the gym there are better wild areas.
    opened = {need: 1 for place in STORY.places if place.name == "gym" for need in place.needs}
    facts = {"in_control": 1, "party:hp": 70, MAP: THE_WOOD, "at:wood": 1, **opened}
    found = plan(strong, facts, [bound.action for bound in bound_actions])
    assert found is not None
    kinds = [each.name.partition(":")[0] for each in found.actions]
    assert kinds == ["train", "travel", "heal"]


def test_a_potion_is_used_far_from_a_healer_and_not_in_the_same_town() -> None:
    worn = {"party:hp": 25, "bag:restores": 100}
    assert first_of_the_plan({**worn, MAP: THE_WOOD}) == "use:potion"
    assert first_of_the_plan({**worn, MAP: THIRD_TOWN}) == "travel:stone_rest_house"


hurt = game_fixture(free_in(REST_HOUSE), {symbol("wPartyMon1HP") + 1: 1})


@pytest.mark.parametrize(("person", "outcome"), [(1, Outcome.DONE), (2, Outcome.BLOCKED)])
def test_asking_a_person_who_does_not_heal_is_a_failure(
    hurt: Game, person: int, outcome: Outcome
) -> None:
    story = replace(STORY, healers=(Healer("rest_house", person),))
    (asking,) = heal.capability(replace(game_context(), story=story)).actions
    assert hurt.carry_out(asking.begin(hurt.state)) is outcome


a_team = state_fixture(lambda state: free_in(THE_WOOD)(state) and len(state.party) > 0)


def test_the_pp_of_who_fights_count_and_not_those_of_another_member(a_team: State) -> None:
    strong = a_team.party[0]
    spent = replace(strong, moves=tuple(slot._replace(pp=0) for slot in strong.moves))
    weak = replace(strong, level=strong.level - 3)
    tired = replace(a_team, party=Party((spent, weak)))
    assert sensed_facts(HEALING, tired)["party:pp"] == 0
