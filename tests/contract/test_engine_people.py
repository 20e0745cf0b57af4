"""Who wanders, wanders within reason."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

WALKS, HIDDEN, RANGE = 0xFE, 0xFF, 5
CENTRE = 8  # what is counted from where one came from, when there
DIRECTIONS = ("up", "down", "left", "right")


def wanderers(game: Game) -> list[int]:
    return [
        slot
        for slot in range(1, game.byte("wNumSprites") + 1)
        if game.byte("wSpriteStateData2", 16 * slot + 6) == WALKS
    ]


def beside_a_wanderer(game: Game) -> int:
    """Stand in the middle of one's ground, all of which is on the screen from there, and return its slot."""
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
    player = (game.place.x, game.place.y)
    assert player not in people
    assert len(set(people)) == len(people)
    assert all(game.is_open(*person) for person in people)


def test_a_wanderer_walks_about_on_open_ground_near_home(start: Callable[[str], Game]) -> None:
    game = start("town")
    slot = beside_a_wanderer(game)
    home, seen, moving = game.sprite(slot), set(), 0
    for _ in range(6000):
        game.tick()
        seen.add(game.sprite(slot))
        moving += game.byte("wSpriteStateData1", 16 * slot + 1) == 3
        assert_apart(game)
    assert len(seen) > 3
    assert 0 < moving < 5000
    assert all(max(abs(x - home[0]), abs(y - home[1])) <= 2 * RANGE for x, y in seen)


def test_who_stands_stays(start: Callable[[str], Game]) -> None:
    game = start("house")
    before = game.sprite(1), game.byte("wSpriteStateData1", 16 + 9)
    game.tick(1500)
    assert (game.sprite(1), game.byte("wSpriteStateData1", 16 + 9)) == before


def test_nobody_walks_into_a_walking_player_nor_shuts_him_in(start: Callable[[str], Game]) -> None:
    game = start("town")
    beside_a_wanderer(game)
    dice = random.Random(7)
    for _ in range(250):
        slot = wanderers(game)[0]
        x, y = game.sprite(slot)
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
    game.wait(lambda: game.is_free, 400)
    if game.place.map == 0:
        (door,) = [warp for warp in game.warps if warp[2] == 37]
        game.go(door[0], door[1] + 1)


def test_a_person_blocks_the_way(start: Callable[[str], Game]) -> None:
    game = start("house")
    x, y = game.sprite(1)
    game.go_beside(x, y)
    before = game.place
    direction = {0: "down", 4: "up", 8: "left", 12: "right"}[game.byte("wSpriteStateData1", 9)]
    game.hold(direction)
    game.tick(60)
    game.release(direction)
    assert game.place == before


def test_off_screen_nobody_moves(start: Callable[[str], Game]) -> None:
    game = start("town")
    hidden = [
        slot for slot in wanderers(game) if game.byte("wSpriteStateData1", 16 * slot + 2) == HIDDEN
    ]
    before = [game.sprite(slot) for slot in hidden]
    game.tick(1000)
    assert [game.sprite(slot) for slot in hidden] == before
