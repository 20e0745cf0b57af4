"""Who answers what a battle asks, by the policy and what the rest of the agent wishes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from agent.capabilities.tactics import policy
from agent.capabilities.tactics.learning import offered, slot_to_forget
from agent.capabilities.tactics.wishes import Wishes
from agent.skills import Order, Tried
from emulator import Dex, State

Wishing: TypeAlias = Callable[[State], Wishes]


def plain_wishes(_state: State) -> Wishes:
    """Wish for nothing but experience."""
    return Wishes()


def unheard(_state: State) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Tactics:
    """A commander that keeps nothing: the same state is always answered alike.

    `swayed` hears of each turn in which a sequence that won before decides between moves as good.
    """

    dex: Dex
    wishing: Wishing = plain_wishes
    swayed: Callable[[State], None] = unheard

    def order(self, state: State, tried: Tried) -> Order:
        """Return what to do this turn."""
        found = policy.choice(self.dex, state, self.wishing(state), tried)
        if found.swayed:
            self.swayed(state)
        return found.order

    def next_mon(self, state: State) -> int:
        """Return the place of the mon to send when one has to be sent."""
        return policy.next_mon(self.dex, state, self.wishing(state))

    def fights_on(self, state: State) -> bool:
        """Return whether to send another mon against something wild, and not to run."""
        return policy.fights_on(self.dex, state, self.wishing(state))

    def change(self, state: State) -> int | None:
        """Return the place of the mon to change to before the trainer's next, or None."""
        return policy.change(self.dex, state, self.wishing(state))

    def forget(self, state: State) -> int | None:
        """Return the slot of the move to forget for the one that is offered, or None to do without."""
        offer = offered(self.dex, state)
        if offer is None:
            return None
        return slot_to_forget(self.dex, state.party[offer.position], offer.move)
