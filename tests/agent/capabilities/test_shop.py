"""When to go shopping, and which Pokemon to catch."""

from dataclasses import replace

import pytest

from agent.battle.suitable import learners_of
from agent.capabilities import shop
from agent.capabilities.capability import PLACES
from agent.capabilities.catch import ROOM, capability
from agent.experience.choices import NEXT_DOOR, NEXT_TOWN, SHOPPING
from agent.planning.domain import Require
from agent.skills import CUT, FLASH
from agent.story.catches import missing_moves, wanted
from emulator import Party, State
from emulator.profile import symbol
from emulator.ram.player import Bag, Stack
from tests.agent.demo import DEX, STORY, free_in, game_context, sensed_facts
from tests.agent.support import Game, game_fixture, state_fixture

HEATHER_WAY = 13
BALL, ANTIDOTE, POTION = 4, 11, 20
CURES = {ANTIDOTE: 2}
FULL = dict.fromkeys(range(40, 60), 1)  # no item that shops sell
FULL_WITH_ONE = {POTION: 1, **dict.fromkeys(range(40, 59), 1)}
WEAK_AGAINST_STONE, STRONG_AGAINST_STONE = 3, 7  # species of starters


moment = state_fixture(free_in(HEATHER_WAY))  # in which shops sell


def supplied(state: State, things: dict[int, int], *, money: int, starter: int) -> bool:
    mon = replace(state.party[0], species=starter)
    state = replace(
        state,
        bag=Bag(tuple(Stack(item, count) for item, count in things.items())),
        player=replace(state.player, money=money),
        party=replace(state.party, mons=(mon,)),
    )
    facts = sensed_facts(shop.capability(game_context()), state)
    return all(facts[each.supplied] for each in STORY.clerks)


@pytest.mark.parametrize(
    ("things", "money", "starter", "enough"),
    [
        pytest.param({**CURES, POTION: 5, BALL: 5}, 3000, STRONG_AGAINST_STONE, True, id="all"),
        pytest.param({POTION: 5, BALL: 5}, 3000, STRONG_AGAINST_STONE, False, id="no antidote"),
        pytest.param(
            {**CURES, POTION: 1, BALL: 5}, 3000, STRONG_AGAINST_STONE, False, id="few potions"
        ),
        pytest.param({POTION: 1, BALL: 5}, 100, STRONG_AGAINST_STONE, True, id="no money"),
        pytest.param(FULL, 3000, STRONG_AGAINST_STONE, True, id="no room"),
        pytest.param(FULL_WITH_ONE, 3000, STRONG_AGAINST_STONE, False, id="room on its stack"),
        pytest.param({**CURES, POTION: 5}, 3000, STRONG_AGAINST_STONE, True, id="no catch needed"),
        pytest.param({**CURES, POTION: 5}, 3000, WEAK_AGAINST_STONE, False, id="a catch needed"),
    ],
)
def test_shopping_is_for_items_that_run_short_and_can_be_paid(
    moment: State, things: dict[int, int], money: int, starter: int, *, enough: bool
) -> None:
    assert supplied(moment, things, money=money, starter=starter) is enough


def test_how_far_to_go_for_items_is_a_choice_of_the_game(moment: State) -> None:
    game = game_context()
    assert game.choices.decisive() == {}
    state = replace(moment, bag=Bag(()), player=replace(moment.player, money=3000))
    clerks = [each.supplied for each in STORY.clerks]
    for way, is_lacking in ((NEXT_TOWN, True), (NEXT_DOOR, False)):
        game.choices.made[SHOPPING.id] = way
        facts = sensed_facts(shop.capability(game), state)
        assert (not all(facts[each] for each in clerks)) is is_lacking
        assert game.choices.decisive() == {SHOPPING.id: way}


CONTEXT = game_context()
HM_CUT, HM_FLASH = 196, 200
WITHOUT_MACHINES = 33  # a species that learns from no machine and is strong against no trainer
NEEDED = {"cut", "surf", "strength"}  # by ways and tasks; FLASH and FLY are optional
BAG = symbol("wNumBagItems")
MON, SPECIES = symbol("wPartyMon1"), symbol("wPartySpecies")


# Outdoors with a team of one Pokemon that learns from no machine, and two machines.
machines = dict(enumerate((2, HM_CUT, 1, HM_FLASH, 1, 0xFF), start=BAG))
town = game_fixture(free_in(1), {MON: WITHOUT_MACHINES, SPECIES: WITHOUT_MACHINES, **machines})


def team_of(size: int, state: State) -> State:
    return replace(state, party=Party(state.party.mons[:1] * size))


def test_required_moves_without_a_learner_are_awaited(town: Game) -> None:
    assert {each.name for each in missing_moves(STORY, DEX, town.state)} == NEEDED


def test_the_last_places_are_reserved_for_learners_and_a_full_team_catches_nothing(
    town: Game,
) -> None:
    found = {size: wanted(STORY, DEX, team_of(size, town.state)) for size in range(2, 7)}
    # With more places, suitable species and learners of FLASH are caught too.
    assert found[2] > learners_of(DEX, CUT) | learners_of(DEX, FLASH)
    assert found[3] == found[4] == found[5] == learners_of(DEX, CUT)
    assert found[6] == frozenset()


def test_catching_requires_a_free_place_in_the_team() -> None:
    actions = {
        each.action.name.rpartition(":")[2]: each.action for each in capability(CONTEXT).actions
    }
    assert Require(PLACES, at_least=1) in actions["surf"].requires
    assert Require(ROOM, at_least=1) in actions["flash"].requires
    assert Require(ROOM, at_least=1) in actions["challenge_leader"].requires
