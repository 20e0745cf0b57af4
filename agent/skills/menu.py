"""Menu skills: cursor moves, the START menu and its submenus, and the main menu at power-on.

The cursor is read from RAM and compared with the wanted entry; presses are never counted.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from agent.skills.skill import Movement, Outcome, Skill, TextPager, tap, wait
from emulator import Button, Menu, MenuKind, State

PATIENCE: Final = 40  # presses allowed for a cursor to reach its entry
LAST_WITHOUT_DEX: Final = 6  # wMaxMenuItem of the START menu while the player has no Pokedex
ENTRIES: Final = {MenuKind.PARTY: 0, MenuKind.ITEMS: 1}  # of the START menu, without the Pokedex
OPENING: Final = 16  # checks of a menu that is opening, eight frames apart
PRESSES: Final = 120  # presses allowed for one visit to menus
# Checks, eight frames apart: in control without menu or text, before the visit is over, and of an
# answered question, before it is answered again.
QUIET, ANSWERED = 4, 5
QUESTIONS: Final = (
    *(MenuKind.YES_NO, MenuKind.NO_YES, MenuKind.NURSE),
    *(MenuKind.CHANGE_MON, MenuKind.NEXT_MON),
)
LONGEST_START: Final = 3_000  # frames to the first screen with text, fifty seconds

Done: TypeAlias = Callable[[State], bool]
Answer: TypeAlias = Callable[[State, Menu], Movement]


def choose(index: int, state: State) -> Skill:
    """Choose entry `index` of the open menu; BLOCKED when the cursor does not reach it."""
    state = yield from point_at(index, state)
    if state.menu is None:
        return Outcome.INTERRUPTED
    if state.menu.index != index:
        return Outcome.BLOCKED
    yield tap(Button.A, settle=16)
    return Outcome.DONE


def select(index: int, state: State) -> Movement:
    """Choose entry `index` of the open menu if the cursor reaches it.

    A question stays open for some frames after its answer; a second press then would answer what follows.
    """
    state = yield from point_at(index, state)
    menu = state.menu
    if menu is not None and menu.index == index:
        state = yield tap(Button.A, settle=16)
        for _ in range(ANSWERED if menu.kind in QUESTIONS else 0):
            if state.menu != menu:
                break
            state = yield wait(8)
    return state


def point_at(index: int, state: State) -> Movement:
    """Move the cursor of the open menu to entry `index`, while that menu stays open."""
    kind = state.menu.kind if state.menu is not None else None
    for _ in range(PATIENCE):
        menu = state.menu
        if menu is None or menu.kind is not kind or menu.index == index:
            break
        state = yield tap(Button.DOWN if menu.index < index else Button.UP)
    return state


def set_quantity(quantity: int, state: State) -> Movement:
    """Set the quantity in the open box: UP adds one, DOWN subtracts one, and both wrap around."""
    for _ in range(PATIENCE):
        menu = state.menu
        if menu is None or menu.kind is not MenuKind.QUANTITY or menu.index == quantity:
            break
        state = yield tap(Button.UP if menu.index < quantity else Button.DOWN)
    return state


def show_menu(kind: MenuKind, seen: Callable[[], bool], state: State, *, patience: int) -> Skill:
    """Keep the START, party or bag menu open until `seen` is true, then leave all menus.

    A list is scrolled. BLOCKED when the menu does not open, or `seen` stays false for `patience` steps.
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


def leave_menus(state: State) -> Movement:
    """Press B until no menu is open."""
    for _ in range(20):
        if state.menu is None and not state.dialogue.is_open and state.in_control:
            break
        state = yield tap(Button.B, settle=16)
    return state


def open_start_menu(state: State) -> Movement:
    """Press START until its menu is open, at most five times."""
    for _ in range(5):
        if state.menu is not None:
            break
        state = yield tap(Button.START, settle=16)
        state = yield from wait_for_menu(MenuKind.START, state)
    return state


def enter(kind: MenuKind, state: State) -> Movement:
    """Choose the party or the bag in the open START menu, and wait until it is open."""
    if state.menu is None:
        return state
    entry = state.menu.maximum - LAST_WITHOUT_DEX + ENTRIES[kind]
    state = yield from select(entry, state)
    return (yield from wait_for_menu(kind, state))


def wait_for_menu(kind: MenuKind, state: State) -> Movement:
    """Wait for a menu without a press.

    Red loads letters and pictures, eight tiles a frame, before it shows the cursor. A press in that
    time counts in the menu, and B or START would close it.
    """
    for _ in range(OPENING):
        if state.menu is not None and state.menu.kind is kind:
            break
        state = yield wait(8)
    return state


def in_start_menu(answer: Answer, done: Done, state: State) -> Skill:
    """Open the START menu, answer menus until `done` is true, and leave all menus; DONE if `done` is true."""
    state = yield from open_start_menu(state)
    state = yield from answer_menus(answer, done, state)
    yield from leave_menus(state)
    return Outcome.DONE if done(state) else Outcome.BLOCKED


def answer_menus(answer: Answer, done: Done, state: State) -> Movement:
    """Answer every menu and read every text until `done` is true or nothing is open."""
    quiet, pager = 0, TextPager()
    for _ in range(PRESSES):
        if done(state) or quiet > QUIET:
            break
        if state.menu is not None:
            state = yield from answer(state, state.menu)
            quiet = 0
        elif state.dialogue.is_open:
            state = yield pager.step(state)
            quiet = 0
        else:
            state = yield wait(8)
            quiet += state.in_control or state.in_battle
    return state


def answer_and_leave(answer: Answer, done: Done, state: State) -> Movement:
    """Answer menus until `done` is true, and leave all menus."""
    state = yield from answer_menus(answer, done, state)
    return (yield from leave_menus(state))


def by_kind(answers: Mapping[MenuKind, Answer]) -> Answer:
    """Return an answer that depends on the menu kind; B leaves any other menu."""

    def answer(state: State, menu: Menu) -> Movement:
        if menu.kind in answers:
            return (yield from answers[menu.kind](state, menu))
        return (yield tap(Button.B, settle=16))

    return answer


def entry(index: int) -> Answer:
    """Return the answer that chooses one entry of a menu."""
    return lambda state, _menu: select(index, state)


def from_bag(item: int) -> dict[MenuKind, Answer]:
    """Return the answers that lead from the START menu to a bag item."""
    return {
        MenuKind.START: lambda state, _menu: enter(MenuKind.ITEMS, state),
        MenuKind.ITEMS: lambda state, _menu: select_item(item, state),
    }


def select_item(item: int, state: State) -> Movement:
    """Choose an item in the bag list, or leave the list when it is not there."""
    items = [stack.item for stack in state.bag.items]
    if item not in items:
        return (yield tap(Button.B, settle=16))
    return (yield from select(items.index(item), state))


def boot(wait_frames: int, state: State, *, presses: int = 60) -> Skill:
    """Wait `wait_frames` after the first screen with text, then press START until a menu opens.

    BLOCKED when no text appears or no menu opens.
    """
    waited = 0
    while not state.screen_text.strip():
        if waited >= LONGEST_START:
            return Outcome.BLOCKED
        state = yield wait(10)
        waited += 10
    yield wait(wait_frames)
    for _ in range(presses):
        state = yield tap(Button.START, settle=26)
        if state.menu is not None:
            return Outcome.DONE
    return Outcome.BLOCKED
