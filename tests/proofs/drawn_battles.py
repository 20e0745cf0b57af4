"""Battles on the cartridge with drawn teams, moves and orders, from one saved state, read turn by turn."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agent.battle.odds import position_in
from agent.lab.bench.battle_setup import SIZE, BattleSetup, battle_setup, opponent_in_ram
from agent.lab.bench.battles import BEGINNING, FAST_AND_SET, StrongestMove, start_state
from agent.skills import (
    Attack,
    Flee,
    Order,
    Outcome,
    SkillRun,
    Switch,
    Throw,
    TriedOrders,
    UseItem,
    fight,
    first_able,
)
from agent.skills.orders import BALLS, any_attack
from emulator import (
    Dex,
    Phase,
    PyBoyConsole,
    State,
    Step,
    demo_cartridge_path,
    load_cartridge,
    read_state,
)
from emulator.engine.choices import legal_choices
from emulator.profile import symbol
from emulator.rules import codes, effects
from emulator.rules.codes import OURS
from tests.proofs.played_turns import PlayedTurn, TurnWatcher

MOST_STEPS: Final = 2_000
ITEMS: Final = (20, 19, 11, 12, 13, 14, 15, 52, 65, 66, 67, 68, 4, 3, 53)
EACH: Final = 9
ENOUGH_PP: Final = 30
OFTEN, SELDOM, HARDLY = 30, 2, 1  # weights of a move, of a switch, and of what else is legal


@dataclass(frozen=True)
class DrawnOrders(StrongestMove):
    """A commander that orders anything that is legal, mostly moves."""

    chance: Random

    def order(self, state: State, tried: TriedOrders) -> Order:
        """Return an order."""
        position = position_in(self.dex, state)
        if position is None or state.battle is None:
            return Attack(0)
        weighted = dict(_orders(legal_choices(position, OURS)))
        for each in tried.refused:
            weighted.pop(each, None)
        if not weighted:
            return any_attack(state.battle)
        return self.chance.choices(list(weighted), list(weighted.values()))[0]

    def next_mon(self, state: State) -> int:
        """Return any that can fight."""
        able = [place for place, mon in enumerate(state.party.mons) if mon.hp]
        return self.chance.choice(able) if able else first_able(state)


def _orders(choices: NDArray[np.int64]) -> Iterator[tuple[Order, int]]:
    for each in choices:
        choice = int(each)
        if choice < codes.SLOTS:
            yield Attack(choice), OFTEN
        elif choice < codes.SWITCH + codes.TEAM:
            yield Switch(choice - codes.SWITCH), SELDOM
        elif choice == codes.RUN:
            yield Flee(), HARDLY
        elif choice >= codes.ITEM:
            item, target = divmod(choice - codes.ITEM, codes.PER_ITEM)
            throw = item in BALLS
            yield Throw(item) if throw else UseItem(item, target // codes.SLOTS), HARDLY
        else:
            yield Attack(0), OFTEN


def drawn_battles(seeds: range) -> Iterator[PlayedTurn]:
    """Yield the turns of the battles of some seeds."""
    cartridge = load_cartridge(demo_cartridge_path())
    dex, start = Dex.of(cartridge), start_state(cartridge)
    with closing(PyBoyConsole(cartridge)) as console:
        for seed in seeds:
            yield from played_battle(console, start, dex, seed)


def played_battle(console: PyBoyConsole, start: bytes, dex: Dex, seed: int) -> list[PlayedTurn]:
    """Play the battle of a seed from a saved state in which the player has control, and return its turns."""
    chance, drawn = Random(seed), battle_setup(dex, seed)
    console.load(start)
    _begin(console, dex, drawn, chance)
    watcher = TurnWatcher(dex)
    skill_run = SkillRun(fight(DrawnOrders(dex, chance), _state(console)))
    is_armed = False
    for _ in range(MOST_STEPS):
        state = _state(console)
        if not is_armed and state.battle is not None and state.battle.phase is Phase.MAIN_MENU:
            _arm_foe(console, dex, chance)
            is_armed, state = True, _state(console)
        watcher.see(state)
        skill_run.resume(state)
        if skill_run.outcome is not Outcome.RUNNING:
            break
        console.perform(skill_run.step)
    return watcher.turns


def _state(console: PyBoyConsole) -> State:
    return read_state(console.ram(), console.frame)


def _begin(console: PyBoyConsole, dex: Dex, drawn: BattleSetup, chance: Random) -> None:
    changes = {**drawn.ram, symbol("wOptions"): bytes([FAST_AND_SET])}
    stacks = [byte for item in ITEMS for byte in (item, EACH)]
    changes[symbol("wNumBagItems")] = bytes([len(ITEMS), *stacks, 0xFF])
    for address, data in changes.items():
        console.poke(address, data)
    for place in range(len(drawn.own)):
        moves = _moves(dex, chance)
        at = symbol("wPartyMons") + place * SIZE
        console.poke(at + 8, moves)
        console.poke(at + 29, bytes([ENOUGH_PP if each else 0 for each in moves]))
    console.perform(Step(None, 0, drawn.wait))
    for address, data in opponent_in_ram(drawn.foe).items():
        console.poke(address, data)
    console.perform(Step(None, 0, BEGINNING))


def _arm_foe(console: PyBoyConsole, dex: Dex, chance: Random) -> None:
    """Give all foes other moves: the one in battle, and those to come."""
    count = console.read(symbol("wEnemyPartyCount"), 1)[0]
    for place in range(min(count, codes.TEAM)):
        at = symbol("wEnemyMons") + place * SIZE
        console.poke(at + 8, _moves(dex, chance))
    moves = _moves(dex, chance)
    console.poke(symbol("wEnemyMon") + 8, moves)
    if count:
        console.poke(symbol("wEnemyMons") + 8, moves)


def _moves(dex: Dex, chance: Random) -> bytes:
    """Draw four moves, and seldom one that leaves the battle."""
    known = [
        number
        for number, move in dex.all_moves.items()
        if number != effects.MOVE_STRUGGLE and move.effect != effects.SWITCH_AND_TELEPORT
    ]
    return bytes(chance.sample(known, codes.SLOTS))
