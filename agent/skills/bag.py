"""Items and the party in menus: use, toss, buy, teach a move, change the order.

Each skill answers the menu that is open; a refusal ends it.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from agent.skills.menu import (
    Answer,
    behind_start,
    by_kind,
    count_to,
    enter,
    entry,
    from_bag,
    select,
    work_and_leave,
)
from agent.skills.press import TextPager, tap
from agent.skills.skill import Movement, Outcome, Skill
from agent.skills.talk import talk
from agent.skills.terrain import Terrain
from emulator import Button, Menu, MenuKind, State

USE, TOSS = 0, 1
BUY: Final = 0
YES: Final = 0
TRIES: Final = 2  # at each item, or mon to teach
SWITCH_FROM_END: Final = 1  # what can be done with a mon ends with SWITCH and CANCEL

Looked: TypeAlias = Callable[[State, tuple[int, ...]], object]


def use_item(item: int, position: int, state: State) -> Skill:
    """Use an item on the mon in this place of the team; DONE when the bag has one less."""
    answers = {MenuKind.USE_TOSS: entry(USE), MenuKind.PARTY: entry(position)}
    return (yield from _take_out(item, answers, state))


def toss(item: int, state: State) -> Skill:
    """Throw away all there is of an item in one place of the bag; DONE when the bag has less of it."""
    answers = {
        MenuKind.USE_TOSS: entry(TOSS),
        MenuKind.QUANTITY: _ask_for_all,
        MenuKind.YES_NO: entry(YES),
    }
    return (yield from _take_out(item, answers, state))


def swap(first: int, second: int, state: State) -> Skill:
    """Let two mons of the team change places; DONE when they have."""
    wanted = _marks(state)
    if max(first, second) >= len(wanted):
        return Outcome.BLOCKED
    wanted[first], wanted[second] = wanted[second], wanted[first]
    chosen = False  # whether the first of them is

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

    return (yield from behind_start(answer, lambda now: _marks(now) == wanted, state))


def buy(
    slot: int,
    wanted: Mapping[int, int],
    terrain: Terrain,
    state: State,
    *,
    looked: Looked = lambda _state, _wares: None,
) -> Skill:
    """Go to the clerk in sprite slot `slot` of this map and buy until the bag holds so many of each thing.

    The open list says what is for sale; `looked` is called with it once, without wares where no list opened.
    DONE as well when money, bag or shelf do not allow it all; BLOCKED without a clerk.
    """
    shops = terrain.world(state).map(state.map.map_id).header.shops
    told = next((shop.items for shop in shops if shop.slot == slot), ())
    return (yield from talk(slot, terrain, state, hear=partial(_haggle, wanted, told, looked)))


def _haggle(
    wanted: Mapping[int, int], told: tuple[int, ...], looked: Looked, state: State
) -> Movement:
    purchase = _Purchase(wanted, told)
    asks = not purchase.is_over(state)
    state = yield from work_and_leave(purchase.answer, purchase.is_over, state)
    if asks:
        looked(state, purchase.wares or ())
    return state


class _Purchase:
    """What is still to be asked of a clerk; what is for sale is not known before the list is open.

    `told` is what the cartridge says of it, for a list that RAM does not show.
    """

    def __init__(self, wanted: Mapping[int, int], told: tuple[int, ...]) -> None:
        self._wanted = wanted
        self._told = told
        self.wares: tuple[int, ...] | None = None
        self._item: int | None = None  # that is talked about
        self._said = False  # whether the clerk has been told how many of it
        self._short = dict.fromkeys(wanted, 0)  # how often less was had than asked for
        self._patience = TextPager()

    def is_over(self, state: State) -> bool:
        return self._next(state) is None

    def answer(self, state: State, menu: Menu) -> Movement:
        match menu.kind:
            case MenuKind.MART:
                return (yield from select(BUY, state))
            case MenuKind.PRICED_ITEMS:
                return (yield from self._choose(state))
            case MenuKind.QUANTITY if self._said:
                # Its box stays open while the clerk talks.
                return (yield self._patience.step(state))
            case MenuKind.QUANTITY if self._item is not None:
                self._said = True
                # What was refused once may have been too dear.
                amount = self._lack(self._item, state) // (1 + self._short[self._item])
                state = yield from count_to(max(amount, 1), state)
                return (yield tap(Button.A, settle=16))
            case MenuKind.YES_NO if self._said:  # and not what a press too many has chosen
                return (yield from select(YES, state))
            case _:
                return (yield tap(Button.B, settle=16))

    def _choose(self, state: State) -> Movement:
        self.wares = state.list_entries or self._told
        if self._item is not None and self._said:
            self._short[self._item] += 1
        self._item, self._said = self._next(state), False
        if self._item is None or self.wares is None:
            return (yield tap(Button.B, settle=16))
        return (yield from select(self.wares.index(self._item), state))

    def _next(self, state: State) -> int | None:
        for item in self._wanted:
            is_sold = self.wares is None or item in self.wares
            if is_sold and self._lack(item, state) > 0 and self._short[item] < TRIES:
                return item
        return None

    def _lack(self, item: int, state: State) -> int:
        return self._wanted[item] - state.bag.quantity(item)


def _take_out(item: int, answers: Mapping[MenuKind, Answer], state: State) -> Skill:
    """Choose an item of the bag and answer what is asked then, until there is less of it."""
    before, answer = state.bag.quantity(item), by_kind({**from_bag(item), **answers})
    return (yield from behind_start(answer, lambda now: now.bag.quantity(item) < before, state))


def _ask_for_all(state: State, menu: Menu) -> Movement:
    state = yield from count_to(menu.maximum, state)
    return (yield tap(Button.A, settle=16))


def _marks(state: State) -> list[tuple[int, int, int]]:
    """What tells the mons of the team apart."""
    return [(mon.species, mon.exp, mon.hp) for mon in state.party.mons]


def teach(item: int, position: int, state: State, *, forget: int = 0) -> Skill:
    """Teach the move of machine `item` to the mon in this place; DONE when it knows another move.

    Where four are known, the one in slot `forget` is given up for it.
    """
    if position >= len(state.party):
        yield from ()
        return Outcome.BLOCKED
    before, tries = _moves(position, state), TRIES
    answers = by_kind(
        {
            **from_bag(item),
            MenuKind.USE_TOSS: entry(USE),
            MenuKind.YES_NO: entry(YES),  # to teach it, and to forget another for it
            MenuKind.PARTY: entry(position),
            MenuKind.MOVES_TO_FORGET: entry(forget),
        }
    )

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal tries
        # A mon that is not able to learn it is refused again and again.
        if not tries and menu.kind in (MenuKind.ITEMS, MenuKind.PARTY):
            return (yield tap(Button.B, settle=16))
        tries -= menu.kind is MenuKind.PARTY
        return (yield from answers(state, menu))

    return (yield from behind_start(answer, lambda now: _moves(position, now) != before, state))


def _moves(position: int, state: State) -> tuple[int, ...]:
    return tuple([each.move for each in state.party[position].moves])
