"""Moves that are used outside of battles: who of the team knows one uses it from the menu behind START.

Whether it did anything is for RAM to tell: a tile ahead, how the player gets along, the light, the map.
"""

from agent.skills.behind_start import work
from agent.skills.look import enter, leave_menus, open_start_menu
from agent.skills.menu import select
from agent.skills.press import tap, until_ready
from agent.skills.skill import Movement
from emulator import Button, Menu, MenuKind, Party, State

CUT, FLY, SURF, STRENGTH, FLASH = 15, 19, 57, 70, 148


def who_knows(move: int, party: Party) -> int | None:
    """Return the place of the first of the team who knows a move; even the fainted use it outside of battles."""
    knows = (
        at for at, mon in enumerate(party.mons) if any(each.move == move for each in mon.moves)
    )
    return next(knows, None)


def use_field_move(move: int, state: State) -> Movement:
    """Have whoever of the team knows `move` use it where the player stands, and read what is said of it.

    All menus are left again, whatever came of it: a refusal, or nobody who knows the move, changes nothing else.
    """
    position = who_knows(move, state.party)
    if position is None:
        return state
    return (yield from _choose_move(move, position, state))


def _choose_move(move: int, position: int, state: State) -> Movement:
    chosen = False

    def is_over(state: State) -> bool:
        """The list of the team comes back after a refusal; otherwise the menus close."""
        back = state.menu is not None and state.menu.kind in (MenuKind.PARTY, MenuKind.START)
        return chosen and (back or state.in_control or state.in_battle)

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal chosen
        match menu.kind:
            case MenuKind.START:
                return (yield from enter(MenuKind.PARTY, state))
            case MenuKind.PARTY:
                return (yield from select(position, state))
            case MenuKind.PARTY_FIELD if move in state.field_moves:
                state = yield from select(state.field_moves.index(move), state)
                chosen = True
                return state
            case _:
                return (yield tap(Button.B, settle=16))

    state = yield from open_start_menu(state)
    state = yield from work(answer, is_over, state)
    state = yield from leave_menus(state)
    return (yield from until_ready(state))
