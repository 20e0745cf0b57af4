"""Fighting: from what should be done this turn to the presses that do it, and everything between turns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from agent.skills.menu import select
from agent.skills.press import look_on, read_on, tap, wait
from agent.skills.skill import Movement, Outcome, Skill
from emulator import Battle, BattleResult, Button, MenuKind, Phase, State

LONGEST: Final = 6_000  # steps of one battle, far more than any needs
FIGHT, BAG, TEAM, RUN = range(
    4
)  # entries of the battle menu, by column: FIGHT over BAG, TEAM over RUN
YES = 0
EVOLVING_FRAMES: Final = 48  # of some five hundred
SWITCH: Final = 0  # first entry of what can be done with a mon of the team


@dataclass(frozen=True, slots=True)
class Attack:
    """Use the move in this slot, from 0 on."""

    slot: int


@dataclass(frozen=True, slots=True)
class Switch:
    """Send the mon in this place of the team."""

    position: int


@dataclass(frozen=True, slots=True)
class Flee:
    """Run away."""


Order: TypeAlias = Attack | Switch | Flee
Commander: TypeAlias = Callable[[State], Order]


def fight(command: Commander, state: State) -> Skill:
    """Fight to the end, asking `command` for an order whenever the battle menu waits.

    INTERRUPTED when the battle was lost.
    """
    order: Order | None = None
    answers = _Answers()
    for _ in range(LONGEST):
        battle = state.battle
        if battle is None or not state.in_battle:
            lost = state.battle_result is BattleResult.LOST
            return Outcome.INTERRUPTED if lost else Outcome.DONE
        if battle.phase is Phase.MAIN_MENU:
            order, answers = command(state), _Answers()
        if battle.phase is not Phase.YES_NO:
            answers.close()
        state = yield from _react(battle, order, command, answers, state)
    return Outcome.BLOCKED


class _Answers:
    """What to say to questions that no order is about: no at first, yes to what is asked because of that.

    Who will not forget a move for a fifth one is asked whether to do without it, and who says no to
    that as well is asked for ever. With which of the two it begins is not known, so what is asked again is
    answered otherwise.
    """

    def __init__(self) -> None:
        self._given: dict[str, bool] = {}
        self._asked = ""  # the question that is still open

    def to(self, asked: str) -> bool:
        """Return whether to say yes."""
        if asked != self._asked:
            before = list(self._given.values())[-1:]
            again = asked in self._given
            self._given[asked] = not self._given.pop(asked) if again else before == [False]
            self._asked = asked
        return self._given[asked]

    def close(self) -> None:
        """Take note that nothing is being asked."""
        self._asked = ""


def _react(
    battle: Battle,
    order: Order | None,
    command: Commander,
    answers: _Answers,
    state: State,
) -> Movement:
    match battle.phase:
        case Phase.MAIN_MENU:
            return (yield from _choose_from_battle_menu(_entry(order), state))
        case Phase.MOVE_MENU:
            return (yield from _choose_move(order or command(state), state))
        case Phase.PARTY:
            return (yield from _choose_mon(order, state))
        case Phase.PARTY_SUBMENU:
            return (yield from select(SWITCH, state))
        case Phase.NEXT_MON:
            return (yield from select(YES, state))
        case Phase.YES_NO:
            yes = answers.to(state.dialogue.text)
            return (yield from select(YES, state)) if yes else (yield read_on())
        case (
            Phase.TEXT | Phase.LEVEL_UP | Phase.CHANGE_MON
            | Phase.BAG | Phase.FORGET_MOVE | Phase.NAMING | Phase.OTHER_MENU
        ):  # fmt: skip
            return (yield read_on())  # which says no and leaves menus as well
        case Phase.INTRO | Phase.BUSY:
            return (yield look_on())
        case Phase.EVOLVING:
            return (yield wait(EVOLVING_FRAMES))


def _entry(order: Order | None) -> int:
    match order:
        case Attack() | None:
            return FIGHT
        case Switch():
            return TEAM
        case Flee():
            return RUN


def _choose_from_battle_menu(entry: int, state: State) -> Movement:
    """The menu has two columns, and its cursor changes kind with them."""
    wanted = MenuKind.BATTLE_LEFT if entry < TEAM else MenuKind.BATTLE_RIGHT
    if state.menu is not None and state.menu.kind is not wanted:
        state = yield tap(Button.LEFT if entry < TEAM else Button.RIGHT)
    if state.menu is None or state.menu.kind is not wanted:
        return state
    return (yield from select(entry, state))


def _choose_move(order: Order, state: State) -> Movement:
    if isinstance(order, Attack):
        return (yield from select(order.slot, state))
    return (yield tap(Button.B))


def _choose_mon(order: Order | None, state: State) -> Movement:
    """Send who was asked for; when somebody must be sent, the first who can stand."""
    mons = state.party.mons
    if isinstance(order, Switch) and mons[order.position].hp:
        return (yield from select(order.position, state))
    able = next((at for at, mon in enumerate(mons) if mon.hp), 0)
    return (yield from select(able, state))
