"""A battle of two sturdy, nearly equal Pokemon, and the damage that they do."""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract import battles
from tests.contract.battles import FIGHT, Mon, with_effect
from tests.contract.game import Game, Start
from tests.contract.random_bytes import USUAL
from tests.contract.sides import Side

HP: Final = 320
LEVEL: Final = 20
STAT: Final = 40  # Attack, Defense and Special of both
OWN_SPEED, ENEMY_SPEED = 60, 50
NO_TYPE: Final = 9  # no type is strong or weak against it
NAMES: Final = ("attack", "defense", "speed", "special")
NO_STAGES: Final = b"\7" * 6
HARMLESS: Final = 13  # raises the user's Special


def enter(start: Start) -> Game:
    """Begin a wild battle; the player's Pokemon is faster, the enemy is harmless."""
    game = battles.hurry(start("bedroom"))
    own = Mon(3, LEVEL, HP, HP, (STAT, STAT, OWN_SPEED, STAT), experience=9000)
    battles.meet(battles.set_team(game, own), 33, LEVEL)
    steady(game.enemy, ENEMY_SPEED)
    game.own.type1 = game.own.type2 = NO_TYPE
    game.enemy.knows(with_effect(HARMLESS).number)
    return game


def steady(side: Side, speed: int) -> None:
    """Give the active Pokemon of a side the stats of this battle."""
    side.hp = side.max_hp = HP
    side.attack = side.defense = side.special = STAT
    side.speed = speed
    side.game.poke(side.labels.plain, side.data[14:25])
    side.type1 = side.type2 = NO_TYPE


def use(game: Game, number: int) -> list[str]:
    """Let the player use a move; return the texts until the next menu."""
    game.own.knows(number)
    return battles.fight(game)


def use_effect(game: Game, *effects: int) -> list[str]:
    """Let the player use a move with one of these effects."""
    return use(game, with_effect(*effects).number)


def go_on(game: Game) -> list[str]:
    """Choose FIGHT where no move list opens; return the texts until the next menu."""
    return battles.read_on(battles.choose(game, FIGHT))


def use_until(game: Game, number: int, words: str) -> None:
    """Let the player use a move, and read on until a waiting text contains `words`."""
    game.own.knows(number)
    read_until(battles.begin_move(game), words)


def read_until(game: Game, words: str) -> None:
    """Read on until a waiting text contains `words`, and leave it waiting."""
    for _ in range(900):
        game.tick(4)
        if game.has_arrow:
            if words in game.said:
                return
            game.press("b", hold=2, settle=2)
    pytest.fail(f"never {words!r}:\n{game.text}")


def hit(power: int, *, attack: int = STAT, defense: int = STAT, byte: int | None = USUAL) -> int:
    """Return the damage of a hit without type effects; without `byte` there is no random factor."""
    damage = min(997, (2 * LEVEL // 5 + 2) * power * attack // defense // 50) + 2
    return damage if byte is None else damage * (217 + byte * 39 // 256) // 255
