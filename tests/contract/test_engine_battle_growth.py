"""Experience, levels, stats and new moves, computed again from the written formulas."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests.contract import battles
from tests.contract.battles import FIGHT, TEAM, Mon

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

HITTER = 24  # never misses
TRAINER_DVS = bytes([0x98, 0x88])
OTHER_TRAINER = 0x1234


def experience(growth: int, level: int) -> int:
    cube = level**3
    return {
        0: cube,
        3: 6 * cube // 5 - 15 * level**2 + 100 * level - 140,
        4: 4 * cube // 5,
        5: 5 * cube // 4,
    }[growth]


def stats(base: bytes, dvs: bytes, level: int, trained: bytes = bytes(10)) -> bytes:
    """Return greatest HP and the four stats as the structures have them."""
    attack, defense, speed, special = dvs[0] >> 4, dvs[0] & 15, dvs[1] >> 4, dvs[1] & 15
    hp = (attack & 1) << 3 | (defense & 1) << 2 | (speed & 1) << 1 | special & 1
    made = b""
    for i, dv in enumerate((hp, attack, defense, speed, special)):
        worth = int.from_bytes(trained[2 * i : 2 * i + 2])
        root = min(255, math.isqrt(worth - 1) + 1 if worth else 0)
        core = ((base[1 + i] + dv) * 2 + root // 4) * level // 100
        made += min(999, core + (level + 10 if i == 0 else 5)).to_bytes(2)
    return made


def learnset(game: Game, species: int) -> list[tuple[int, int]]:
    pointer = battles.table(game, "EvosMovesPointerTable", 2 * (species - 1), 2)
    data = game.rom(14, int.from_bytes(pointer, "little"), 64)
    at = 0
    while data[at]:
        at += 4 if data[at] == 2 else 3
    at += 1
    pairs = []
    while data[at]:
        pairs.append((data[at], data[at + 1]))
        at += 2
    return pairs


def moves_at(game: Game, species: int, level: int) -> bytes:
    known = [number for number in battles.base_data(game, species)[15:19] if number]
    for when, number in learnset(game, species):
        if when <= level and number not in known:
            known = [*known, number][-4:]
    return bytes(known).ljust(4, b"\0")


def strong(species: int, level: int, game: Game, **more: object) -> Mon:
    """Return somebody who wins at once, one point of experience short of nothing."""
    growth = battles.base_data(game, species)[19]
    return Mon(
        species,
        level=level,
        hp=200,
        max_hp=200,
        stats=(500, 500, 500, 500),
        moves=(HITTER,),
        experience=experience(growth, level),
        **more,  # type: ignore[arg-type]
    )


def begin(start: Callable[[str], Game], *levels: int, trainer: int | None = None) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    team = (
        strong(species, level, game, trainer=trainer)
        for species, level in zip((3, 7, 11), levels, strict=False)
    )
    battles.set_team(game, *team)
    return game


def gained(game: Game, place: int, level: int) -> int:
    mon = battles.party_mon(game, place)
    growth = battles.base_data(game, mon[0])[19]
    return int.from_bytes(mon[14:17]) - experience(growth, level)


@pytest.mark.parametrize(("trainer", "enemy_level"), [(None, 7), (OTHER_TRAINER, 9), (None, 3)])
def test_a_wild_one_is_worth_its_level(
    start: Callable[[str], Game], trainer: int | None, enemy_level: int
) -> None:
    game = battles.meet(begin(start, 40, trainer=trainer), 33, enemy_level)
    base = battles.base_data(game, 33)
    said = " ".join(battles.words(screen) for screen in battles.fight(game))
    amount = base[9] * enemy_level // 7
    amount += amount // 2 if trainer else 0
    assert gained(game, 0, 40) == amount
    assert f"AAAA gained {amount} EXP. points!" in said
    trained = battles.party_mon(game, 0)[17:27]
    assert [int.from_bytes(trained[i : i + 2]) for i in range(0, 10, 2)] == list(base[1:6])
    assert (game.byte("wIsInBattle"), game.byte("wBattleResult")) == (battles.NOTHING, battles.WON)


def test_those_who_fought_share(start: Callable[[str], Game]) -> None:
    game = battles.meet(begin(start, 40, 50, 60), 33, 9)
    battles.choose(game, TEAM)
    game.wait(lambda: game.cursor == (0, 1), 60)
    game.press("down")
    game.press("a", settle=20)
    game.press("a", settle=20)
    battles.read_on(game)
    assert game.byte("wPartyGainExpFlags") == 0b11
    battles.fight(game)
    base = battles.base_data(game, 33)
    each = base[9] // 2 * 9 // 7
    assert [gained(game, 0, 40), gained(game, 1, 50), gained(game, 2, 60)] == [each, each, 0]
    assert battles.party_mon(game, 1)[17:19] == (base[1] // 2).to_bytes(2)


def test_trainers_are_worth_half_as_much_again(start: Callable[[str], Game]) -> None:
    game = battles.challenge(begin(start, 60), 25, 1)
    species = battles.field(game, "enemy", "species")
    level = battles.field(game, "enemy", "level")
    assert game.block("wEnemyMons", 44)[27:29] == TRAINER_DVS
    base = battles.base_data(game, species)
    assert game.block("wEnemyMons", 44)[34:44] == stats(base, TRAINER_DVS, level)
    assert game.block("wEnemyMons", 12)[8:] == moves_at(game, species, level)
    assert game.block("wEnemyMon", 12)[8:] == moves_at(game, species, level)
    battles.fight(game)
    amount = base[9] * level // 7
    assert gained(game, 0, 60) == amount + amount // 2


def test_a_wild_one_has_the_stats_of_its_dvs(start: Callable[[str], Game]) -> None:
    seen = set()
    for species, level in ((33, 3), (66, 4), (58, 12)):
        game = begin(start, 60)
        game.tick(species)  # chance is what the clock makes it
        battles.meet(game, species, level)
        enemy = game.block("wEnemyMon", 29)
        seen.add(enemy[12:14])
        base = battles.base_data(game, species)
        assert enemy[15:25] == stats(base, enemy[12:14], level)
        assert game.block("wEnemyMonUnmodifiedLevel", 11) == enemy[14:25]
        assert enemy[8:12] == moves_at(game, species, level)
        assert enemy[1:3] == enemy[15:17]
    assert len(seen) > 1


def win_to_next_level(game: Game, level: int, moves: tuple[int, ...]) -> list[str]:
    """Win with somebody one point short of the level; return the screens that waited."""
    growth = battles.base_data(game, 3)[19]
    mon = Mon(
        3,
        level=level - 1,
        hp=20,
        max_hp=30,
        stats=(200, 200, 200, 200),
        moves=moves,
        experience=experience(growth, level) - 1,
    )
    battles.set_team(game, mon)
    battles.meet(game, 33, 2)
    battles.choose(game, FIGHT)
    game.press("a", hold=2, settle=2)
    game.wait(lambda: game.has_arrow or battles.has_stats_box(game), 300)
    for _ in range(10):
        if battles.has_stats_box(game):
            break
        game.press("b", hold=2, settle=30)
    assert battles.has_stats_box(game), game.text
    box = game.text
    game.tick(120)
    assert game.text == box
    return [box, *battles.read_on(game)]


def test_a_new_level_brings_stats_and_a_move(start: Callable[[str], Game]) -> None:
    game = begin(start)
    level, number = learnset(game, 3)[0]
    screens = win_to_next_level(game, level, (HITTER, 2))
    mon = battles.party_mon(game, 0)
    base = battles.base_data(game, 3)
    assert mon[33] == level
    assert mon[34:44] == stats(base, mon[27:29], level, mon[17:27])
    assert int.from_bytes(mon[1:3]) == 20 + int.from_bytes(mon[34:36]) - 30
    rows = screens[0].splitlines()
    shown = [rows[row][16:19].strip() for row in (4, 6, 8, 10)]
    assert shown == [str(int.from_bytes(mon[i : i + 2])) for i in range(36, 44, 2)]
    assert mon[8:12] == bytes([HITTER, 2, number, 0])
    assert mon[31] == battles.move(game, number).pp
    assert any("learned" in battles.words(screen) for screen in screens)


def test_who_knows_four_moves_passes_over_a_fifth(start: Callable[[str], Game]) -> None:
    game = begin(start)
    level, number = learnset(game, 3)[0]
    known = tuple(n for n in (HITTER, 1, 2, 3, 4) if n != number)[:4]
    screens = win_to_next_level(game, level, known)
    assert battles.party_mon(game, 0)[8:12] == bytes(known)
    assert any("four moves" in battles.words(screen) for screen in screens)


def test_the_fallen_gain_nothing_and_a_hundred_is_the_end(start: Callable[[str], Game]) -> None:
    game = begin(start, 100, 50)
    before = battles.party_mon(game, 0)[14:17]
    battles.meet(game, 33, 60)
    battles.poke(game, "wPartyGainExpFlags", b"\3")
    battles.poke(game, "wPartyMons", bytes(2), battles.PARTY_MON + 1)
    battles.fight(game)
    assert battles.party_mon(game, 0)[14:17] == before
    assert battles.party_mon(game, 0)[33] == 100
    assert gained(game, 1, 50) == 0
