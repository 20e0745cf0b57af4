"""Getting a drink out of a machine that sells three."""

from functools import partial

from agent.skills.behind_start import work
from agent.skills.look import leave_menus
from agent.skills.menu import select
from agent.skills.press import tap
from agent.skills.skill import Movement, Skill
from agent.skills.talk import examine
from agent.skills.terrain import Terrain
from emulator import Button, Menu, MenuKind, State


def vend(item: int, row: int, square: tuple[int, int], terrain: Terrain, state: State) -> Skill:
    """Go up to the machine on a square of this map, and buy what stands in a row of its menu, once."""
    return (yield from examine(square, terrain, state, hear=partial(_buy, item, row)))


def _buy(item: int, row: int, state: State) -> Movement:
    before, asked = state.bag.quantity(item), False

    def bought(state: State) -> bool:
        return state.bag.quantity(item) > before

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal asked
        if menu.kind is not MenuKind.VENDING or asked:  # once is enough to be refused
            return (yield tap(Button.B, settle=16))
        asked = True
        return (yield from select(row, state))

    state = yield from work(answer, bought, state)
    return (yield from leave_menus(state))
