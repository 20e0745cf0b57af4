"""The turn engine as the proof plays it: steps of Showdown on many copies of a position, and whole battles."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from emulator import Dex
from emulator.dex.dex import engine_tables
from emulator.engine.turn import play_turns, send
from emulator.rules import codes
from emulator.rules.position import Tables, put_chart
from tests.proofs.showdown.positions import SIDES
from tests.proofs.showdown.steps import Step

NO_CHOICE: Final = -1
SENDS: Final = {
    (True, True): codes.BOTH_SEND,
    (True, False): codes.WE_SEND,
    (False, True): codes.THEY_SEND,
}


class Engine:
    """Plays steps on the turn engine, with the tables of a cartridge."""

    def __init__(self, dex: Dex) -> None:
        self.tables = engine_tables(dex)
        self.matchups = dex.rules.chart.matchups

    def play(self, positions: NDArray[np.void], step: Step) -> None:
        """Play a step in each position, in place."""
        self._play(positions, step, self.tables)

    def play_in_order(self, first: int, positions: NDArray[np.void], step: Step) -> None:
        """Play a step with the rows of the type chart against one type before all others."""
        tables = self.tables.copy()
        put_chart(tables, sorted(self.matchups, key=lambda each: each[1] != first))
        self._play(positions, step, tables)

    def _play(self, positions: NDArray[np.void], step: Step, tables: Tables) -> None:
        if step.send:
            self._send(positions, step, tables)
            return
        for side, choice in zip(SIDES, (step.ours, step.theirs), strict=True):
            self._hold(positions["sides"][:, side], positions["sides"][:, 1 - side], choice)
        ours, theirs = (np.full(len(positions), choice) for choice in (step.ours, step.theirs))
        play_turns(positions, ours, theirs, tables)

    @staticmethod
    def _hold(side: NDArray[np.void], other: NDArray[np.void], choice: int) -> None:
        """Select nothing for a side that was trapped when it chose, even if the other side switches in this turn."""
        held = (other["volatile"] & codes.TRAPPING > 0) & (
            side["status"] & (codes.ASLEEP | codes.FROZEN) == 0
        )
        if choice == codes.GO_ON:
            side["selected"] = np.where(held, codes.CANNOT_MOVE, side["selected"])

    @staticmethod
    def _send(positions: NDArray[np.void], step: Step, tables: Tables) -> None:
        wanted = (step.ours != NO_CHOICE, step.theirs != NO_CHOICE)
        positions["outcome"] = SENDS[wanted]
        for position in positions:
            if wanted[codes.OURS]:
                send(position, codes.OURS, step.ours - codes.SWITCH, tables)
            if wanted[codes.THEIRS]:
                send(position, codes.THEIRS, step.theirs - codes.SWITCH, tables)
