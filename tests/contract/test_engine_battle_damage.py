"""Thousands of rolls of damage in real turns, each computed again from the written formulas."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import pytest

from emulator.profile import symbol
from tests.contract import battles
from tests.contract.battles import Move
from tests.contract.game import Game, Start

OWN, ENEMY = 0, 1  # hWhoseTurn
NAMES: Final = ("own", "enemy")
STAGES: Final = ("wPlayerMonStatMods", "wEnemyMonStatMods")
UNMODIFIED: Final = ("wPlayerMonUnmodifiedLevel", "wEnemyMonUnmodifiedLevel")
STATS: Final = ("attack", "defense", "speed", "special")
PLAIN_EFFECTS: Final = {0, 17, 48, 3}  # nothing, never misses, recoil, drain
NEVER_MISSES, FIRST_SPECIAL, QUICK, GIVES_BACK = 17, 0x14, 98, 68
MOST = 999
PLENTY = 9999  # HP: more than any roll takes, so that nobody falls
# Stir both bytes with the divider and return the first: the one source of chance in home code.
RANDOM: Final = bytes.fromhex("F00447F0D388E0D3F00447F0D498E0D4F0D3C9")


class Chance(NamedTuple):
    """A byte that a battle drew, and what stood in RAM then."""

    whose: int
    byte: int
    damage: int
    critical: int


@dataclass
class Fighter:
    """What one side brings into a turn."""

    level: int
    stats: tuple[int, ...]
    unmodified: tuple[int, ...]
    types: tuple[int, int]
    species: int
    accuracy: int
    evasion: int


@dataclass
class Tables:
    """What the formulas look up in the cartridge."""

    chart: list[tuple[int, int, int]]
    ratios: list[tuple[int, int]]
    high_critical: bytes
    speeds: dict[int, int]
    species: list[int]
    moves: list[Move]


@dataclass
class Turn:
    """A turn: who is first, and the chances drawn in it."""

    fighters: tuple[Fighter, Fighter]
    moves: tuple[Move, Move]
    first: int
    chances: list[Chance] = field(default_factory=list)


def read_tables(game: Game) -> Tables:
    raw = battles.table(game, "TypeEffects", 0, 246)
    chart = []
    for i in range(0, 246, 3):
        if raw[i] == 0xFF:
            break
        chart.append((raw[i], raw[i + 1], raw[i + 2]))
    ratios = battles.table(game, "StatModifierRatios", 0, 26)
    dex = battles.table(game, "PokedexOrder", 0, 190)
    species = [number for number in range(1, 191) if dex[number - 1]]
    return Tables(
        chart=chart,
        ratios=[(ratios[i], ratios[i + 1]) for i in range(0, 26, 2)],
        high_critical=battles.table(game, "HighCriticalMoves", 0, 4),
        speeds={number: battles.base_data(game, number)[4] for number in species},
        species=species,
        moves=[m for m in battles.moves(game) if is_plain(m)],
    )


def is_plain(move: Move) -> bool:
    return bool(move.power) and move.effect in PLAIN_EFFECTS and move.id != GIVES_BACK


def scaled(value: int, ratio: tuple[int, int]) -> int:
    return max(1, value * ratio[0] // ratio[1])


def critical_odds(user: Fighter, move: Move, tables: Tables) -> int:
    half = tables.speeds[user.species] // 2
    return min(255, half * 8) if move.id in tables.high_critical else half


def basic_damage(user: Fighter, target: Fighter, move: Move, critical: bool) -> int:  # noqa: FBT001
    own = user.unmodified if critical else user.stats
    other = target.unmodified if critical else target.stats
    attack, defense = (own[3], other[3]) if move.type >= FIRST_SPECIAL else (own[0], other[1])
    level = user.level * (2 if critical else 1)
    if max(attack, defense) > 255:
        attack, defense = attack // 4 % 256, defense // 4 % 256
    attack, defense = max(1, attack), max(1, defense)
    return min(997, (2 * level // 5 + 2) * move.power * attack // defense // 50) + 2


def with_types(damage: int, user: Fighter, target: Fighter, move: Move, tables: Tables) -> int:
    if move.type in user.types:
        damage += damage // 2
    for attacker, defender, tenths in tables.chart:
        if attacker == move.type and defender in target.types:
            damage = damage * tenths // 10
    return damage


def expected(chances: Iterator[Chance], turn: Turn, whose: int, tables: Tables) -> int:
    """Return the damage after all chances, 0 for a miss, checking what RAM said on the way."""
    user, target = turn.fighters[whose], turn.fighters[1 - whose]
    move = turn.moves[whose]
    critical = next(chances).byte < critical_odds(user, move, tables)
    damage = basic_damage(user, target, move, critical)
    damage = with_types(damage, user, target, move, tables)
    if damage > 1:
        luck = 217 + next(chances).byte * 39 // 256
        damage = damage * luck // 255
    if not damage or move.effect == NEVER_MISSES:
        return damage
    odds = scaled(move.accuracy, tables.ratios[user.accuracy - 1])
    odds = min(255, scaled(odds, tables.ratios[13 - target.evasion]))
    hit = next(chances)
    assert (hit.damage, hit.critical) == (damage, critical)
    return damage if hit.byte < odds else 0


def make_fighter(dice: random.Random, tables: Tables, speed: int) -> Fighter:
    most = dice.choice((60, 255, MOST))
    types = sorted({kind for row in tables.chart for kind in row[:2]})

    def stats() -> tuple[int, ...]:
        return (dice.randint(1, most), dice.randint(1, most), speed, dice.randint(1, most))

    return Fighter(
        level=dice.randint(1, 100),
        stats=stats(),
        unmodified=stats(),
        types=(dice.choice(types), dice.choice(types)),
        species=dice.choice(tables.species),
        accuracy=dice.choice((7, 7, dice.randint(1, 13))),
        evasion=dice.choice((7, 7, dice.randint(1, 13))),
    )


def make_turn(dice: random.Random, tables: Tables) -> Turn:
    first = dice.choice((OWN, ENEMY))
    fighters = tuple(make_fighter(dice, tables, 20 if side == first else 10) for side in (0, 1))
    moves = [m for m in tables.moves if m.id != QUICK]
    chosen = [dice.choice(moves), dice.choice(moves)]
    chosen[first] = dice.choice(tables.moves)
    return Turn((fighters[0], fighters[1]), (chosen[0], chosen[1]), first)


def write_turn(game: Game, turn: Turn) -> None:
    """Put both fighters into RAM; nobody can fall, and nobody can be poisoned or worse."""
    memory = game.pyboy.memory
    for side, fighter in enumerate(turn.fighters):
        at = symbol(battles.SIDES[NAMES[side]])
        number = turn.moves[side].id
        data = bytearray(memory[at : at + battles.BATTLE_MON])
        data[0], data[4], data[14] = fighter.species, 0, fighter.level
        data[1:3] = data[15:17] = PLENTY.to_bytes(2)
        data[5:7] = bytes(fighter.types)
        data[8:12], data[25:29] = bytes([number] * 4), bytes([20] * 4)
        for i, (stat, plain) in enumerate(zip(fighter.stats, fighter.unmodified, strict=True)):
            data[17 + 2 * i : 19 + 2 * i] = stat.to_bytes(2)
            game.poke(UNMODIFIED[side], plain.to_bytes(2), 3 + 2 * i)
        memory[at : at + battles.BATTLE_MON] = list(data)
        stages = bytes([7, 7, 7, 7, fighter.accuracy, fighter.evasion])
        game.poke(STAGES[side], stages)


def mash(game: Game, done: Callable[[], bool]) -> None:
    pyboy = game.pyboy
    for _ in range(500):
        pyboy.button_press("a")
        pyboy.tick(2, False)
        pyboy.button_release("a")
        pyboy.tick(2, False)
        if done():
            return
    raise AssertionError(game.text)


def play_turn(game: Game) -> None:
    """Press A through a whole turn: FIGHT, the first move, and whatever waits."""
    menu = symbol("wTileMap") + 20 * 14 + 9
    memory = game.pyboy.memory
    mash(game, lambda: memory[menu] != 0xED)
    mash(game, lambda: memory[menu] == 0xED)


def loss(game: Game, side: int) -> int:
    return PLENTY - battles.field(game, NAMES[side], "hp")


def check_turn(game: Game, turn: Turn, tables: Tables) -> int:
    """Compare both attacks of a turn with the formulas; return how many rolls that were."""
    chances = turn.chances[1:]  # the first says what the enemy does
    damages = [0, 0]
    for whose in (turn.first, 1 - turn.first):
        mine = iter([each for each in chances if each.whose == whose])
        damages[whose] = expected(mine, turn, whose, tables)
        assert next(mine, None) is None
    for whose in (OWN, ENEMY):
        if turn.moves[1 - whose].effect in {3, 48}:
            continue  # what comes back, or is felt as well, is in their HP too
        assert loss(game, 1 - whose) == damages[whose], (turn, damages)
    return len(damages)


def watch_chance(game: Game, chances: list[Chance]) -> int:
    """Note every byte drawn by code of switchable banks; return the place of the hook."""
    place = game.rom(0, 0, 0x3FFF).index(RANDOM) + len(RANDOM) - 1
    memory, registers = game.pyboy.memory, game.pyboy.register_file
    damage, critical = symbol("wDamage"), symbol("wCriticalHitOrOHKO")
    whose = symbol("hWhoseTurn")

    def note(_: object) -> None:
        if memory[registers.SP + 1] >= 0x40:  # not the interrupt, which stirs every frame
            drawn = memory[damage] << 8 | memory[damage + 1]
            chances.append(Chance(memory[whose], registers.A, drawn, memory[critical]))

    game.pyboy.hook_register(0, place, note, None)
    return place


@pytest.mark.parametrize("rolls", [2_500, pytest.param(10_000, marks=pytest.mark.proof)])
def test_rolls_of_damage(start: Start, rolls: int) -> None:
    game = start("bedroom")
    battles.hurry(game)
    battles.set_team(game, battles.Mon(species=3))
    tables = read_tables(game)
    battles.meet(game, tables.species[0], 10)
    chances: list[Chance] = []
    hook = watch_chance(game, chances)
    dice = random.Random(20)
    seen = 0
    while seen < rolls:
        turn = make_turn(dice, tables)
        write_turn(game, turn)
        chances.clear()
        play_turn(game)
        turn.chances = list(chances)
        seen += check_turn(game, turn, tables)
    game.pyboy.hook_deregister(0, hook)
    assert {m.effect for m in tables.moves} & PLAIN_EFFECTS
