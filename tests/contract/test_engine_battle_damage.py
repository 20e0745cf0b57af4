"""Thousands of damage rolls in real turns, compared with the agent's own arithmetic."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import pytest

from emulator.dex.moves import Move
from emulator.profile import symbol
from emulator.ram.battle_mon import ENEMY, OWN, BattleMon, read_battle_mon
from emulator.rules.arithmetic import BYTE
from emulator.rules.damage import critical_chance, full_damage, hit_chance
from emulator.rules.effects import MOVE_COUNTER, MOVE_QUICK_ATTACK, SWIFT
from emulator.rules.moves import Attacker, Defender
from tests.contract import battles, pcs
from tests.contract.battles import DEX
from tests.contract.game import Game

SIDES: Final = ("own", "enemy")  # by hWhoseTurn
READERS: Final = (OWN, ENEMY)
STAGES: Final = ("wPlayerMonStatMods", "wEnemyMonStatMods")
UNMODIFIED: Final = ("wPlayerMonUnmodifiedLevel", "wEnemyMonUnmodifiedLevel")
FELT_BY_BOTH: Final = {3, 48}  # drain and recoil
PLAIN_EFFECTS: Final = {0, SWIFT, *FELT_BY_BOTH}
TYPES: Final = sorted({kind for each in DEX.rules.chart.matchups for kind in each[:2]})
MOST = 999
PLENTY = 9999  # HP: more than any roll takes, so that no Pokemon faints
# Mix both bytes with the divider and return the first: the only source of randomness in home code.
RANDOM: Final = bytes.fromhex("F00447F0D388E0D3F00447F0D498E0D4F0D3C9")


class Chance(NamedTuple):
    """A random byte drawn by a battle, and the RAM at that moment."""

    whose: int
    byte: int
    damage: int
    critical: int


@dataclass
class Turn:
    """A turn: who moves first, both moves, and the random bytes drawn."""

    first: int
    moves: tuple[Move, Move]
    mons: tuple[BattleMon, BattleMon] | None = None
    chances: list[Chance] = field(default_factory=list)


def expected(chances: Iterator[Chance], turn: Turn, whose: int) -> int:
    """Return the expected damage, 0 for a miss, checking the RAM at each draw."""
    assert turn.mons
    user, move = turn.mons[whose], turn.moves[whose]
    attacker = Attacker.of(user, DEX.species(user.species).base.speed)
    defender = Defender.of(turn.mons[1 - whose])
    critical = next(chances).byte < critical_chance(attacker, move) * BYTE
    damage = full_damage(attacker, defender, move, DEX.rules, critical=critical)
    if damage > 1:
        damage = damage * (217 + next(chances).byte * 39 // 256) // 255
    if not damage or move.effect == SWIFT:
        return damage
    hit = next(chances)
    assert (hit.damage, hit.critical) == (damage, critical)
    return damage if hit.byte < hit_chance(attacker, defender, move, DEX.rules) * BYTE else 0


def make_turn(game: Game, dice: random.Random) -> Turn:
    """Put two fighters into RAM; neither can faint or get a status."""
    usable = [m for m in DEX.all_moves.values() if m.power and m.effect in PLAIN_EFFECTS]
    usable = [m for m in usable if m.number != MOVE_COUNTER]
    first, slow = dice.randrange(2), [m for m in usable if m.number != MOVE_QUICK_ATTACK]
    moves = [dice.choice(slow), dice.choice(slow)]
    moves[first] = dice.choice(usable)
    for side in range(2):
        write_fighter(game, dice, side, moves[side], 20 if side == first else 10)
    ram = pcs.ram(game)
    own, enemy = (read_battle_mon(ram, side, 0) for side in READERS)
    assert own
    assert enemy
    return Turn(first, (moves[0], moves[1]), (own, enemy))


def write_fighter(game: Game, dice: random.Random, side: int, move: Move, speed: int) -> None:
    most, name = dice.choice((60, 255, MOST)), SIDES[side]
    values = {"species": dice.choice(list(DEX.all_species)), "status": 0, "hp": PLENTY}
    values |= {"max_hp": PLENTY, "level": dice.randint(1, 100)}
    values |= {"type1": dice.choice(TYPES), "type2": dice.choice(TYPES)}
    for at, stat in enumerate(("attack", "defense", "speed", "special")):
        values[stat], plain = (
            speed if stat == "speed" else dice.randint(1, most) for _ in range(2)
        )
        game.poke(UNMODIFIED[side], plain.to_bytes(2), 3 + 2 * at)
    for field_name, value in values.items():
        battles.set_field(game, name, field_name, value)
    battles.set_moves(game, name, [move.number] * 4)
    stages = [dice.choice((7, 7, dice.randint(1, 13))) for _ in range(2)]
    game.poke(STAGES[side], bytes([7, 7, 7, 7, *stages]))


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
    """Press A through a complete turn: FIGHT, the first move, and every waiting text."""
    menu = symbol("wTileMap") + 20 * 14 + 9
    memory = game.pyboy.memory
    mash(game, lambda: memory[menu] != 0xED)
    mash(game, lambda: memory[menu] == 0xED)


def check_turn(game: Game, turn: Turn) -> int:
    """Compare both attacks of a turn with the arithmetic; return the number of rolls."""
    damages = [0, 0]
    for whose in (turn.first, 1 - turn.first):
        # The first random byte is the enemy's choice.
        mine = iter([each for each in turn.chances[1:] if each.whose == whose])
        damages[whose] = expected(mine, turn, whose)
        assert next(mine, None) is None
    for whose in range(2):
        if turn.moves[1 - whose].effect not in FELT_BY_BOTH:
            loss = PLENTY - battles.field(game, SIDES[1 - whose], "hp")
            assert loss == damages[whose], (turn, damages)
    return len(damages)


def watch_chance(game: Game, chances: list[Chance]) -> int:
    """Record every byte drawn by code of switchable banks; return the address of the hook."""
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


@pytest.mark.parametrize("rolls", [1_500, pytest.param(10_000, marks=pytest.mark.proof)])
def test_rolls_of_damage(bedroom: Game, rolls: int) -> None:
    battles.set_team(bedroom, battles.Mon(species=3))
    battles.meet(bedroom, 3, 10)
    chances: list[Chance] = []
    hook = watch_chance(bedroom, chances)
    dice = random.Random(20)
    seen = 0
    while seen < rolls:
        turn = make_turn(bedroom, dice)
        chances.clear()
        play_turn(bedroom)
        turn.chances = list(chances)
        seen += check_turn(bedroom, turn)
    bedroom.pyboy.hook_deregister(0, hook)
