"""Growing: what levels are worth, computed again from the written formulas, and winning them."""

from __future__ import annotations

import math

from emulator import Phase, State
from emulator.ram.state import read_state
from emulator.ram.view import Ram
from tests.contract import battles
from tests.contract.battles import FIGHT, Mon
from tests.contract.game import Game


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


def win_to_level(
    game: Game,
    level: int,
    moves: tuple[int, ...],
    species: int = 3,
    *,
    enemy_level: int = 2,
    named: bool = True,
) -> str:
    """Win with somebody one point short of the level; return the screen with the new stats."""
    growth = battles.base_data(game, species)[19]
    mon = Mon(
        species,
        level=level - 1,
        hp=20,
        max_hp=30,
        stats=(900, 200, 900, 200),
        moves=moves,
        experience=experience(growth, level) - 1,
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
    """Return the name of a kind, as a field of a name has it."""
    data = battles.table(game, "MonsterNames", 10 * (species - 1), 10)
    return data.ljust(battles.NAME, b"\x50")


def state(game: Game) -> State:
    """Return what the agent's readers make of this moment."""
    memory = game.pyboy.memory
    work, high = bytes(memory[0xC000:0xE000]), bytes(memory[0xFF80:0xFFFF])
    return read_state(Ram.of_image(work, high), game.frames)


def phase(game: Game) -> Phase | None:
    """Return what the agent's readers take the battle to wait for; None without one."""
    battle = state(game).battle
    return battle.phase if battle else None
