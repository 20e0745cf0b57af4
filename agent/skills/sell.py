"""A skill that sells whole stacks of the bag to a clerk."""

from collections.abc import Collection
from functools import partial
from typing import Final

from agent.skills.menu import answer_and_leave, select, set_quantity
from agent.skills.press import TextPager, tap
from agent.skills.skill import Movement, Skill
from agent.skills.talk import talk
from agent.skills.terrain import Terrain
from emulator import Button, Menu, MenuKind, State

SELL: Final = 1
YES: Final = 0
TRIES: Final = 2  # for each item


def sell(slot: int, goods: Collection[int], terrain: Terrain, state: State) -> Skill:
    """Go to the clerk in sprite slot `slot` of this map and sell all of `goods` that the bag holds.

    Also DONE when the clerk refuses some of them; BLOCKED without a clerk.
    """
    return (yield from talk(slot, terrain, state, on_text=partial(_sell, goods)))


def _sell(goods: Collection[int], state: State) -> Movement:
    sale = _Sale(goods)
    return (yield from answer_and_leave(sale.answer, sale.is_over, state))


class _Sale:
    """The state of a sale: the item being sold, and the tries left for each."""

    def __init__(self, goods: Collection[int]) -> None:
        self._tries = dict.fromkeys(goods, TRIES)
        self._entered = False  # whether the quantity was entered
        self._pager = TextPager()

    def is_over(self, state: State) -> bool:
        return self._next(state) is None

    def answer(self, state: State, menu: Menu) -> Movement:
        match menu.kind:
            case MenuKind.MART:
                return (yield from select(SELL, state))
            case MenuKind.ITEMS:
                return (yield from self._choose(state))
            case MenuKind.QUANTITY if self._entered:
                # The quantity box stays open while the clerk talks.
                return (yield self._pager.step(state))
            case MenuKind.QUANTITY:
                self._entered = True
                state = yield from set_quantity(menu.maximum, state)
                return (yield tap(Button.A, settle=16))
            case MenuKind.YES_NO if self._entered:  # not after an accidental extra press
                return (yield from select(YES, state))
            case _:
                return (yield tap(Button.B, settle=16))

    def _choose(self, state: State) -> Movement:
        item, self._entered = self._next(state), False
        if item is None:
            return (yield tap(Button.B, settle=16))
        self._tries[item] -= 1
        return (yield from select([each.item for each in state.bag.items].index(item), state))

    def _next(self, state: State) -> int | None:
        sold = (item for item, tries in self._tries.items() if tries and state.bag.quantity(item))
        return next(sold, None)
