"""Teaching a move by a machine of the bag."""

from agent.skills.behind_start import behind_start, select_item
from agent.skills.look import enter
from agent.skills.menu import select
from agent.skills.press import tap
from agent.skills.skill import Movement, Outcome, Skill
from emulator import Button, Menu, MenuKind, State

USE, YES = 0, 0
TRIES = 2  # at whom to teach it: who is not able to learn it is refused again and again


def teach(item: int, position: int, state: State, *, forget: int = 0) -> Skill:
    """Teach what the machine `item` holds to the mon in this place of the team; DONE when it knows another move.

    Where four are known, the one in slot `forget` is given up for it.
    """
    if position >= len(state.party):
        yield from ()
        return Outcome.BLOCKED
    before = _moves(position, state)
    tries = TRIES

    def is_learned(state: State) -> bool:
        return _moves(position, state) != before

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal tries
        match menu.kind:
            case MenuKind.START:
                return (yield from enter(MenuKind.ITEMS, state))
            case MenuKind.ITEMS if tries:
                return (yield from select_item(item, state))
            case MenuKind.USE_TOSS:
                return (yield from select(USE, state))
            case MenuKind.YES_NO:  # whether to teach it, and whether to forget another for it
                return (yield from select(YES, state))
            case MenuKind.PARTY if tries:
                tries -= 1
                return (yield from select(position, state))
            case MenuKind.MOVES_TO_FORGET:
                return (yield from select(forget, state))
            case _:
                return (yield tap(Button.B, settle=16))

    return (yield from behind_start(answer, is_learned, state))


def _moves(position: int, state: State) -> tuple[int, ...]:
    return tuple([each.move for each in state.party[position].moves])
