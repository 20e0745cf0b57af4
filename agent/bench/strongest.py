"""The policy that battles are measured against: the highest power times accuracy, whatever it meets."""

from dataclasses import dataclass

from agent.skills import Attack, Order, Tried, first_able, usable_slots
from emulator import Dex, State


@dataclass(frozen=True, slots=True)
class Strongest:
    """A commander that never prepares, changes, runs or learns."""

    dex: Dex

    def order(self, state: State, _tried: Tried) -> Order:
        """Return the attack with the highest power times accuracy."""
        own = state.battle.own if state.battle is not None else None
        if own is None:
            return Attack(0)
        slots = usable_slots(own) or (0,)
        return Attack(max(slots, key=lambda slot: self._force(own.moves[slot].move)))

    def next_mon(self, state: State) -> int:
        """Return the first that can stand."""
        return first_able(state)

    def fights_on(self, _state: State) -> bool:
        """Never run."""
        return True

    def change(self, _state: State) -> int | None:
        """Never change."""
        return None

    def forget(self, _state: State) -> int | None:
        """Never learn a fifth move."""
        return None

    def _force(self, number: int) -> int:
        move = self.dex.all_moves.get(number)
        return move.power * move.accuracy if move is not None else -1
