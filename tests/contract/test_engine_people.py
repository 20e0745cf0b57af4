"""People of the demo: talk, gifts, services, trainers and scenes."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from tests.contract.game import FULL_BAG, Game, Start
from tests.contract.places import ALDERBROOK, LAB, SORREL_ROAD, STONECROSS, through_the_door
from tests.contract.story_moments import (
    ASKED,
    BATTLED_RIVAL,
    BEAT_RAMBLER,
    GOT_STARTER,
    TOWN,
    fight,
    to_challenge,
    to_table,
)

WALKS, HIDDEN, RANGE = 0xFE, 0xFF, 5
CENTRE = 8  # counted from the last outdoor map, when there
DIRECTIONS = ("up", "down", "left", "right")


def wanderers(game: Game) -> list[int]:
    return [
        slot
        for slot in range(1, game.byte("wNumSprites") + 1)
        if game.byte("wSpriteStateData2", 16 * slot + 6) == WALKS
    ]


def beside_a_wanderer(game: Game) -> int:
    """Stand in the middle of a wanderer's area, which is then all on the screen, and return its slot."""
    (slot, *_) = wanderers(game)
    x, y = game.sprite(slot)
    home_x = x + CENTRE - game.byte("wSpriteStateData2", 16 * slot + 3)
    home_y = y + CENTRE - game.byte("wSpriteStateData2", 16 * slot + 2)
    near = [(home_x + dx, home_y + dy) for dx in (0, 1, -1) for dy in (0, 1, -1)]
    spot = next(spot for spot in near if game.is_open(*spot) and game.route(*spot))
    game.go(*spot)
    return slot


def assert_apart(game: Game) -> None:
    people = [game.sprite(slot) for slot in range(1, game.byte("wNumSprites") + 1)]
    assert game.place[1:] not in people
    assert len(set(people)) == len(people)
    assert all(game.is_open(*person) for person in people)


def test_a_wanderer_walks_about_on_open_ground_near_home(start: Start) -> None:
    game = start("town")
    slot = beside_a_wanderer(game)
    home, seen, moving = game.sprite(slot), set(), 0
    for _ in range(3000):
        game.tick()
        seen.add(game.sprite(slot))
        moving += game.byte("wSpriteStateData1", 16 * slot + 1) == 3
        assert_apart(game)
    assert len(seen) > 3
    assert 0 < moving < 2500
    assert all(max(abs(x - home[0]), abs(y - home[1])) <= 2 * RANGE for x, y in seen)


def test_standing_people_do_not_move(start: Start) -> None:
    game = start("house")
    before = game.sprite(1), game.byte("wSpriteStateData1", 16 + 9)
    game.tick(1500)
    assert (game.sprite(1), game.byte("wSpriteStateData1", 16 + 9)) == before


def test_wanderers_never_walk_into_the_player_or_enclose_him(start: Start) -> None:
    game = start("town")
    beside_a_wanderer(game)
    dice = random.Random(7)
    for _ in range(250):
        x, y = game.sprite(wanderers(game)[0])
        dx, dy = x - game.place.x, y - game.place.y
        toward = (
            ("right" if dx > 0 else "left") if abs(dx) > abs(dy) else "down" if dy > 0 else "up"
        )
        direction = toward if dice.randrange(2) else dice.choice(DIRECTIONS)
        game.hold(direction)
        for _ in range(dice.randrange(2, 24)):
            game.tick()
            if game.place.map == 0:
                assert_apart(game)
        game.release(direction)
        if game.place.map != 0:
            break
    game.until_free()
    if game.place.map == 0:
        (door,) = [warp for warp in game.warps if warp[2] == 37]
        game.go(door[0], door[1] + 1)


def test_people_off_screen_do_not_move(start: Start) -> None:
    game = start("town")
    hidden = [n for n in wanderers(game) if game.byte("wSpriteStateData1", 16 * n + 2) == HIDDEN]
    before = [game.sprite(slot) for slot in hidden]
    game.tick(1000)
    assert [game.sprite(slot) for slot in hidden] == before


FIRST_BADGE, SECOND_BADGE = 0x01, 0x02
BEFORE_THE_EDGE = (18, 14)


class Giver(NamedTuple):
    """A house with a person in it, the badge required, and the gift."""

    house: int
    badge: int
    item: int
    event: int


