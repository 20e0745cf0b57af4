"""Machines and moves used on the map, on the cartridge: teaching, cutting, flying, and being refused."""

from collections.abc import Iterator

import pytest

from agent.capabilities.field_moves import Learner, able_to_learn, learners_of, pupil_for
from agent.skills import CUT, FLY, STRENGTH, Outcome, fly, teach, use_field_move
from agent.skills.skill import Movement, Skill
from agent.story import Story
from emulator import CartridgeKind, Dex, State, World, demo_cartridge_path, load_cartridge
from emulator.profile import symbol
from tests.agent.support import Game, Played, game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
WORLD, DEX = World.of(CARTRIDGE), Dex.of(CARTRIDGE)
SECOND_TOWN, FIRST_TOWN = 1, 0
HM_CUT = 196
NAMES = {town: WORLD.map(town).town_map for town in range(3)}
TOWNS = {town: entry.name for town, entry in NAMES.items() if entry is not None}
BAG, NO_MORE = symbol("wNumBagItems"), 0xFF
BADGES = symbol("wObtainedBadges")
MON, PARTY_SPECIES = symbol("wPartyMon1"), symbol("wPartySpecies")
MOVES, PP = 8, 29
STARTER, NOBODYS_PUPIL = 3, 33  # species: NIBBIT learns from no machine
HIT, GLOWER, SCAMPER = 1, 3, 18


def free_in_the_second_town(state: State) -> bool:
    return state.in_control and state.map.map_id == SECOND_TOWN


@pytest.fixture
def town(played: Played) -> Iterator[Game]:
    """Outdoors in the second town, with HM01 and every badge."""
    with game_at(played.folder, free_in_the_second_town) as game:
        game.poke({BAG: 1, BAG + 1: HM_CUT, BAG + 2: 1, BAG + 3: NO_MORE, BADGES: 0xFF})
        is_somebody(game, STARTER, HIT, GLOWER)
        yield game


def is_somebody(game: Game, species: int, *moves: int) -> None:
    known = dict(enumerate((*moves, 0, 0, 0, 0)[:4]))
    game.poke({MON + MOVES + at: move for at, move in known.items()})
    game.poke({MON + PP + at: 10 if move else 0 for at, move in known.items()})
    game.poke({MON: species, PARTY_SPECIES: species})


def moves_of(game: Game) -> tuple[int, ...]:
    return tuple([each.move for each in game.state.party[0].moves])


def done(movement: Movement) -> Skill:
    """Make a skill of a movement, which has no outcome."""
    yield from movement
    return Outcome.DONE


def test_a_free_slot_is_filled(town: Game) -> None:
    assert town.carry_out(teach(HM_CUT, 0, town.state), within=120) is Outcome.DONE
    assert moves_of(town) == (HIT, GLOWER, CUT)
    assert town.state.in_control
    assert town.state.bag.quantity(HM_CUT) == 1


def test_of_four_moves_the_one_that_was_named_is_forgotten(town: Game) -> None:
    is_somebody(town, STARTER, HIT, GLOWER, SCAMPER, STRENGTH)
    skill = teach(HM_CUT, 0, town.state, forget=2)
    assert town.carry_out(skill, within=200) is Outcome.DONE
    assert moves_of(town) == (HIT, GLOWER, CUT, STRENGTH)
    assert town.state.in_control


def test_who_is_not_able_is_let_be(town: Game) -> None:
    is_somebody(town, NOBODYS_PUPIL, HIT)
    assert town.carry_out(teach(HM_CUT, 0, town.state), within=200) is Outcome.BLOCKED
    assert moves_of(town) == (HIT,)
    assert town.state.in_control


def test_what_is_refused_leaves_the_menus_and_nothing_else(town: Game) -> None:
    is_somebody(town, STARTER, HIT, CUT)
    before = town.state.position
    town.carry_out(done(use_field_move(CUT, town.state)), within=120)
    assert town.state.in_control
    assert town.state.position == before


def test_whoever_can_flies_to_a_town_that_was_seen(town: Game) -> None:
    is_somebody(town, STARTER, HIT, FLY)
    assert town.carry_out(fly(FIRST_TOWN, TOWNS, town.state), within=200) is Outcome.DONE
    assert town.state.map.map_id == FIRST_TOWN
    assert town.state.in_control


def test_nobody_flies_without_the_badge_or_to_a_town_never_seen(town: Game) -> None:
    is_somebody(town, STARTER, HIT, FLY)
    assert town.carry_out(fly(2, TOWNS, town.state), within=200) is Outcome.BLOCKED
    assert town.state.in_control
    town.poke({BADGES: 0})
    assert town.carry_out(fly(FIRST_TOWN, TOWNS, town.state), within=200) is Outcome.BLOCKED
    assert town.state.map.map_id == SECOND_TOWN
    assert town.state.in_control


def test_the_pupil_is_who_loses_least_by_it(town: Game) -> None:
    assert STARTER in learners_of(DEX, CUT)
    assert pupil_for(DEX, town.state.party, CUT) == Learner(0, 2)
    is_somebody(town, STARTER, HIT, GLOWER, SCAMPER, STRENGTH)
    pupil = pupil_for(DEX, town.state.party, CUT)
    assert pupil is not None
    assert pupil.slot in (0, 1, 2)  # the last is never given up
    is_somebody(town, STARTER, CUT)
    assert able_to_learn(DEX, town.state.party, CUT) == []
    is_somebody(town, NOBODYS_PUPIL, HIT)
    assert able_to_learn(DEX, town.state.party, CUT) == []


def test_the_stories_say_which_badge_each_move_needs() -> None:
    def badges(kind: CartridgeKind) -> dict[str, int]:
        story = Story.of(kind)
        return {each.name: story.marks[each.badge].number for each in story.field_moves}

    told = {"cut": 1, "fly": 2, "surf": 4, "strength": 3, "flash": 0}
    assert badges(CartridgeKind.RED) == told
    own = {"cut": 0, "flash": 0, "surf": 1, "strength": 1, "fly": 2}
    assert badges(CartridgeKind.DEMO) == own
