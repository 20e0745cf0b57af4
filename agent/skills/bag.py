"""Skills for items and the party in menus: use, toss, buy, sell, teach a move, swap party members.

Each skill answers the open menu and ends when the game refuses.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final, TypeAlias

from agent.skills.menu import (
    Answer,
    answer_and_leave,
    by_kind,
    enter,
    entry,
    from_bag,
    in_start_menu,
    select,
    set_quantity,
)
from agent.skills.skill import Movement, Outcome, Skill, TextPager, tap
from agent.skills.talk import talk
from agent.skills.terrain import Terrain
from emulator import Button, Menu, MenuKind, State

USE, TOSS = 0, 1
BUY, SELL = 0, 1
YES: Final = 0
TRIES: Final = 2  # for each item, or each mon to teach
SWITCH_FROM_END: Final = 1  # the menu of a party mon ends with SWITCH and CANCEL

OnStock: TypeAlias = Callable[[State, tuple[int, ...]], object]


def use_item(item: int, position: int, state: State) -> Skill:
    """Use an item on the mon at this party position; DONE when the bag holds one less."""
    answers = {MenuKind.USE_TOSS: entry(USE), MenuKind.PARTY: entry(position)}
    return (yield from _use_from_bag(item, answers, state))


def toss(item: int, state: State) -> Skill:
    """Toss one whole stack of an item; DONE when the bag holds less of it."""
    answers = {
        MenuKind.USE_TOSS: entry(TOSS),
        MenuKind.QUANTITY: _enter_all,
        MenuKind.YES_NO: entry(YES),
    }
    return (yield from _use_from_bag(item, answers, state))


def swap(first: int, second: int, state: State) -> Skill:
    """Swap two party members; DONE when they have changed positions."""
    wanted = _party_keys(state)
    if max(first, second) >= len(wanted):
        return Outcome.BLOCKED
    wanted[first], wanted[second] = wanted[second], wanted[first]
    chosen = False  # whether the first mon is selected

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal chosen
        match menu.kind:
            case MenuKind.START:
                return (yield from enter(MenuKind.PARTY, state))
            case MenuKind.PARTY:
                return (yield from select(second if chosen else first, state))
            case MenuKind.PARTY_FIELD:
                chosen = True
                return (yield from select(menu.maximum - SWITCH_FROM_END, state))
            case _:
                return (yield tap(Button.B, settle=16))

    return (yield from in_start_menu(answer, lambda now: _party_keys(now) == wanted, state))


def buy(
    slot: int,
    wanted: Mapping[int, int],
    terrain: Terrain,
    state: State,
    *,
    on_stock: OnStock = lambda _state, _stock: None,
) -> Skill:
    """Go to the clerk in sprite slot `slot` of this map and buy until the bag holds the `wanted` quantities.

    The open list shows the stock; `on_stock` is called with it once, with an empty tuple if no list opened.
    Also DONE when money, bag space or stock do not suffice; BLOCKED without a clerk.
    """
    shops = terrain.world(state).map(state.map.map_id).header.shops
    listed = next((shop.items for shop in shops if shop.slot == slot), ())
    return (yield from talk(slot, terrain, state, on_text=partial(_buy, wanted, listed, on_stock)))


def _buy(
    wanted: Mapping[int, int], listed: tuple[int, ...], on_stock: OnStock, state: State
) -> Movement:
    purchase = _Purchase(wanted, listed)
    is_needed = not purchase.is_over(state)
    state = yield from answer_and_leave(purchase.answer, purchase.is_over, state)
    if is_needed:
        on_stock(state, purchase.stock or ())
    return state


class _Purchase:
    """The state of a purchase; the stock is unknown until the list is open.

    `listed` is the stock by the cartridge's data, for a list that RAM does not show.
    """

    def __init__(self, wanted: Mapping[int, int], listed: tuple[int, ...]) -> None:
        self._wanted = wanted
        self._listed = listed
        self.stock: tuple[int, ...] | None = None
        self._item: int | None = None  # being bought
        self._entered = False  # whether the quantity was entered
        self._failures = dict.fromkeys(wanted, 0)  # failed purchases by item
        self._pager = TextPager()

    def is_over(self, state: State) -> bool:
        return self._next(state) is None

    def answer(self, state: State, menu: Menu) -> Movement:
        match menu.kind:
            case MenuKind.MART:
                return (yield from select(BUY, state))
            case MenuKind.PRICED_ITEMS:
                return (yield from self._choose(state))
            case MenuKind.QUANTITY if self._entered:
                # The quantity box stays open while the clerk talks.
                return (yield self._pager.step(state))
            case MenuKind.QUANTITY if self._item is not None:
                self._entered = True
                # After a refusal a smaller quantity may be affordable.
                amount = self._missing(self._item, state) // (1 + self._failures[self._item])
                state = yield from set_quantity(max(amount, 1), state)
                return (yield tap(Button.A, settle=16))
            case MenuKind.YES_NO if self._entered:  # not after an accidental extra press
                return (yield from select(YES, state))
            case _:
                return (yield tap(Button.B, settle=16))

    def _choose(self, state: State) -> Movement:
        self.stock = state.list_entries or self._listed
        if self._item is not None and self._entered:
            self._failures[self._item] += 1
        self._item, self._entered = self._next(state), False
        if self._item is None or self.stock is None:
            return (yield tap(Button.B, settle=16))
        return (yield from select(self.stock.index(self._item), state))

    def _next(self, state: State) -> int | None:
        for item in self._wanted:
            is_sold = self.stock is None or item in self.stock
            if is_sold and self._missing(item, state) > 0 and self._failures[item] < TRIES:
                return item
        return None

    def _missing(self, item: int, state: State) -> int:
        return self._wanted[item] - state.bag.quantity(item)


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


def _use_from_bag(item: int, answers: Mapping[MenuKind, Answer], state: State) -> Skill:
    """Choose a bag item and answer the menus that follow, until the bag holds less of it."""
    before, answer = state.bag.quantity(item), by_kind({**from_bag(item), **answers})
    return (yield from in_start_menu(answer, lambda now: now.bag.quantity(item) < before, state))


def _enter_all(state: State, menu: Menu) -> Movement:
    state = yield from set_quantity(menu.maximum, state)
    return (yield tap(Button.A, settle=16))


def _party_keys(state: State) -> list[tuple[int, int, int]]:
    """Return a key for each party member."""
    return [(mon.species, mon.exp, mon.hp) for mon in state.party.mons]


def teach(item: int, position: int, state: State, *, forget: int = 0) -> Skill:
    """Teach the move of machine `item` to the mon at this party position; DONE when its moves changed.

    If it knows four moves, it forgets the one in slot `forget`.
    """
    if position >= len(state.party):
        yield from ()
        return Outcome.BLOCKED
    before, tries = _moves(position, state), TRIES
    answers = by_kind(
        {
            **from_bag(item),
            MenuKind.USE_TOSS: entry(USE),
            MenuKind.YES_NO: entry(YES),  # to teach it, and to forget another move
            MenuKind.PARTY: entry(position),
            MenuKind.MOVES_TO_FORGET: entry(forget),
        }
    )

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal tries
        # The game would refuse an unsuited mon again each time.
        if not tries and menu.kind in (MenuKind.ITEMS, MenuKind.PARTY):
            return (yield tap(Button.B, settle=16))
        tries -= menu.kind is MenuKind.PARTY
        return (yield from answers(state, menu))

    return (yield from in_start_menu(answer, lambda now: _moves(position, now) != before, state))


def _moves(position: int, state: State) -> tuple[int, ...]:
    return tuple([each.move for each in state.party[position].moves])
