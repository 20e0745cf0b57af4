"""The demo's first chapter: the parcel, the gym, badges, and hidden people."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.contract.game import FULL_BAG, Game, Start
from tests.contract.places import ALDERBROOK, GYM, STONECROSS, STORE, enter, through_the_door
from tests.contract.story_moments import BATTLED_RIVAL, GOT_STARTER, LAB, fight

GOT_CAPS, OAK_GOT_PARCEL, GOT_PARCEL = 0x024, 0x038, 0x039
GYM_TRAINERS, BEAT_LEADER, FIRST_LEVER = (0x072, 0x073), 0x077, 0x538
PARCEL, CAP = 70, 4
STORE_SCRIPT = 0xD60D  # the agent does not read it
HAZEL, CLERK = 5, 1
COUNTER = (3, 3)
MAP_BANK = 0xFFE8


@pytest.mark.parametrize("column", [3, 4])
def test_the_clerk_calls_the_player_on_the_first_visit(start: Start, column: int) -> None:
    game = through_the_door(start, STORE, column - 3)
    game.wait(lambda: game.is_talking, 60)
    assert game.place[1:] == (column, 7)
    assert game.at(STORE_SCRIPT)
    game.read_until(lambda: game.is_free and not game.at(STORE_SCRIPT))
    assert (game.place[1:], game.byte("wSpriteStateData1", 9)) == (COUNTER, 4)
    assert game.has_happened(GOT_PARCEL)
    assert game.bag == [(PARCEL, 1)]
    assert "HAZEL" in game.read_all()
    game.go(column, 6)
    enter(game, "down", ALDERBROOK)
    game.until_free()
    enter(game, "up", STORE)
    game.tick(60)
    assert game.is_free


def into_the_store(game: Game) -> Game:
    x, y, _ = game.warps[1]
    return enter(game.go(x, y + 1), "up", STORE)


def test_a_full_bag_has_no_room_for_the_parcel(start: Start) -> None:
    game = start("alderbrook")
    game.bag = FULL_BAG
    into_the_store(game).wait(lambda: game.is_talking, 60)
    game.read_until(lambda: game.is_free and not game.at(STORE_SCRIPT))
    assert not game.has_happened(GOT_PARCEL)
    assert "full" in game.read_all()
    game.bag = []
    assert ("PARCEL" in game.read_all(), game.bag) == (True, [(PARCEL, 1)])


@pytest.fixture
def hazel(start: Start) -> Game:
    """Stand before Hazel with the parcel."""
    game = start("lab")
    game.bag = [(PARCEL, 1)]
    return game.go_beside(*game.sprite(HAZEL)).set_event(GOT_STARTER, BATTLED_RIVAL, GOT_PARCEL)


def test_hazel_takes_the_parcel_and_gives_caps(hazel: Game) -> None:
    for words in ("My parcel", "STONECROSS"):
        assert words in hazel.read_all()
        assert hazel.has_happened(OAK_GOT_PARCEL, GOT_CAPS)
        assert hazel.bag == [(CAP, 5)]


def test_hazel_keeps_the_caps_for_a_full_bag(hazel: Game) -> None:
    hazel.bag = [(PARCEL, 2), *FULL_BAG[1:]]  # so that its place is not free afterwards
    hazel.read_all()
    assert hazel.has_happened(OAK_GOT_PARCEL)
    assert not hazel.has_happened(GOT_CAPS)
    hazel.bag = []
    hazel.read_all()
    assert hazel.has_happened(GOT_CAPS)
    assert hazel.bag == [(CAP, 5)]


def test_without_the_parcel_in_the_bag_hazel_only_asks(hazel: Game) -> None:
    hazel.bag = []
    hazel.read_all()
    assert not hazel.has_happened(OAK_GOT_PARCEL)


def test_the_clerk_sells_afterwards(start: Start) -> None:
    game = into_the_store(start("alderbrook").set_event(GOT_PARCEL, OAK_GOT_PARCEL))
    game.go(*COUNTER).face("up")
    text, table = game.byte("wMapSpriteData", 2 * (CLERK - 1) + 1), game.word("wCurMapTextPtr")
    script = int.from_bytes(game.rom(game.at(MAP_BANK), table + 2 * (text - 1), 2), "little")
    assert game.rom(game.at(MAP_BANK), script, 9) == bytes([0xFE, 6, 4, 20, 11, 12, 14, 15, 0xFF])


RIGHT, GATE = (8, 8), (4, 5)


@pytest.fixture
def gym(start: Start) -> Game:
    """The gym with both trainers beaten."""
    return inside(start, STONECROSS_GYM)


def picture_of_the_gate(game: Game) -> set[int]:
    """Return the tiles on screen at the gate, seen from two steps below it."""
    game.go(4, 7)
    return {game.tile(x, y) for x in range(8, 12) for y in (4, 5)}


def test_the_gate_is_redrawn_at_once_and_at_each_entry(gym: Game) -> None:
    gym.set_event(FIRST_LEVER)
    shut = picture_of_the_gate(gym)
    gym.go(7, 7).go(7, 8).face("right")  # the gate is in view
    shown = gym.block("wTileMap")
    gym.read_all()
    assert gym.block("wTileMap") != shown
    opened = picture_of_the_gate(gym)
    assert opened != shut
    gym.poke("wLastMap", STONECROSS).go(4, 16)
    enter(gym, "down", STONECROSS)
    gym.until_free()
    enter(gym, "up", GYM)
    assert gym.is_open(*GATE)
    assert picture_of_the_gate(gym) == opened


def test_the_first_gym_trainer_stops_every_player(start: Start) -> None:
    game = through_the_door(start, GYM).go(5, 13)
    game.hold_until("up", lambda: bool(game.byte("wJoyIgnore")), 60)
    game.read_until(lambda: game.byte("wCurOpponent") == 203)
    fight(game, won=True)
    game.read_until(lambda: game.is_free and game.has_happened(GYM_TRAINERS[0]))
    assert game.route(4, 6)


class Gym(NamedTuple):
    """A gym: leader, class, badge and event, those of its trainers, and the square of its statue."""

    map: int
    leader: str
    trainer_class: int
    badge: int
    event: int
    trainers: tuple[int, int]
    statue: tuple[int, int]


STONECROSS_GYM = Gym(GYM, "CAIRN", 234, 0x01, BEAT_LEADER, GYM_TRAINERS, (0, 14))
FENMOUTH = Gym(65, "WISP", 235, 0x02, 0x0BF, (0x0BA, 0x0BB), (0, 13))
CAIRN_ISLE = Gym(166, "GANNET", 236, 0x04, 0x167, (0x162, 0x163), (0, 11))
HOLLOW_HALL = Gym(134, "HOLLIS", 237, 0x08, 0x1A9, (0x1AA, 0x1AB), (0, 2))
every_gym = pytest.mark.parametrize("gym", [STONECROSS_GYM, FENMOUTH, CAIRN_ISLE, HOLLOW_HALL])
ARROWS = ((1, 8), (8, 6))  # those that lead on


def inside(start: Start, gym: Gym) -> Game:
    """Enter the gym, with both trainers beaten."""
    return through_the_door(start, gym.map).set_event(*gym.trainers)


def challenge(start: Start, gym: Gym) -> Game:
    """Come before the leader, over the levers of Stonecross or in two slides over the floor of Fenmouth."""
    game = inside(start, gym)
    if gym is STONECROSS_GYM:
        game.set_event(FIRST_LEVER).go_beside(*RIGHT).read_all()
    for x, y in ARROWS if gym is FENMOUTH else ():
        game.go(x, y + 1).step("up")
    for stat in ("Speed", "Defense", "Special"):  # no opponent does harm
        game.poke_number(f"wPartyMon1{stat}", 999)
    game.poke("wPartyMon1Level", 100)  # gains no level, so that its Speed stays the same
    game.go_beside(4, 2)
    for event in gym.trainers:  # as if neither was met
        byte = game.byte("wEventFlags", event // 8) & ~(1 << event % 8)
        game.poke("wEventFlags", byte, event // 8)
    game.press("a")
    return game.read_until(lambda: game.byte("wCurOpponent") == gym.trainer_class)


@every_gym
def test_a_beaten_leader_gives_the_badge(start: Start, gym: Gym) -> None:
    game = fight(challenge(start, gym), won=True)
    game.read_until(lambda: bool(game.byte("wObtainedBadges")))
    game.read_until(lambda: game.is_free)
    assert game.byte("wObtainedBadges") == game.byte("wBeatGymFlags") == gym.badge
    assert game.has_happened(*gym.trainers, gym.event)
    assert gym is not STONECROSS_GYM or "wall" in game.read_all()
    assert not game.byte("wCurOpponent")


def test_a_lost_battle_gives_nothing(start: Start) -> None:
    game = fight(challenge(start, STONECROSS_GYM), won=False)
    game.read_until(lambda: game.place.map != GYM and game.is_free)
    assert not game.has_happened(BEAT_LEADER)
    assert game.byte("wObtainedBadges") == game.byte("wBeatGymFlags") == 0


@every_gym
def test_the_statue_names_the_leader_and_later_the_player(start: Start, gym: Gym) -> None:
    game = inside(start, gym).go_beside(*gym.statue)
    for badges, winners in ((0, False), (gym.badge, True)):
        said = game.poke("wObtainedBadges", badges).read_all()
        assert f"LEADER: {gym.leader}" in said
        assert said.count("WINNERS") == said.count("WINNERS: JUNO") == winners


HIDDEN = 0xFF
RIVAL = 1


def image(game: Game, slot: int) -> int:
    return game.byte("wSpriteStateData1", 16 * slot + 2)


def test_the_toggle_list_in_ram_matches_the_cartridge(start: Start) -> None:
    game = start("lab")
    pointer = int.from_bytes(game.rom(3, 0x48F5 + 2 * LAB, 2), "little")
    rows = game.rom(3, pointer, 3 * 16)
    expected = {}
    for at in range(0, len(rows), 3):
        if rows[at] != LAB:
            break
        expected[rows[at + 1]] = (pointer + at - 0x4AEA) // 3
    assert game.toggles == expected
    assert set(expected) == {1, 2, 3, 4}
    assert start("lane").toggles == {}


def test_a_new_game_hides_the_objects_hidden_in_the_table(start: Start) -> None:
    game = start("bedroom")
    states = game.rom(3, 0x4AEA, 684)
    count = next(i for i in range(0, 684, 3) if states[i] == 0xFF) // 3
    hidden = [game.flag("wToggleableObjectFlags", i) for i in range(count)]
    assert hidden == [states[3 * i + 2] == 0x11 for i in range(count)]


def test_a_hidden_object_does_not_block_its_square(start: Start) -> None:
    game = start("rival beaten")
    assert game.is_away(RIVAL)
    x, y = game.sprite(RIVAL)
    game.go(4, 10)
    for direction in ("right", "down") if x == 5 else ("down",):
        game.step(direction)
        if game.place.map == LAB and game.place[1:] == (x, y):
            break
    assert game.place.map != LAB or game.place[1:] == (x, y)


def test_flags_are_read_again_at_the_door(start: Start) -> None:
    game = start("lab")
    index = game.toggles[RIVAL]
    byte = game.byte("wToggleableObjectFlags", index // 8) | 1 << index % 8
    game.poke("wToggleableObjectFlags", byte, index // 8)
    game.step("down")
    if game.place.map == LAB:
        game.hold_until("down", lambda: game.place.map != LAB, 120)
    game.until_free().go(15, 5).until_free(LAB).go(4, 6)
    assert image(game, RIVAL) == HIDDEN
    game.go(4, 4).step("up")
    assert game.place[1:] == game.sprite(RIVAL)
