"""Special ground: water for SURF, boulders, switches, holes, and spinning floors."""

from __future__ import annotations

import pytest

from tests.contract import battles, menus
from tests.contract.battles import POISON, Mon
from tests.contract.game import FULL_BAG, Game, Start
from tests.contract.places import led_to
from tests.contract.story_moments import TOWN

CAVE, CELLAR, ROAD = 198, 201, 14
SURF, PUSHING = 57, 70  # the moves
SECOND_BADGE = 0x02
BOULDER = 1
FALLEN = 2  # in the cellar
HOLE = (12, 5)
ON_SWITCH = 0x660
STRENGTH = 0x01
TRIED = 0x40
SURFING, WALKING = 2, 0
DUNGEON_WARP_MAP, WHICH_DUNGEON_WARP = 0xD71D, 0xD71E
SHORE = (6, 15)  # of the pond on the road


@pytest.fixture
def cave(start: Start) -> Game:
    return led_to(start, CAVE, 0)


def strong(game: Game) -> Game:
    game.poke("wStatusFlags1", game.byte("wStatusFlags1") | STRENGTH)
    return game


def push(game: Game, direction: str, slot: int = BOULDER) -> bool:
    """Push against the square ahead for as long as two attempts take; return whether the boulder moved."""
    before = game.sprite(slot)
    here = game.place
    game.hold(direction)
    for _ in range(40):
        game.tick()
        if game.sprite(slot) != before:
            break
    game.release(direction).wait(lambda: game.is_free and not game.byte("wStatusFlags5") & 1, 100)
    game.tick(4)
    assert game.place == here
    return game.sprite(slot) != before


def test_a_boulder_is_a_wall_without_strength(cave: Game) -> None:
    assert not push(cave.go(2, 3).face("right"), "right")
    assert not cave.step("right")


def test_strength_ends_on_the_way_to_another_map(cave: Game) -> None:
    strong(cave).go(3, 8)
    assert cave.byte("wStatusFlags1") & STRENGTH
    cave.step("down")
    cave.until_free(ROAD)
    assert not cave.byte("wStatusFlags1") & STRENGTH


def test_the_first_push_of_a_boulder_is_registered_and_the_second_moves_it(cave: Game) -> None:
    strong(cave)
    cave.go(2, 3).press("right", hold=2, settle=4).tick(8)
    assert cave.byte("wMiscFlags") & TRIED
    assert cave.sprite(BOULDER) == (3, 3)
    assert push(cave, "right")
    assert cave.sprite(BOULDER) == (4, 3)
    assert cave.place[1:] == (2, 3)
    assert not cave.byte("wMiscFlags") & TRIED


def test_a_boulder_does_not_go_through_a_wall(cave: Game) -> None:
    assert push(strong(cave).go(4, 3).face("left"), "left")
    cave.step("left")
    assert not push(cave, "left")


def in_the_inner_part(cave: Game) -> Game:
    """Press the switch, leave for the road, and enter again."""
    cave.set_event(ON_SWITCH).go(3, 8).step("down")
    cave.until_free(ROAD).step("up")
    return cave.until_free(CAVE).poke("wGrassRate", 0)


def test_stepping_into_the_hole_leads_to_the_floor_below(cave: Game) -> None:
    in_the_inner_part(cave).go(*HOLE).until_free(CELLAR)
    assert cave.place[1:] == (2, 4)
    assert cave.byte("wSpriteStateData1", 16 * FALLEN + 2) == 0xFF  # no boulder has fallen yet
    assert (cave.at(DUNGEON_WARP_MAP), cave.at(WHICH_DUNGEON_WARP)) == (CELLAR, 1)
    (entry,) = [i for i in range(12) if cave.rom(1, 0x63BF + 2 * i, 2) == bytes([CELLAR, 1])]
    assert cave.rom(1, 0x63D8 + 6 * entry + 2, 4) == bytes([4, 2, 0, 0])


@pytest.fixture
def by_the_pond(start: Start) -> Game:
    game = led_to(start, ROAD, 0).go(*SHORE).face("down")
    game.poke("wWaterRate", 0)
    return game


def afloat(game: Game) -> Game:
    assert game.poke("wWalkBikeSurfState", SURFING).step("down")
    return game


def test_water_blocks_a_walking_player(by_the_pond: Game) -> None:
    assert not by_the_pond.step("down")


def test_water_encounters_happen_on_water(by_the_pond: Game) -> None:
    game = afloat(by_the_pond)
    lives_there = set(game.block("wWaterMons")[1:20:2])
    game.poke("wPartyCount", 1).poke("wWaterRate", 255)
    game.step("down")
    assert game.byte("wCurOpponent") in lives_there


def use(game: Game, move: int, badges: int = SECOND_BADGE) -> str:
    """Have the first Pokemon use its only move, read the text, and leave all menus."""
    battles.set_team(game, Mon(3, moves=(move,)))
    game.poke("wObtainedBadges", badges)
    menus.open_submenu(game, 1).press("a")
    said = ""
    for _ in range(60):
        if game.is_free:
            return said
        game.tick(12)
        said += game.said
        game.press("b")
    pytest.fail(f"it does not end:\n{game.text}")