CARVER = Giver(55, FIRST_BADGE, 196, 0x5E0)
LAMP_MAKER = Giver(57, FIRST_BADGE, 200, 0x3D8)
FERRYMAN = Giver(62, SECOND_BADGE, 198, 0x880)
STEVEDORE = Giver(63, SECOND_BADGE, 199, 0x238)
GIVERS = (CARVER, LAMP_MAKER, FERRYMAN, STEVEDORE)


def ask_for_gift(game: Game) -> str:
    return game.go_beside(*game.sprite(1)).read_all()


@pytest.mark.parametrize("giver", GIVERS)
def test_a_gift_needs_the_badge_and_is_given_once(start: Start, giver: Giver) -> None:
    game = through_the_door(start, giver.house).poke("wObtainedBadges", 0xFF & ~giver.badge)
    game.bag = []
    assert ask_for_gift(game)
    assert (game.has_happened(giver.event), game.bag) == (False, [])
    assert "JUNO got" in ask_for_gift(game.poke("wObtainedBadges", giver.badge))
    assert (game.has_happened(giver.event), game.bag) == (True, [(giver.item, 1)])
    assert "got" not in ask_for_gift(game)
    assert game.bag == [(giver.item, 1)]


def test_a_gift_waits_for_bag_space(start: Start) -> None:
    game = through_the_door(start, CARVER.house).poke("wObtainedBadges", CARVER.badge)
    for bag, given in ((FULL_BAG, False), ([], True)):
        game.bag = bag
        ask_for_gift(game)
        assert game.has_happened(CARVER.event) is given
    assert game.bag == [(CARVER.item, 1)]


def test_the_guard_lets_only_a_player_with_the_badge_pass(start: Start) -> None:
    """Stonecross is entered through the door of its rest house."""
    game = through_the_door(start, 58).poke("wLastMap", STONECROSS).go(3, 6)
    game.hold_until("down", lambda: game.place.map == STONECROSS, 200).until_free()
    game.go(*BEFORE_THE_EDGE).hold_until("right", lambda: game.is_talking, 60)
    assert "Wait, please!" in " ".join(game.read_to_the_end())
    assert game.until_free().place[1:] == BEFORE_THE_EDGE
    game.poke("wObtainedBadges", FIRST_BADGE).step("right")
    game.step("right")
    assert game.place == (SORREL_ROAD, 0, 14)


USED_CENTRE = 0x04
HP, STATUS, MAX_HP, PP = 1, 4, 34, 29
POISONED = 0x08
MACHINE_FRAMES = 100


def hurt(game: Game) -> Game:
    for offset, value in ((HP, 0), (HP + 1, 3), (STATUS, POISONED), (PP, 1)):
        game.poke("wPartyMons", value, offset)
    return game


def is_healed(game: Game) -> bool:
    mon = game.block("wPartyMons", 44)
    return mon[HP : HP + 2] == mon[MAX_HP : MAX_HP + 2] and not mon[STATUS] and mon[PP] & 0x3F > 1


def ask_the_nurse(game: Game) -> Game:
    game.go(3, 3).face("up").press("a")
    return game.read_until(lambda: game.cursor == (12, 8))


def test_the_nurse_heals(start: Start) -> None:
    game = ask_the_nurse(hurt(start("rest house")))
    assert (game.byte("wTwoOptionMenuID"), game.byte("wMaxMenuItem")) == (6, 1)
    assert "HEAL" in game.text
    assert "CANCEL" in game.text
    assert game.byte("wLastBlackoutMap") == TOWN
    assert not game.byte("wStatusFlags4") & USED_CENTRE
    game.press("a")
    assert game.frames_until(lambda: is_healed(game), 600) >= MACHINE_FRAMES
    game.read_until(lambda: game.is_free)
    assert is_healed(game)
    assert game.byte("wLastBlackoutMap") == ALDERBROOK
    assert game.byte("wStatusFlags4") & USED_CENTRE
    assert game.place.map == 41


@pytest.mark.parametrize("button", ["b", "a"])
def test_cancelling_at_the_nurse_does_not_heal(start: Start, button: str) -> None:
    game = ask_the_nurse(hurt(start("rest house")))
    if button == "a":
        game.press("down")
        assert game.cursor == (12, 10)
    game.press(button).read_until(lambda: game.is_free)
    assert not is_healed(game)
    assert game.byte("wLastBlackoutMap") == TOWN
    assert not game.byte("wStatusFlags4") & USED_CENTRE


