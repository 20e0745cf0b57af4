"""Side stories of the demo's third chapter: drinks, fossils, four trainers in a row, and a sleeper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from emulator import MenuKind
from tests.contract import battles, menus
from tests.contract.battles import Mon
from tests.contract.game import FONT_LOADED, FULL_BAG, Game, Start
from tests.contract.menus import USE, show_bag
from tests.contract.places import enter, through_the_door
from tests.contract.story_moments import fight, to_the_map

ROOF, GATE, LANE = 126, 76, 27
MACHINE, CURSOR = (4, 1), (1, 5)
WATER, SODA, LEMONADE = 60, 61, 62
PRICES: Final = {WATER: 200, SODA: 300, LEMONADE: 350}
NONE_OF_THEM = 3
DRINK_GIVEN: Final = 0x40  # of wStatusFlags1


@pytest.fixture
def roof(start: Start) -> Game:
    game = battles.hurry(through_the_door(start, ROOF))
    game.bag = []
    game.money = 1000
    return game.go_beside(*MACHINE)


def menu(game: Game) -> Game:
    game.press("a")
    return menus.read_to(game, CURSOR)


def choose(game: Game, row: int) -> None:
    menus.choose_entry(game, row)
    game.read_to_the_end()


def test_the_vending_price_table_follows_the_contract(roof: Game) -> None:
    data = battles.table(roof, "VendingPrices", 0, 12)
    assert {data[i]: int(data[i + 1 : i + 4].hex()) for i in (0, 4, 8)} == PRICES


def test_the_vending_menu_is_at_the_contracts_position(roof: Game) -> None:
    menu(roof)
    assert roof.byte("wMaxMenuItem") == NONE_OF_THEM
    assert roof.menu_kind() is MenuKind.VENDING
    assert menus.rows(roof, 2, 13, (11,)) == ["CANCEL"]
    assert "350" in roof.text.splitlines()[10]


def test_a_drink_costs_its_price(roof: Game) -> None:
    drinks = [*enumerate(PRICES), (NONE_OF_THEM, None)]
    for row, bought in drinks:
        roof.bag, roof.money = [], 1000
        choose(menu(roof), row)
        assert roof.bag == ([(bought, 1)] if bought else [])
        assert roof.money == 1000 - PRICES.get(bought or 0, 0)
        assert roof.is_free
    roof.money = 1000
    menu(roof).press("b").read_to_the_end()
    assert (roof.bag, roof.money, roof.is_free) == ([], 1000, True)


def test_a_drink_needs_money_and_bag_space(roof: Game) -> None:
    roof.money = 299
    choose(menu(roof), 1)
    assert (roof.bag, roof.money) == ([], 299)
    roof.bag = FULL_BAG
    choose(menu(roof), 0)
    assert (WATER, 1) not in roof.bag
    assert roof.money == 299


@pytest.fixture
def gate(start: Start) -> Game:
    game = battles.hurry(through_the_door(start, GATE))
    game.bag = []
    return game.go(2, 3)


def come_up(game: Game) -> list[str]:
    """Step onto the guard's square, and return his text."""
    game.hold_until("right", lambda: game.is_talking, 60)
    return game.read_to_the_end()


def test_without_a_drink_the_guard_sends_the_player_back_a_step(gate: Game) -> None:
    for row in (3, 4, 4):
        gate.go(2, row)
        come_up(gate)
        gate.wait(lambda: gate.is_free and gate.place.x == 2, 120)
    assert not gate.byte("wStatusFlags1") & DRINK_GIVEN


@pytest.mark.parametrize(
    ("drinks", "left"),
    [
        *([[(drink, 1)], []] for drink in PRICES),
        ([(LEMONADE, 1), (WATER, 2)], [(LEMONADE, 1), (WATER, 1)]),
    ],
)
def test_the_first_drink_is_taken_and_opens_the_way_for_good(
    gate: Game, drinks: list[tuple[int, int]], left: list[tuple[int, int]]
) -> None:
    gate.bag = drinks
    come_up(gate)
    assert gate.byte("wStatusFlags1") & DRINK_GIVEN
    assert (gate.bag, gate.place[1:]) == (left, (3, 3))
    enter(gate.go(2, 4).go(5, 4), "right", LANE)


