"""Stones that somebody wakes up: handing one in, going away, and coming back for whoever slept in it."""

from collections.abc import Callable
from functools import partial
from typing import Final

from agent.skills.behind_start import work
from agent.skills.look import leave_menus
from agent.skills.menu import select
from agent.skills.press import tap, wait
from agent.skills.skill import Movement, Outcome, Skill
from agent.skills.talk import talk
from agent.skills.terrain import Terrain
from agent.skills.travel import Destination, travel
from emulator import Button, Menu, MenuKind, State

YES: Final = 0
FIRST_ROW: Final = 2  # of the list, whose entries stand two rows apart


def hand_in(slot: int, item: int, name: str, terrain: Terrain, state: State) -> Skill:
    """Give a thing called `name` to the person in sprite slot `slot` of this map, who asks by a list of such things."""
    return (yield from talk(slot, terrain, state, hear=partial(_give, item, name)))


def _give(item: int, name: str, state: State) -> Movement:
    chosen = False

    def is_given(state: State) -> bool:
        return not state.bag.quantity(item)

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal chosen
        entry = _entry(name, state)
        if menu.kind is MenuKind.FOSSILS and entry is not None:
            chosen = True
            return (yield from select(entry, state))
        if menu.kind is MenuKind.YES_NO and chosen:
            return (yield from select(YES, state))
        return (yield tap(Button.B, settle=16))

    state = yield from work(answer, is_given, state)
    return (yield from leave_menus(state))


def _entry(name: str, state: State) -> int | None:
    """Return where the list that is open has somebody's name, if it has."""
    rows = state.screen_rows[FIRST_ROW::2]
    return next((number for number, row in enumerate(rows) if name in row), None)


def collect(
    slot: int, outside: int, terrain: Terrain, is_waiting: Callable[[State], bool], state: State
) -> Skill:
    """Ask the person in sprite slot `slot` of this map for what they were given; while that takes, go to map `outside` and back."""
    here = state.map.map_id
    if is_waiting(state):
        for map_id in (outside, here):
            outcome = yield from travel(terrain, Destination(map_id), state)
            if outcome is not Outcome.DONE:
                return outcome
            state = yield wait(1)
    return (yield from talk(slot, terrain, state))