RAMBLER = 1
SIGHT = 4
SEEN, SCRIPTED, ENGAGED = 0x01, 0x01, 0x08
FACES_LEFT = 0xD2
ROW, COLUMN = 23, 13  # he looks to the right


def below_his_line(start: Start, x: int) -> Game:
    game = start("lane").poke("wGrassRate", 0)
    assert game.sprite(RAMBLER) == (COLUMN, ROW)
    return game.go(x, ROW + 1)


def enter_his_line(game: Game) -> Game:
    """Take one step up and wait for the reaction."""
    return game.hold_until("up", lambda: game.place.y == ROW, 30).tick(6)


def fight_him(game: Game, *, won: bool) -> Game:
    """Read until the trainer's battle begins, and play it."""
    return fight(game.read_until(lambda: game.byte("wCurOpponent") == 201), won=won)


def is_seen(game: Game) -> bool:
    return bool(game.byte("wMiscFlags") & SEEN)


@pytest.mark.parametrize("distance", range(1, SIGHT + 1))
def test_a_trainer_sees_the_player_and_walks_up(start: Start, distance: int) -> None:
    game = enter_his_line(below_his_line(start, COLUMN + distance))
    assert is_seen(game)
    assert game.byte("wJoyIgnore") & 0xF0 == 0xF0
    assert game.byte("wStatusFlags7") & ENGAGED
    assert (game.byte("wEngagedTrainerClass"), game.byte("wEngagedTrainerSet")) == (201, 1)
    walked = 0
    for _ in range(400):
        if game.byte("wFontLoaded"):
            break
        if game.byte("wStatusFlags5") & SCRIPTED:
            assert game.byte("wNPCMovementScriptPointerTableNum")
            walked = max(walked, game.byte("wNPCNumScriptedSteps"))
        game.tick()
    assert walked == distance - 1
    assert game.sprite(RAMBLER) == (game.place.x - 1, ROW)
    assert game.byte("wSpriteStateData1", 9) == 8  # the player looks at him
    game.read_until(lambda: game.byte("wCurOpponent") == 201)
    assert game.byte("wTrainerNo") == 1
    game.wait(lambda: game.byte("wIsInBattle") == 2, 300)


def test_a_trainer_does_not_see_beyond_his_range(start: Start) -> None:
    game = below_his_line(start, COLUMN + SIGHT)
    game.poke("wSpriteStateData2", COLUMN - 1 + 4, 16 * RAMBLER + 5)
    assert not is_seen(enter_his_line(game))
    assert game.is_free


def test_a_trainer_does_not_see_behind_or_beside_him(start: Start) -> None:
    game = below_his_line(start, COLUMN + 2)
    game.poke("wMapSpriteData", FACES_LEFT, 2 * (RAMBLER - 1)).tick(8)
    assert game.byte("wSpriteStateData1", 16 * RAMBLER + 9) == 8
    assert not is_seen(enter_his_line(game))
    game = below_his_line(start, COLUMN)
    game.tick(20)
    assert not is_seen(game)


def test_a_beaten_trainer_does_not_fight_again(start: Start) -> None:
    game = enter_his_line(below_his_line(start, COLUMN + 2))
    money = game.block("wPlayerMoney")
    fight_him(game, won=True)
    game.read_until(lambda: game.is_free and not is_seen(game))
    assert game.has_happened(BEAT_RAMBLER)
    assert game.block("wPlayerMoney") > money
    assert game.byte("wJoyIgnore") == game.byte("wStatusFlags7") & ENGAGED == 0
    assert game.place[1:] == (COLUMN + 2, ROW)
    game.tick(60)
    assert game.is_free  # though he looks at the player
    game.press("a")
    assert "Ledges only go one" in game.read_to_the_end()[0]
    assert game.is_free


def test_talking_to_a_trainer_starts_the_battle_too(start: Start) -> None:
    game = fight_him(below_his_line(start, COLUMN).face("up").press("a"), won=True)
    game.read_until(lambda: game.is_free and game.has_happened(BEAT_RAMBLER))


def test_a_lost_battle_does_not_count_as_a_win(start: Start) -> None:
    game = enter_his_line(below_his_line(start, COLUMN + 1))
    fight_him(game, won=False)
    game.read_until(lambda: game.place.map == 0 and game.is_free)
    assert not game.has_happened(BEAT_RAMBLER)