def test_the_guard_takes_a_drink_across_his_counter(gate: Game) -> None:
    gate.bag = [(SODA, 1)]
    come_up(gate)
    assert "good" in gate.face("up").read_all()
    assert gate.byte("wStatusFlags1") & DRINK_GIVEN


ROOM, BAZAAR = 170, 122
KEEPER = 1
DOME, HELIX, AMBER = 41, 42, 31
WOKEN: Final = {DOME: 75, HELIX: 142, AMBER: 110}
LEVEL: Final = 12
GAVE, STILL_WAKING, HANDING_OVER = 0x2E0, 0x2E1, 0x2E2
CORNER: Final = (1, 2)


@pytest.fixture
def room(start: Start) -> Game:
    game = battles.hurry(through_the_door(start, ROOM))
    battles.set_team(game, Mon(3))
    return game


def ask(game: Game) -> Game:
    return game.go_beside(*game.sprite(KEEPER)).press("a")


def hand_in(game: Game, row: int = 0) -> Game:
    """Choose a fossil of the list, up to the question."""
    menus.read_to(ask(game), CORNER)
    return menus.choose_entry(game, row, (15, 8))


def test_a_player_without_fossils_or_who_answers_no_gives_none(room: Game) -> None:
    room.bag = [(4, 1)]
    assert "stone" in " ".join(ask(room).read_to_the_end())
    room.bag = [(DOME, 1)]
    hand_in(room).press("b").read_to_the_end()
    assert (room.bag, room.has_happened(GAVE)) == ([(DOME, 1)], False)


def test_the_fossil_list_shows_the_fossils_in_the_bag(room: Game) -> None:
    room.bag = [(AMBER, 1), (4, 1), (HELIX, 1)]
    menus.read_to(ask(room), CORNER)
    assert (room.menu_kind(), room.byte("wMaxMenuItem")) == (MenuKind.FOSSILS, 1)
    assert menus.rows(room, 2, 14, (2, 4)) == ["FROND STONE", "OLD RESIN"]
    room.press("b").read_to_the_end()
    assert (room.is_free, room.has_happened(GAVE)) == (True, False)


@pytest.mark.parametrize("stone", list(WOKEN))
def test_a_fossil_becomes_a_party_pokemon(room: Game, stone: int) -> None:
    room.bag = [(stone, 1)]
    hand_in(room).read_all()
    assert (room.bag, room.byte("wFossilItem"), room.byte("wFossilMon")) == (
        *([], stone, WOKEN[stone]),
    )
    assert room.has_happened(GAVE, STILL_WAKING)
    room.read_all()
    assert room.byte("wPartyCount") == 1
    enter(room.go(2, 7), "down", BAZAAR)
    ask(enter(room, "up", ROOM)).read_to_the_end()
    assert room.block("wPartySpecies", 3) == bytes([3, WOKEN[stone], 0xFF])
    assert battles.party_mon(room, 1)[33] == LEVEL
    assert not any(room.has_happened(each) for each in (GAVE, STILL_WAKING, HANDING_OVER))


def test_a_revived_fossil_waits_for_space_in_the_party(room: Game) -> None:
    battles.set_team(room, *[Mon(3)] * 6)
    room.set_event(GAVE)
    ask(room.poke("wFossilMon", WOKEN[DOME])).read_to_the_end()
    assert (room.byte("wPartyCount"), room.has_happened(GAVE)) == (6, True)
    battles.set_team(room, *[Mon(3)] * 5)
    room.read_all()
    assert room.block("wPartySpecies", 7) == bytes([3, 3, 3, 3, 3, WOKEN[DOME], 0xFF])


def challenge(game: Game) -> Game:
    game.go_beside(*game.sprite(HOST)).press("a")
    return game.read_until(lambda: bool(game.byte("wCurOpponent")))


