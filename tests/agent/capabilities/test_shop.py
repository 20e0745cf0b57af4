"""What is worth a walk to a shop, and who is worth a ball."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent.capabilities import shop
from agent.capabilities.catch import PLACES, ROOM, capability, wanted
from agent.capabilities.field_moves import awaited, learners_of
from agent.planning.domain import Require
from agent.skills import CUT, FLASH
from emulator import Party, State
from emulator.profile import symbol
from emulator.ram.player import Bag, Stack
from tests.agent.demo import DEX, STORY, free_in, kit, told
from tests.agent.support import Game, Played, game_at

HEATHER_WAY = 13
BALL, ANTIDOTE, POTION = 4, 11, 20
FULL = dict.fromkeys(range(40, 60), 1)  # nothing of what shops have
FULL_WITH_ONE = {POTION: 1, **dict.fromkeys(range(40, 59), 1)}
WEAK_AGAINST_STONE, STRONG_AGAINST_STONE = 3, 7  # species of starters


@pytest.fixture(scope="module")
def moment(played: Played) -> State:
    """A moment at which shops sell."""
    with game_at(played.folder, free_in(HEATHER_WAY)) as game:
        return game.state


def supplied(state: State, things: dict[int, int], *, money: int, starter: int) -> bool:
    mon = replace(state.party[0], species=starter)
    state = replace(
        state,
        bag=Bag(tuple(Stack(item, count) for item, count in things.items())),
        player=replace(state.player, money=money),
        party=replace(state.party, mons=(mon,)),
    )
    return all(told(shop.capability(kit()), state).values())


@pytest.mark.parametrize(
    ("things", "money", "starter", "enough"),
    [
        pytest.param({POTION: 5, BALL: 5}, 3000, STRONG_AGAINST_STONE, True, id="no antidote"),
        pytest.param({POTION: 1, BALL: 5}, 3000, STRONG_AGAINST_STONE, False, id="few potions"),
        pytest.param({POTION: 1, BALL: 5}, 100, STRONG_AGAINST_STONE, True, id="no money"),
        pytest.param(FULL, 3000, STRONG_AGAINST_STONE, True, id="no room"),
        pytest.param(FULL_WITH_ONE, 3000, STRONG_AGAINST_STONE, False, id="room on its stack"),
        pytest.param({POTION: 5}, 3000, STRONG_AGAINST_STONE, True, id="nobody is to be caught"),
        pytest.param({POTION: 5}, 3000, WEAK_AGAINST_STONE, False, id="somebody is to be caught"),
    ],
)
def test_one_goes_shopping_for_what_is_needed_and_can_be_paid(
    moment: State, things: dict[int, int], money: int, starter: int, *, enough: bool
) -> None:
    assert supplied(moment, things, money=money, starter=starter) is enough


KIT = kit()
HM_CUT, HM_FLASH = 196, 200
NOBODYS_PUPIL = 33  # a species that learns from no machine, and is strong against nobody
NEEDED = {"cut", "surf", "strength"}  # by ways and tasks; light and wings only pay
BAG, BADGES = symbol("wNumBagItems"), symbol("wObtainedBadges")
MON, SPECIES = symbol("wPartyMon1"), symbol("wPartySpecies")


@pytest.fixture
def town(played: Played) -> Iterator[Game]:
    """Somewhere outdoors, alone with somebody who learns nothing."""
    with game_at(played.folder, free_in(1)) as game:
        game.poke({MON: NOBODYS_PUPIL, SPECIES: NOBODYS_PUPIL})
        game.poke(
            {BAG: 2, BAG + 1: HM_CUT, BAG + 2: 1, BAG + 3: HM_FLASH, BAG + 4: 1, BAG + 5: 0xFF}
        )
        yield game


def team_of(size: int, state: State) -> State:
    return replace(state, party=Party(state.party.mons[:1] * size))


def test_what_the_story_needs_is_awaited_of_who_is_still_to_come(town: Game) -> None:
    assert {each.name for each in awaited(STORY, DEX, town.state)} == NEEDED


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_last_places_are_kept_for_who_learns_that(town: Game, size: int) -> None:
    assert wanted(KIT, team_of(size, town.state)) == learners_of(DEX, CUT)


def test_before_that_who_fits_or_lights_up_the_dark_is_welcome_too(town: Game) -> None:
    assert wanted(KIT, team_of(2, town.state)) > learners_of(DEX, CUT) | learners_of(DEX, FLASH)


def test_a_full_team_wants_nobody(town: Game) -> None:
    assert wanted(KIT, team_of(6, town.state)) == frozenset()


def test_nobody_sets_out_to_catch_whom_there_is_no_place_for() -> None:
    deeds = {deed.action.name.rpartition(":")[2]: deed.action for deed in capability(KIT).actions}
    assert Require(PLACES, at_least=1) in deeds["surf"].requires
    assert Require(ROOM, at_least=1) in deeds["flash"].requires
    assert Require(ROOM, at_least=1) in deeds["challenge_leader"].requires