def test_surf_is_refused_without_the_badge_and_away_from_water(by_the_pond: Game) -> None:
    for badges, words in ((0, ""), (SECOND_BADGE, "Nothing to swim on")):
        here = by_the_pond.place
        assert words in use(by_the_pond, SURF, badges)
        assert (by_the_pond.place, by_the_pond.byte("wWalkBikeSurfState")) == (here, WALKING)
        by_the_pond.step("up")


def test_strength_is_a_flag(cave: Game) -> None:
    use(cave, PUSHING, badges=0)
    assert not cave.byte("wStatusFlags1") & STRENGTH
    use(cave, PUSHING)
    assert cave.byte("wStatusFlags1") & STRENGTH


ALWAYS = 255


def pace(game: Game, steps: int) -> None:
    """Walk to and fro between two open squares."""
    for _ in range(steps):
        assert game.step("right" if game.place.x == 3 else "left")


def test_every_fourth_step_poison_takes_one(bedroom: Game) -> None:
    team = (Mon(3, hp=9, status=POISON), Mon(7, hp=9), Mon(3, hp=0, status=POISON))
    battles.set_team(bedroom, *team).poke("wStepCounter", 0)
    for steps, left in ((3, 9), (1, 8), (4, 7)):
        pace(bedroom, steps)
        assert [battles.party_hp(bedroom, place) for place in range(3)] == [left, 9, 0]


def step_until_a_text(game: Game, direction: str = "right") -> Game:
    return game.hold_until(direction, lambda: bool(game.byte("wFontLoaded") & 1), 60)


def test_a_pokemon_fainting_on_the_map_is_reported(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1, status=POISON), Mon(7, hp=9)).poke("wStepCounter", 1)
    assert step_until_a_text(bedroom).tick(20).said == "AAAA fainted!"
    assert bedroom.press("b", settle=30).is_free
    assert (battles.party_hp(bedroom, 0), battles.party_mon(bedroom, 0)[4]) == (0, 0)


def test_when_the_last_pokemon_faints_on_the_map_the_player_blacks_out(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1, status=POISON)).poke("wStepCounter", 1)
    bedroom.money = 1001
    step_until_a_text(bedroom)
    bedroom.read_until(lambda: bedroom.place.map == TOWN and bedroom.is_free)
    assert (bedroom.place[1:], battles.party_hp(bedroom, 0), bedroom.money) == ((3, 6), 40, 500)


def in_grass(game: Game, lead: int) -> Game:
    """Make every square one with encounters of level 4."""
    battles.set_team(game, Mon(3, level=lead))
    game.poke("wGrassRate", ALWAYS)
    for slot in range(10):
        game.poke("wGrassMons", 4, 2 * slot).poke("wGrassMons", 33, 2 * slot + 1)
    game.poke("wNumberOfNoRandomBattleStepsLeft", 0)
    return game


def meets(game: Game, steps: int) -> bool:
    for i in range(steps):
        game.hold("left" if i % 2 else "right").tick(20)
        game.release("left" if i % 2 else "right").tick(6)
        if game.byte("wIsInBattle"):
            return True
    return False


@pytest.mark.parametrize(("lead", "steps"), [(5, 8), (4, 0)])
def test_a_repel_prevents_weaker_encounters(bedroom: Game, lead: int, steps: int) -> None:
    in_grass(bedroom, lead).poke("wRepelRemainingSteps", 100)
    assert meets(bedroom, 8) is (steps == 0)
    assert bedroom.byte("wRepelRemainingSteps") < 100


def test_a_repel_wears_off_step_by_step(bedroom: Game) -> None:
    in_grass(bedroom, 50).poke("wGrassRate", 0)
    game = menus.open_bag(bedroom, (menus.REPEL, 1))
    menus.read(menus.choose_use(game))
    game.to_cursor(menus.LIST)
    assert (game.byte("wRepelRemainingSteps"), game.bag) == (100, [])
    pace(game.press("b", "b", settle=20), 3)
    turns_and_steps = 3 + 3
    assert game.byte("wRepelRemainingSteps") == 100 - turns_and_steps
    step_until_a_text(game.poke("wRepelRemainingSteps", 1), "left").tick(40)
    assert "smell" in game.said
    assert game.press("b", settle=30).is_free
    assert game.byte("wRepelRemainingSteps") == 0


def test_a_hidden_item_is_found_once(bedroom: Game) -> None:
    bedroom.bag = []
    assert "found" in bedroom.go(1, 7).face("left").read_all()
    assert bedroom.byte("wObtainedHiddenItemsFlags") & 1
    assert (bedroom.read_all(), bedroom.bag) == ("", [(menus.POTION, 1)])


def test_a_full_bag_leaves_the_item_hidden(bedroom: Game) -> None:
    bedroom.bag = FULL_BAG
    assert "bag is full" in bedroom.go(1, 7).face("left").read_all()
    assert not bedroom.byte("wObtainedHiddenItemsFlags") & 1
