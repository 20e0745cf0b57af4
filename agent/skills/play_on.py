"""Playing on a thing of the bag beside whoever sleeps in the way."""

from collections.abc import Mapping
from typing import Final

from agent.skills.behind_start import Answer, behind_start, select_item
from agent.skills.look import enter
from agent.skills.menu import select
from agent.skills.press import tap
from agent.skills.skill import Movement, Outcome, Skill
from agent.skills.terrain import Terrain
from agent.skills.travel import Destination, travel
from emulator import Button, Menu, MenuKind, State

USE: Final = 0
BESIDE: Final = ((0, 1), (0, -1), (-1, 0), (1, 0))


def play_on(item: int, square: tuple[int, int], terrain: Terrain, state: State) -> Skill:
    """Stand beside a square of this map and use a thing of the bag; BLOCKED when nothing but a tune comes of it.

    When it works a battle begins, which is somebody else's.
    """
    x, y = square
    beside = frozenset((x + across, y + down) for across, down in BESIDE)
    outcome = yield from travel(terrain, Destination(state.map.map_id, beside), state)
    if outcome is not Outcome.DONE:
        return outcome
    answers: Mapping[MenuKind, Answer] = {
        MenuKind.START: lambda state, _menu: enter(MenuKind.ITEMS, state),
        MenuKind.ITEMS: lambda state, _menu: select_item(item, state),
        MenuKind.USE_TOSS: lambda state, _menu: select(USE, state),
    }

    def answer(state: State, menu: Menu) -> Movement:
        if menu.kind in answers:
            return (yield from answers[menu.kind](state, menu))
        return (yield tap(Button.B, settle=16))

    return (yield from behind_start(answer, _is_roused, state))


def _is_roused(state: State) -> bool:
    return state.in_battle
