"""Opening the list of the team, to have it seen."""

from collections.abc import Callable

from agent.skills.menu import select
from agent.skills.press import tap, wait
from agent.skills.skill import Movement, Outcome, Skill
from emulator import Button, MenuKind, State

LAST_WITHOUT_DEX = 6  # wMaxMenuItem of the START menu before there is a dex, which comes first


def look_at_team(seen: Callable[[], bool], state: State, *, patience: int) -> Skill:
    """Open the list of the team and keep it open until `seen` says so, then leave all menus."""
    state = yield from _open_start_menu(state)
    if state.menu is None or state.menu.kind is not MenuKind.START:
        return Outcome.BLOCKED
    state = yield from select(state.menu.maximum - LAST_WITHOUT_DEX, state)
    for _ in range(patience):
        if seen():
            break
        state = yield wait(10)
    yield from leave_menus(state)
    return Outcome.DONE if seen() else Outcome.BLOCKED


def leave_menus(state: State, *, presses: int = 20) -> Movement:
    """Press B until no menu is open."""
    for _ in range(presses):
        if state.menu is None and not state.dialogue.is_open and state.in_control:
            break
        state = yield tap(Button.B, settle=16)
    return state


def _open_start_menu(state: State) -> Movement:
    for _ in range(5):
        if state.menu is not None:
            break
        state = yield tap(Button.START, settle=16)
    return state
