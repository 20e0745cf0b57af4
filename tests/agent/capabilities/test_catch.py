"""Who is worth a ball: the last places of a team are for who learns what the story cannot do without."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent.capabilities import GameContext
from agent.capabilities.catch import PLACES, ROOM, capability, wanted
from agent.capabilities.field_moves import awaited, learners_of
from agent.planning import Require
from agent.skills import CUT, FLASH, Terrain
from agent.story import MilestoneLedger, Story
from emulator import CartridgeKind, Dex, Party, State, World, demo_cartridge_path, load_cartridge
from emulator.profile import symbol
from memory import Hooks
from tests.agent.support import Game, Played, game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
STORY = Story.of(CartridgeKind.DEMO)
DEX = Dex.of(CARTRIDGE)
KIT = GameContext(STORY, Terrain(World.of(CARTRIDGE)), DEX, MilestoneLedger((), Hooks()), 0)
HM_CUT, HM_FLASH = 196, 200
NOBODYS_PUPIL = 33  # a species that learns from no machine, and is strong against nobody
NEEDED = {"cut", "surf", "strength"}  # by ways and tasks; light and wings only pay
BAG, BADGES = symbol("wNumBagItems"), symbol("wObtainedBadges")
MON, SPECIES = symbol("wPartyMon1"), symbol("wPartySpecies")


@pytest.fixture
def town(played: Played) -> Iterator[Game]:
    """Somewhere outdoors, alone with somebody who learns nothing."""
    with game_at(played.folder, lambda state: state.in_control and state.map.map_id == 1) as game:
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
