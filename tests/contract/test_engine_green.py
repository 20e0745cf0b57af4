"""Gallows Green: a rival with three teams, a battle that has to be won, and leaders' own third moves."""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract import battles
from tests.contract.battles import DEX, Mon
from tests.contract.game import Game, Start
from tests.contract.places import enter, led_to
from tests.contract.story_moments import fight, to_the_map

GREEN, TOWER, HALL, ARCADE, ROAD = 35, 147, 134, 150, 14
RIVAL, HOLLIS, LEADER = 25, 37, 34
RIVAL_STARTERS: Final = {7: 4, 11: 5, 3: 6}  # the sets, in the order of the lab's balls
TEAMS: Final = {4: [(10, 66), (12, 8)], 5: [(17, 67), (18, 12)], 6: [(8, 4)]}
BEAT_RIVAL, BEAT_RESTLESS = 0x098, 0x10F
BASIL: Final = 1
MET, BEYOND = (14, 6), (4, 7)
GAP, BEHIND, ASIDE = (4, 5), (4, 4), (5, 5)
# Of maps whose script indices the agent does not read.
GREEN_SCRIPT, TOWER_SCRIPT = 0xD602, 0xD62F
STRONG = Mon(3, hp=300, max_hp=300, level=30, stats=(90, 90, 90, 90))
PARTY_MON = 44


def begun(start: Start, map_id: int, warp: int = 0) -> Game:
    game = led_to(start, map_id, warp)
    battles.hurry(game)
    battles.set_team(game, STRONG)
    return game


def enemy_team(game: Game) -> list[tuple[int, int]]:
    size = game.byte("wEnemyPartyCount")
    data = game.block("wEnemyMons", size * PARTY_MON)
    return [(data[at + 33], data[at]) for at in range(0, size * PARTY_MON, PARTY_MON)]


def third_move(game: Game, place: int) -> int:
    return game.block("wEnemyMons", (place + 1) * PARTY_MON)[place * PARTY_MON + 10]


def meet_rival(game: Game) -> Game:
    game.go(MET[0] + 1, MET[1]).hold_until("left", lambda: game.at(GREEN_SCRIPT) == 1, 60)
    return game.read_until(lambda: bool(game.byte("wIsInBattle")))


@pytest.fixture
def green(start: Start) -> Game:
    return begun(start, GREEN)


@pytest.fixture
def tower(start: Start) -> Game:
    return begun(start, TOWER)


@pytest.mark.parametrize(("starter", "number"), RIVAL_STARTERS.items())
def test_the_rivals_team_follows_his_starter(green: Game, starter: int, number: int) -> None:
    green.poke("wRivalStarter", starter)
    meet_rival(green)
    green.read_until(lambda: battles.is_at_menu(green))
    assert (green.byte("wTrainerClass"), green.byte("wTrainerNo")) == (RIVAL, number)
    assert enemy_team(green) == TEAMS[number]


def test_only_past_the_rival_one_comes_on(green: Game) -> None:
    way = green.route(*BEYOND)
    assert way is not None
    x, y, met = *green.place[1:], []
    for each in way:
        x += {"left": -1, "right": 1}.get(each, 0)
        y += {"up": -1, "down": 1}.get(each, 0)
        met.append((x, y))
    assert MET in met
    assert not green.is_open(MET[0], MET[1] - 1) | green.is_open(MET[0], MET[1] + 1)


def test_the_beaten_rival_leaves_the_way_for_good(green: Game) -> None:
    assert green.is_away(BASIL)
    fight(meet_rival(green), won=True)
    to_the_map(green)
    assert green.has_happened(BEAT_RIVAL)
    assert green.is_away(BASIL)
    assert not green.at(GREEN_SCRIPT)
    green.go(*BEYOND).go(MET[0] + 2, MET[1]).go(*BEYOND)
    assert green.place[1:] == BEYOND


def test_the_rival_who_won_is_met_again(green: Game) -> None:
    battles.set_team(green, Mon(3, hp=1, max_hp=300))
    fight(meet_rival(green), won=False)
    green.read_until(lambda: green.is_free and green.place.map != GREEN)
    assert not green.has_happened(BEAT_RIVAL)
    assert not green.at(GREEN_SCRIPT)


