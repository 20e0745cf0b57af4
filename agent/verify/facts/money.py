"""Money: what is won, what is paid, what a defeat costs."""

from __future__ import annotations

from typing import Final

from agent.verify.fact import Fact, Notebook
from agent.verify.facts.watcher import Onlooker
from emulator import BattleKind, BattleResult, Dex, State

PRIZE: Final = Fact(
    "money.prize",
    "A trainer who is beaten pays his class's base money times the level of his last mon.",
    "engine.md 7.3: prize money",
)
PRICE: Final = Fact(
    "money.price",
    "A thing that is bought costs its price in ItemPrices, or in TechnicalMachinePrices, times how many.",
    "engine.md 6: mart",
)
BLACKOUT: Final = Fact(
    "money.blackout",
    "A defeat that blacks out halves the money.",
    "engine.md 7.3: blackout",
)

MOST: Final = 999_999


class Money(Onlooker):
    """Follows money from step to step."""

    facts = (PRIZE, PRICE, BLACKOUT)

    def __init__(self, notebook: Notebook, dex: Dex) -> None:
        super().__init__(notebook)
        self._dex = dex
        self.begin_anew()

    def begin_anew(self) -> None:
        """Know of no step before."""
        self._last: State | None = None
        self._fought: State | None = None  # in the last step of a trainer's battle
        self._purse = 0  # when that battle began
        self._lost: State | None = None

    def moment(self, state: State) -> None:
        """Look at what has changed since the last step."""
        last, self._last = self._last, state
        if last is None or not state.game_started:
            return
        battle = state.battle
        if battle is not None:
            if last.battle is None:
                self._purse = last.player.money
            if battle.kind is BattleKind.TRAINER:
                self._fought = state
            elif battle.kind is BattleKind.LOST:
                self._lost = self._lost or last
            return
        if self._fought is not None and last.battle is not None:
            if state.battle_result is BattleResult.WON:
                self._won(self._fought, state)
            self._fought = None
        elif state.player.money < last.player.money and self._lost is None:
            self._paid(last, state)
        self._black_out(state)

    def _won(self, fought: State, state: State) -> None:
        battle = fought.battle
        if battle is None or battle.trainer_class not in self._dex.all_trainers:
            return
        known = self._dex.all_trainers[battle.trainer_class]
        if battle.trainer_number not in range(1, len(known.teams) + 1):
            return
        wanted = min(known.prize(battle.trainer_number), MOST - self._purse)
        won = state.player.money - self._purse
        seen = None if won == wanted else f"{won} from class {battle.trainer_class}, not {wanted}"
        self.notebook.judge(PRIZE, seen, state.ram, state.frame)

    def _paid(self, last: State, state: State) -> None:
        had = dict(last.bag.items)
        more = [(i, q - had.get(i, 0)) for i, q in state.bag.items if q > had.get(i, 0)]
        if len(more) != 1 or more[0][0] not in self._dex.all_items:
            return  # a fee, or what lies at a PC
        item, quantity = more[0]
        wanted = self._dex.all_items[item].price * quantity
        paid = last.player.money - state.player.money
        if paid == self._dex.vending.get(item):
            return  # a machine has prices of its own
        seen = None if paid == wanted else f"{paid} for {quantity} of item {item}, not {wanted}"
        self.notebook.judge(PRICE, seen, state.ram, state.frame)

    def _black_out(self, state: State) -> None:
        if self._lost is None or not state.in_control:
            return
        had, left = self._lost.player.money, state.player.money
        self._lost = None
        if state.map.map_id != state.flags.blackout_map:
            return  # the first fight of the story, which costs nothing
        seen = None if left == had // 2 else f"{left} were left of {had}"
        self.notebook.judge(BLACKOUT, seen, state.ram, state.frame)
