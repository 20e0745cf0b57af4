"""Levels: experience and stats of one, and battles that win one."""

from __future__ import annotations

from emulator.ram.party import PartyMon, Stats
from emulator.rules.stats import stats_of
from tests.contract import battles
from tests.contract.battles import DEX, Mon
from tests.contract.game import Game


def experience(species: int, level: int) -> int:
    return DEX.species(species).growth.experience_at(level)


def stats(mon: PartyMon) -> Stats:
    """Return the expected stats of a party Pokemon."""
    return stats_of(DEX.species(mon.species).base, mon.dvs, mon.level, mon.stat_exp)


def win_to_level(
    game: Game,
    level: int,
    moves: tuple[int, ...],
    species: int = 3,
    *,
    enemy_level: int = 2,
    named: bool = True,
) -> str:
    """Win with a Pokemon one point short of the level; return the screen with the new stats."""
    short = experience(species, level) - 1
    mon = Mon(species, level - 1, 20, 30, (900, 200, 900, 200), moves, experience=short)
    battles.set_team(game, mon)
    if not named:
        game.poke("wPartyMonNicks", name(game, species))
    battles.meet(game, 66, enemy_level)
    game.enemy.hp = 1
    battles.begin_move(game, moves.index(battles.HITTER))
    game.wait(lambda: game.has_arrow or battles.has_stats_box(game), 300)
    for _ in range(10):
        if battles.has_stats_box(game):
            break
        game.press("b", hold=2, settle=30)
    assert battles.has_stats_box(game), game.text
    box = game.text
    assert game.tick(120).text == box
    return box


def name(game: Game, species: int) -> bytes:
    """Return the name of a species, padded as in a name field."""
    data = battles.table(game, "MonsterNames", 10 * (species - 1), 10)
    return data.ljust(battles.NAME, b"\x50")