def wake(game: Game) -> Game:
    """Step onto the square before the gap, and wait for the battle."""
    if game.place[1:] != ASIDE:
        game.go(GAP[0], GAP[1] + 1)
    towards = "left" if game.place[1:] == ASIDE else "up"
    game.hold_until(towards, lambda: bool(game.at(TOWER_SCRIPT)), 60)
    return game.read_until(lambda: battles.is_at_menu(game))


def test_only_a_victory_opens_the_gap(tower: Game) -> None:
    for _ in range(2):
        wake(tower)
        battles.choose(tower, battles.RUN)
        tower.read_until(lambda: tower.is_free and not tower.at(TOWER_SCRIPT))
        assert (tower.byte("wBattleResult"), tower.place[1:]) == (2, ASIDE)
        assert not tower.has_happened(BEAT_RESTLESS)
    fight(wake(tower), won=True)
    to_the_map(tower)
    assert tower.has_happened(BEAT_RESTLESS)
    assert tower.place[1:] == GAP
    tower.go(*BEHIND)
    assert tower.place[1:] == BEHIND


def test_the_restless_one_that_won_is_met_again(tower: Game) -> None:
    battles.set_team(tower, Mon(3, hp=1, max_hp=300))
    fight(wake(tower), won=False)
    tower.read_until(lambda: tower.is_free and tower.place.map != TOWER)
    assert not tower.has_happened(BEAT_RESTLESS)
    assert not tower.at(TOWER_SCRIPT)


def test_the_arcade_lies_on_sorrel_road(green: Game) -> None:
    enter(green, "up", ARCADE)
    assert green.byte("wLastMap") == ROAD


def test_a_leader_has_the_third_move_of_the_gyms_table(start: Start) -> None:
    game = begun(start, HALL)
    game.go_beside(4, 2).press("a").read_until(lambda: battles.is_at_menu(game))
    place, move = DEX.lone_moves[4]
    assert (game.byte("wGymLeaderNo"), game.byte("wTrainerClass")) == (4, HOLLIS)
    assert third_move(game, place) == move
    member = DEX.trainer(HOLLIS).teams[0][place]
    assert DEX.species(member.species).moves_at(member.level)[2] != move
    fight(game, won=True)
    to_the_map(game)
    assert not game.byte("wGymLeaderNo")


def test_each_leader_has_a_move_that_no_level_teaches() -> None:
    for gym in (1, 2, 3):
        place, move = DEX.lone_moves[gym]
        member = DEX.trainer(LEADER + gym - 1).teams[0][place]
        assert move not in DEX.species(member.species).moves_at(member.level)


@pytest.mark.parametrize(("trainer_class", "special"), DEX.team_moves.items())
def test_one_of_the_four_has_its_own_third_move_in_the_fifth_place(
    green: Game, trainer_class: int, special: tuple[int, int]
) -> None:
    battles.challenge(green, trainer_class, 1)
    assert third_move(green, special[0]) == special[1]


KEEPER: Final = 4
OTTERLY: Final = 89
GIFT_LEVEL: Final = 12


def answer(game: Game, button: str) -> Game:
    """Talk to the keeper, answer, and read to the end."""
    game.press("a")
    game.read_until(lambda: game.cursor == (15, 8)).press(button)
    return to_the_map(game)


def test_the_keeper_gives_once_to_a_team_with_room_that_hums_back(start: Start) -> None:
    game = begun(start, ARCADE)
    battles.set_team(game, *[STRONG] * 6)
    game.go_beside(*game.sprite(KEEPER)).read_all()
    assert game.byte("wPartyCount") == 6
    battles.set_team(game, STRONG)
    assert answer(game, "b").byte("wPartyCount") == 1
    answer(game, "a").read_all()
    assert game.block("wPartySpecies", 3) == bytes([3, OTTERLY, 0xFF])
    assert battles.party_mon(game, 1)[33] == GIFT_LEVEL
