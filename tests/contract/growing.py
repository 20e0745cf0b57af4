"""Growth: experience and stats by level, and battles that win a level."""

from __future__ import annotations

from emulator import Phase, State
from emulator.ram.party import PartyMon, Stats
from emulator.ram.state import read_state
from emulator.ram.view import Ram
from emulator.rules.stats import stats_of
from tests.contract import battles
from tests.contract.battles import DEX, FIGHT, Mon
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
    mon = Mon(
        species,
        level=level - 1,
        hp=20,
        max_hp=30,
        stats=(900, 200, 900, 200),
        moves=moves,
        experience=experience(species, level) - 1,
    )
    battles.set_team(game, mon)
    if not named:
        game.poke("wPartyMonNicks", name(game, species))
    battles.meet(game, 66, enemy_level)
    battles.set_field(game, "enemy", "hp", 1)
    choose_hitter(game, moves)
    game.wait(lambda: game.has_arrow or battles.has_stats_box(game), 300)
    for _ in range(10):
        if battles.has_stats_box(game):
            break
        game.press("b", hold=2, settle=30)
    assert battles.has_stats_box(game), game.text
    box = game.text
    game.tick(120)
    assert game.text == box
    return box


def choose_hitter(game: Game, moves: tuple[int, ...]) -> None:
    battles.choose(game, FIGHT)
    game.wait(lambda: game.cursor is not None and game.cursor[0] == battles.FIRST_MOVE[0], 60)
    for _ in range(moves.index(battles.HITTER)):
        game.press("down", hold=2, settle=4)
    game.press("a", hold=2, settle=2)


def name(game: Game, species: int) -> bytes:
    """Return the name of a species, padded as in a name field."""
    data = battles.table(game, "MonsterNames", 10 * (species - 1), 10)
    return data.ljust(battles.NAME, b"\x50")


def state(game: Game) -> State:
    """Return this moment as the agent's readers decode it."""
    memory = game.pyboy.memory
    work, high = bytes(memory[0xC000:0xE000]), bytes(memory[0xFF80:0xFFFF])
    return read_state(Ram.of_image(work, high), game.frames)


def phase(game: Game) -> Phase | None:
    """Return the battle phase as the agent's readers decode it; None without a battle."""
    battle = state(game).battle
    return battle.phase if battle else None
