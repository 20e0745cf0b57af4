"""Red's menu behind START, which begins with the dex once there is one: skills find the team and the bag all the same."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from agent.app.plan import read_images
from agent.skills import Skill, look_at, swap, use_item
from emulator import Button, Menu, MenuKind, Party, State, read_state
from emulator.ram import Bag, Stack

IMAGES: Final = Path(__file__).resolve().parents[4] / "shared" / "red" / "wram"
POTION: Final = 20
ENTRIES: Final = {
    6: ("POKéMON", "ITEM", "RED", "SAVE", "OPTION", "EXIT"),
    7: ("POKéDEX", "POKéMON", "ITEM", "RED", "SAVE", "OPTION", "EXIT"),
}  # by wMaxMenuItem, which is one more than the number of the last

Errand: TypeAlias = Callable[[State], Skill]

pytestmark = pytest.mark.skipif(not IMAGES.is_dir(), reason="the RAM images are not here")


@pytest.fixture(scope="module")
def state() -> State:
    """A moment of Red with two mons and a potion."""
    [(_, ram)] = read_images(IMAGES / "pallet_town_walking.wram")
    read = read_state(ram, 0)
    mon = read.party[0]
    return replace(
        read,
        party=Party((mon, replace(mon, nickname="OTHER", exp=mon.exp + 1))),
        bag=Bag((Stack(POTION, 1),)),
    )


@pytest.mark.parametrize("maximum", ENTRIES)
@pytest.mark.parametrize(
    ("errand", "wanted"),
    [
        (lambda state: look_at(MenuKind.PARTY, lambda: True, state, patience=1), "POKéMON"),
        (lambda state: look_at(MenuKind.ITEMS, lambda: True, state, patience=1), "ITEM"),
        (lambda state: swap(0, 1, state), "POKéMON"),
        (lambda state: use_item(POTION, 0, state), "ITEM"),
    ],
    ids=["look at the team", "look into the bag", "swap two mons", "use a potion"],
)
def test_the_entry_wanted_is_chosen(
    errand: Errand, wanted: str, maximum: int, state: State
) -> None:
    for remembered in range(maximum):  # where the cursor was left the last time
        opened = replace(state, menu=_start_menu(remembered, maximum))
        assert ENTRIES[maximum][_chosen(errand(opened), opened)] == wanted


def _start_menu(current: int, maximum: int) -> Menu:
    return Menu(
        kind=MenuKind.START,
        top_x=11,
        top_y=2,
        current=current,
        maximum=maximum,
        watched_keys=0,
        cursor=(11, 2 + 2 * current),
        list_offset=0,
        list_count=0,
        list_menu_id=0,
    )


def _chosen(skill: Skill, state: State) -> int:
    """Carry out presses in the menu alone, and return where the cursor is when A is pressed."""
    step = next(skill)
    for _ in range(20):
        menu = state.menu
        assert menu is not None
        if step.button is Button.A:
            return menu.current
        move = {Button.DOWN: 1, Button.UP: -1}.get(step.button, 0) if step.button else 0
        state = replace(state, menu=_start_menu(menu.current + move, menu.maximum))
        step = skill.send(state)
    raise AssertionError("nothing was chosen")