LOBBY, HALL, LAST, ROAD = 174, 118, 113, 14
ROOMS: Final = {245: (0x8E1, 0x8E6), 246: (0x8E9, 0x8EE), 247: (0x8F1, 0x8F6)}
DOOR_LOCKED = 0x8FF
CLASSES: Final = {245: 244, 246: 233, 247: 246, 113: 247}
# Of maps whose script indices the agent does not read.
SCRIPTS: Final = {245: 0xD64D, 246: 0xD64E, 247: 0xD64F, 113: 0xD653}
ENTERED_HALL: Final = 0x003
RECORDS: Final = 0xA598  # sHallOfFame
BARS = (4, 10)
HOST = 1
NO_TYPE = 9  # no type is strong or weak against it


def to_room(start: Start, number: int) -> Game:
    """Enter a room, and read all text on the way in."""
    game = battles.hurry(through_the_door(start, number))
    battles.set_team(
        game, Mon(3, hp=300, max_hp=300, level=30, stats=(90, 90, 90, 90), moves=(battles.HITTER,))
    )
    return walk_in(game)


def walk_in(game: Game) -> Game:
    """Wait until the entrance scene is over."""
    return game.read_until(
        lambda: game.is_free and game.place.y < 10 and not game.at(SCRIPTS[game.place.map])
    )


def win_and_read(game: Game) -> Game:
    assert challenge(game).byte("wCurOpponent") == CLASSES[game.place.map]
    for _ in range(600):
        if not game.byte("wCurOpponent"):
            break
        game.enemy.type1 = game.enemy.type2 = NO_TYPE
        game.enemy.hp = min(game.enemy.hp, 1)
        game.press("a", hold=4, settle=10)
    return game.read_until(lambda: game.is_free)


@pytest.mark.parametrize("number", list(ROOMS))
def test_the_player_walks_into_a_room_and_cannot_leave(start: Start, number: int) -> None:
    game = to_room(start, number)
    assert game.has_happened(ROOMS[number][1])
    assert game.place[1:] == (4, 6)
    game.go(4, 9)
    for _ in range(2):
        game.hold_until("down", lambda: game.is_talking, 60)
        assert game.place.y == 10
        game.read_to_the_end()
        game.wait(lambda: game.is_free and game.place.y == 9, 120)


def test_bars_close_behind_the_player_in_the_last_room(start: Start) -> None:
    game = to_room(start, LAST)
    assert game.has_happened(DOOR_LOCKED)
    assert not game.is_open(*BARS)
    assert game.route(4, 13) is None
    assert game.place.y < BARS[1]


def test_entering_the_lobby_resets_all_rooms(start: Start) -> None:
    of_rooms = range(0x8E0, 0x900)
    before = start("alderbrook").set_event(*of_rooms)
    game = through_the_door(lambda _: before, LOBBY)
    assert not any(game.has_happened(number) for number in of_rooms)
    assert game.byte("wLastMap") == ROAD


def test_after_a_loss_the_player_wakes_up_on_the_road_before_the_lobby(start: Start) -> None:
    game = battles.hurry(through_the_door(start, LOBBY))
    game.go(3, 3).face("up").press("a")
    game.read_until(lambda: game.cursor == (12, 8)).read_all()
    assert game.byte("wLastBlackoutMap") == ROAD
    walk_in(enter(game.go(6, 0), "up", 245))
    battles.set_team(game, Mon(3, hp=1, max_hp=300))
    fight(challenge(game), won=False)
    game.read_until(lambda: game.place.map == ROAD and game.is_free)
    assert not game.has_happened(ROOMS[245][0])


@pytest.fixture
def hall(start: Start) -> Game:
    game = battles.hurry(through_the_door(start, LAST))
    battles.set_team(game, Mon(3, level=30, moves=(battles.HITTER,)), Mon(7, level=12))
    walk_in(game)
    enter(win_and_read(game).go(4, 0), "up", HALL)
    return game


