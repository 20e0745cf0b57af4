"""Field moves, used from the START menu.

RAM shows whether a move worked: the tile ahead, how the player moves, the darkness, or the map.
"""

from collections.abc import Mapping
from typing import Final

from agent.skills.menu import (
    Done,
    answer_menus,
    by_kind,
    enter,
    entry,
    leave_menus,
    open_start_menu,
    select,
)
from agent.skills.skill import Movement, Outcome, Skill, tap, until_ready, wait
from emulator import Button, Menu, MenuKind, Party, State

LANDING: Final = 60  # checks during a flight
LANDING_LOOK: Final = 16  # frames between two checks
TOWN_SETTLE: Final = 24  # frames to the next key; the town map reads none for 15 after each
CUT, FLY, SURF, STRENGTH, FLASH = 15, 19, 57, 70, 148


def first_with_move(move: int, party: Party) -> int | None:
    """Return the party position of the first mon that knows a move; on the map even a fainted mon can use it."""
    mons = enumerate(party.mons)
    return next((at for at, mon in mons if any(each.move == move for each in mon.moves)), None)


def use_field_move(move: int, state: State) -> Movement:
    """Use `move` at the player's position with the first mon that knows it, and read the text.

    All menus are closed again; if the game refuses or no mon knows the move, nothing changes.
    """
    position = first_with_move(move, state.party)
    if position is None:
        return state
    return (yield from _choose_move(move, position, state))


def fly(town: int, names: Mapping[int, str], state: State) -> Skill:
    """Fly to a town; DONE on its map, BLOCKED if no mon knows FLY or the town was not visited.

    `names` are the town names by map id, as the town map shows them one by one.
    """
    position = first_with_move(FLY, state.party)
    if position is None:
        return Outcome.BLOCKED

    state = yield from _choose_move(
        FLY, position, state, until=lambda now: _town_shown(names, now) is not None
    )
    for _ in range(2 * len(names)):
        shown = _town_shown(names, state)
        if shown is None or shown == town:
            break
        state = yield tap(Button.UP, settle=TOWN_SETTLE)
    if _town_shown(names, state) != town:
        yield from leave_menus(state)
        return Outcome.BLOCKED
    for _ in range(LANDING):
        if state.map.map_id == town and state.in_control:
            break
        shown = _town_shown(names, state) == town
        state = yield tap(Button.A, settle=TOWN_SETTLE) if shown else wait(LANDING_LOOK)
    return Outcome.DONE if state.map.map_id == town else Outcome.BLOCKED


def _town_shown(names: Mapping[int, str], state: State) -> int | None:
    """Return the town named in the first line of the town map, or None while it is closed."""
    line = state.screen_rows[0]
    return next((town for town, name in names.items() if name and name in line), None)


def _choose_move(
    move: int, position: int, state: State, *, until: Done = lambda _state: False
) -> Movement:
    """Choose a field move of the mon at `position` and read all text, or stop when `until` is true."""
    chosen = False
    answers = by_kind(
        {
            MenuKind.START: lambda state, _menu: enter(MenuKind.PARTY, state),
            MenuKind.PARTY: entry(position),
        }
    )

    def is_over(state: State) -> bool:
        """Return whether the move is over; after a refusal the party menu opens again, else menus close."""
        back = state.menu is not None and state.menu.kind in (MenuKind.PARTY, MenuKind.START)
        return until(state) or (chosen and (back or state.in_control or state.in_battle))

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal chosen
        if menu.kind is MenuKind.PARTY_FIELD and move in state.field_moves:
            state = yield from select(state.field_moves.index(move), state)
            chosen = True
            return state
        return (yield from answers(state, menu))

    state = yield from open_start_menu(state)
    state = yield from answer_menus(answer, is_over, state)
    if until(state):
        return state
    state = yield from leave_menus(state)
    return (yield from until_ready(state))
