"""The nurse: what of the team is whole again after her."""

from __future__ import annotations

from typing import Final

from agent.verify.fact import Fact, Notebook
from agent.verify.facts.watcher import Onlooker
from emulator import Button, Dex, MenuKind, Ram, State
from emulator.profile import symbol
from emulator.ram.menu import read_menu

HP: Final = Fact(
    "healing.hp",
    "The nurse restores all HP of the team and cures what ails it.",
    "engine.md 6: Pokemon Center",
)
PP: Final = Fact(
    "healing.pp",
    "The nurse restores all PP of the team.",
    "engine.md 6: Pokemon Center",
)
HOME: Final = Fact(
    "healing.home",
    "Who was healed would wake up in that town: wLastBlackoutMap is the last map outdoors.",
    "engine.md 6: Pokemon Center",
)

BLACKOUT_MAP: Final = symbol("wLastBlackoutMap")
LAST_MAP: Final = symbol("wLastMap")
TOP_X: Final = symbol("wTopMenuItemX")
NURSE_X: Final = 12
WHOLE: Final = (0, False, False, False, False)
MOST_UP: Final = 7


class Healing(Onlooker):
    """Remembers that HEAL was chosen, and looks at the team when the player is free again."""

    facts = (HP, PP, HOME)

    def __init__(self, notebook: Notebook, dex: Dex) -> None:
        super().__init__(notebook)
        self._dex = dex
        self._asked = False

    def begin_anew(self) -> None:
        """Let nobody have been asked."""
        self._asked = False

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """See whether A chooses HEAL."""
        if button is not Button.A or now.byte(TOP_X) != NURSE_X:
            return
        menu = read_menu(before)
        if menu is not None and menu.kind is MenuKind.NURSE:
            self._asked = menu.current == 0

    def moment(self, state: State) -> None:
        """Look at the team."""
        if not self._asked or not state.in_control:
            return
        self._asked = False
        for fact, seen in ((HP, _hurt(state)), (PP, self._spent(state)), (HOME, _home(state))):
            self.notebook.judge(fact, seen, state.ram, state.frame)

    def _spent(self, state: State) -> str | None:
        for mon in state.party.mons:
            for move in mon.moves:
                known = self._dex.all_moves.get(move.move)
                base = known.pp if known is not None else move.pp
                most = base + move.pp_ups * min(base // 5, MOST_UP)
                if move.pp != most:
                    return f"move {move.move} with {move.pp} of {most} PP"
        return None


def _hurt(state: State) -> str | None:
    for mon in state.party.mons:
        if mon.hp != mon.stats.hp or tuple(mon.status) != WHOLE:
            return f"{mon.hp} of {mon.stats.hp} HP, status {tuple(mon.status)}"
    return None


def _home(state: State) -> str | None:
    home, last = state.ram.byte(BLACKOUT_MAP), state.ram.byte(LAST_MAP)
    return None if home == last else f"wLastBlackoutMap is {home}, wLastMap is {last}"
