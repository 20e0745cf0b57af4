"""Experience, levels, stats and new moves, computed again from the written formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract import battles, growing
from tests.contract.battles import TEAM, Mon

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

TRAINER_DVS = bytes([0x98, 0x88])
OTHER_TRAINER = 0x1234


def moves_at(game: Game, species: int, level: int) -> bytes:
    known = [number for number in battles.base_data(game, species)[15:19] if number]
    for when, number in growing.learnset(game, species):
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
        moves=(battles.HITTER,),
        experience=growing.experience(growth, level),
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
    return int.from_bytes(mon[14:17]) - growing.experience(growth, level)


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
    assert game.block("wEnemyMons", 44)[34:44] == growing.stats(base, TRAINER_DVS, level)
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
        assert enemy[15:25] == growing.stats(base, enemy[12:14], level)
        assert game.block("wEnemyMonUnmodifiedLevel", 11) == enemy[14:25]
        assert enemy[8:12] == moves_at(game, species, level)
        assert enemy[1:3] == enemy[15:17]
    assert len(seen) > 1


def test_a_new_level_brings_stats_and_a_move(start: Callable[[str], Game]) -> None:
    game = begin(start)
    level, number = growing.learnset(game, 3)[0]
    box = growing.win_to_level(game, level, (battles.HITTER, 2))
    screens = battles.read_on(game)
    mon = battles.party_mon(game, 0)
    base = battles.base_data(game, 3)
    assert mon[33] == level
    assert mon[34:44] == growing.stats(base, mon[27:29], level, mon[17:27])
    assert int.from_bytes(mon[1:3]) == 20 + int.from_bytes(mon[34:36]) - 30
    rows = box.splitlines()
    shown = [rows[row][16:19].strip() for row in (4, 6, 8, 10)]
    assert shown == [str(int.from_bytes(mon[i : i + 2])) for i in range(36, 44, 2)]
    assert mon[8:12] == bytes([battles.HITTER, 2, number, 0])
    assert mon[31] == battles.move(game, number).pp
    assert any("learned" in battles.words(screen) for screen in screens)


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
