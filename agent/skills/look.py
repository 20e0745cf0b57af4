"""Opening a menu behind START, to have it seen."""

from collections.abc import Callable
from typing import Final

from agent.skills.menu import select
from agent.skills.press import tap, wait
from agent.skills.skill import Movement, Outcome, Skill
from emulator import Button, MenuKind, State

LAST_WITHOUT_DEX: Final = 6  # wMaxMenuItem of the START menu before it begins with a dex
ENTRIES: Final = {MenuKind.PARTY: 0, MenuKind.ITEMS: 1}  # of the START menu, the dex not counted
OPENING: Final = 16  # looks at a menu that is about to open, eight frames apart


def look_at(kind: MenuKind, seen: Callable[[], bool], state: State, *, patience: int) -> Skill:
    """Keep a menu open until `seen` says so, then leave all menus: START's own, the team's or the bag's.

    A list is scrolled through. BLOCKED when it does not open, or shows nothing for `patience` ticks.
    """
    state = yield from open_start_menu(state)
    if state.menu is None or state.menu.kind is not MenuKind.START:
        return Outcome.BLOCKED
    if kind in ENTRIES:
        state = yield from enter(kind, state)
    for _ in range(patience):
        if seen():
            break
        more = state.menu is not None and state.menu.index < state.menu.list_count
        state = yield tap(Button.DOWN) if kind is MenuKind.ITEMS and more else wait(10)
    yield from leave_menus(state)
    return Outcome.DONE if seen() else Outcome.BLOCKED


def leave_menus(state: State, *, presses: int = 20) -> Movement:
    """Press B until no menu is open."""
    for _ in range(presses):
        if state.menu is None and not state.dialogue.is_open and state.in_control:
            break
        state = yield tap(Button.B, settle=16)
    return state


def open_start_menu(state: State) -> Movement:
    """Press START until its menu is open, as far as it opens."""
    for _ in range(5):
        if state.menu is not None:
            break
        state = yield tap(Button.START, settle=16)
        state = yield from until_open(MenuKind.START, state)
    return state


def enter(kind: MenuKind, state: State) -> Movement:
    """Choose the team's menu or the bag's from START's, which is open, and wait for it."""
    if state.menu is None:
        return state
    entry = state.menu.maximum - LAST_WITHOUT_DEX + ENTRIES[kind]
    state = yield from select(entry, state)
    return (yield from until_open(kind, state))


def until_open(kind: MenuKind, state: State) -> Movement:
    """Wait for a menu without a press.

    Red loads its letters and pictures, eight tiles a frame, before the cursor shows: whatever is pressed
    meanwhile counts in the menu, and B or START would close it.
    """
    for _ in range(OPENING):
        if state.menu is not None and state.menu.kind is kind:
            break
        state = yield wait(8)
    return state