STARTERS = {1: 3, 2: 7, 3: 11}
BEATEN_BY = {3: 7, 7: 11, 11: 3}
RIVAL, HAZEL = 1, 5
RIVAL_OPPONENT = 225


def test_after_hazels_offer_the_lab_cannot_be_left(start: Start) -> None:
    game = start("lab")
    assert game.go_beside(*game.sprite(HAZEL)).read_all()
    assert game.has_happened(ASKED)
    game.go(4, 5).hold_until("down", lambda: bool(game.byte("wOaksLabCurScript")), 60)
    game.read_until(lambda: game.is_free and not game.byte("wOaksLabCurScript"))
    assert game.place[1:] == (4, 5)


def test_the_lab_can_be_left_before_the_offer(start: Start) -> None:
    game = start("lab").go(4, 5).go(4, 10)
    assert (game.is_free, game.place.map) == (True, LAB)


@pytest.mark.parametrize("button", ["b", "a"])
def test_a_starter_can_be_declined(start: Start, button: str) -> None:
    game = to_table(start("lab"), 2)
    game.press("a").read_until(lambda: game.cursor == (15, 8))
    assert (game.byte("wTwoOptionMenuID"), game.byte("wMaxMenuItem")) == (0, 1)
    if button == "a":
        game.press("down")
        assert game.cursor == (15, 10)
    game.press(button, settle=40)
    assert game.is_free
    assert game.byte("wPartyCount") == 0
    assert not game.has_happened(GOT_STARTER)
    assert not game.is_away(3)


@pytest.mark.parametrize("starter", STARTERS)
def test_the_rival_takes_the_counter_to_each_starter(start: Start, starter: int) -> None:
    game = start(f"starter {starter}")
    species = STARTERS[starter]
    assert game.byte("wPartyCount") == 1
    assert game.byte("wPartySpecies") == game.byte("wPlayerStarter") == species
    assert game.byte("wPartyMons", 33) == 5
    assert game.has_happened(GOT_STARTER)
    assert not game.has_happened(BATTLED_RIVAL)
    his = next(ball for ball, kind in STARTERS.items() if kind == BEATEN_BY[species])
    assert game.byte("wRivalStarter") == BEATEN_BY[species]
    assert [game.is_away(1 + ball) for ball in STARTERS] == [
        ball in {starter, his} for ball in STARTERS
    ]
    assert game.sprite(RIVAL) == (5 + his, 4)
    to_challenge(game)
    assert (game.byte("wCurOpponent"), game.byte("wTrainerNo")) == (RIVAL_OPPONENT, starter)
    game.wait(lambda: game.byte("wIsInBattle") == 2, 300)
    game.read_until(lambda: game.byte("wEnemyMon") != 0)
    assert game.byte("wEnemyMon") == BEATEN_BY[species]


@pytest.mark.parametrize("end", ["won", "lost"])
def test_the_rival_leaves_after_the_battle(start: Start, end: str) -> None:
    game = to_challenge(start("starter 2"))
    money = game.block("wPlayerMoney")
    fight(game, won=end == "won")
    game.read_until(lambda: game.is_free and not game.byte("wOaksLabCurScript"))
    assert game.has_happened(BATTLED_RIVAL)
    assert game.byte("wIsInBattle") == 0
    assert game.place == (LAB, 4, 6)
    assert game.block("wPartyMons", 44)[1:3] == game.block("wPartyMons", 44)[34:36]
    assert game.is_away(RIVAL)
    assert (game.block("wPlayerMoney") > money) == (end == "won")
    game.go_beside(*game.sprite(HAZEL)).press("a")
    assert "Go north" in game.read_to_the_end()[0]
    assert game.go(4, 10).is_free


def test_directions_are_ignored_while_the_rival_walks(start: Start) -> None:
    game = to_challenge(start("starter 1"))
    fight(game, won=True)
    walked = 0
    for frame in range(3000):
        if frame % 30 == 0:
            game.press("b")
        game.tick()
        if not game.byte("wOaksLabCurScript"):
            break
        if game.byte("wStatusFlags5") & 1:
            walked += 1
            assert game.byte("wJoyIgnore") & 0xF0 == 0xF0
    assert walked > 32
    assert game.byte("wJoyIgnore") == 0