def test_the_hall_of_fame_records_the_team(hall: Game) -> None:
    hall.read_until(lambda: hall.has_happened(ENTERED_HALL))
    hall.tick(60)
    assert hall.byte("wNumHoFTeams") == 1
    record = bytes(hall.pyboy.memory[0, RECORDS : RECORDS + 33])
    assert (record[0:2], record[16:18], record[32]) == (bytes([3, 30]), bytes([7, 12]), 0xFF)


def test_after_the_credits_the_console_restarts(hall: Game, power_on: Callable[..., Game]) -> None:
    hall.read_until(lambda: "THE END" in hall.text)
    hall.tick(600)
    assert "THE END" in hall.text
    hall.press("a").wait(lambda: not hall.byte("wPartyCount"), 120).tick(150).press("start")
    hall.to_cursor((1, 2), 200)
    assert hall.byte("wMaxMenuItem") == 2  # CONTINUE is there
    hall.tick(8).press("a", settle=60).press("a").until_free(0)
    assert hall.byte("wPartyCount") == 2
    assert hall.has_happened(ENTERED_HALL)


SLEEPER_LANE = 27
PIPER, SLEEPER = 1, 1
PIPE = 73
GOT_FLUTE, FIGHT_SLEEPER, BEAT_SLEEPER = 0x128, 0x4C8, 0x4C9
BESIDE, BEYOND, FAR = (8, 6), (10, 6), (6, 6)
LEFT_RESULT: Final = 2


def play(game: Game) -> Game:
    """Use the pipe from the bag, and read its text."""
    show_bag(game).press("a")
    game.to_cursor(USE).press("a")
    for _ in range(60):
        game.tick(8)
        if game.has_arrow:
            game.press("b")
        if not game.byte("wFontLoaded") & FONT_LOADED:
            return game
    pytest.fail(game.text)


@pytest.fixture
def lane(start: Start) -> Game:
    """The lane, with the pipe in the bag and a team that cannot lose."""
    game = battles.hurry(through_the_door(start, SLEEPER_LANE))
    battles.set_team(game, Mon(3, hp=300, max_hp=300, level=30, stats=(90, 90, 90, 90)))
    game.bag = [(PIPE, 1)]
    return game


def rouse(game: Game) -> Game:
    return play(game.go(*BESIDE)).read_until(lambda: bool(game.byte("wIsInBattle")))


def test_the_piper_gives_the_pipe_once(start: Start) -> None:
    game = battles.hurry(through_the_door(start, BAZAAR))
    game.bag = FULL_BAG
    game.go_beside(*game.sprite(PIPER)).read_all()
    assert not game.has_happened(GOT_FLUTE)
    game.bag = []
    for _ in range(2):
        game.read_all()
        assert (game.bag, game.has_happened(GOT_FLUTE)) == ([(PIPE, 1)], True)


def test_the_sleeper_blocks_the_only_way(lane: Game) -> None:
    assert lane.route(*BEYOND) is None
    assert "Zzz" in lane.go(*BESIDE).read_all()


def test_the_pipe_has_no_effect_at_a_distance(lane: Game) -> None:
    play(lane.go(*FAR)).tick(60)
    assert (lane.is_free, lane.bag) == (True, [(PIPE, 1)])
    assert not lane.has_happened(FIGHT_SLEEPER)
    assert not lane.is_away(SLEEPER)


def test_running_from_the_sleeper_opens_the_way(lane: Game) -> None:
    battles.read_on(rouse(lane))
    battles.choose(lane, battles.RUN)
    to_the_map(lane)
    assert (lane.byte("wBattleResult"), lane.has_happened(BEAT_SLEEPER)) == (LEFT_RESULT, True)
    for _ in range(2):
        lane.step("right")
    assert lane.place[1:] == BEYOND


def test_losing_to_the_sleeper_does_not_open_the_way(lane: Game) -> None:
    battles.read_on(rouse(lane))
    lane.own.hp = 1
    lane.own.speed = 1
    lane.enemy.knows(battles.HITTER)
    battles.fight(lane)
    to_the_map(lane)
    assert lane.place.map != SLEEPER_LANE
    assert not lane.has_happened(BEAT_SLEEPER)
