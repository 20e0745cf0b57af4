"""Battle orders, the check whether the game allows one, and the port of the policy that gives them."""

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from emulator import Battle, BattleMon, State
from emulator.ram import BattleType

MASTER_BALL, ULTRA_BALL, GREAT_BALL, POKE_BALL = 1, 2, 3, 4
SAFARI_BALL: Final = 8  # not in the bag: RAM counts them elsewhere
BALLS: Final = (POKE_BALL, GREAT_BALL, ULTRA_BALL, MASTER_BALL)  # cheapest first


@dataclass(frozen=True, slots=True)
class Attack:
    """Use the move in this slot, counted from 0."""

    slot: int


@dataclass(frozen=True, slots=True)
class Switch:
    """Send the mon at this party position."""

    position: int


@dataclass(frozen=True, slots=True)
class Flee:
    """Run away."""


@dataclass(frozen=True, slots=True)
class UseItem:
    """Use a bag item, on the mon at this party position if the item needs one."""

    item: int
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Throw:
    """Throw a ball."""

    ball: int


Order: TypeAlias = Attack | Switch | Flee | UseItem | Throw


@dataclass(frozen=True, slots=True)
class TriedOrders:
    """The orders refused in this turn, and the balls thrown and moves used in this battle."""

    refused: frozenset[Order] = frozenset()
    balls: int = 0
    used: frozenset[int] = frozenset()


class Commander(Protocol):
    """The port that gives battle orders and answers battle questions."""

    def order(self, state: State, tried: TriedOrders) -> Order:
        """Return the order for this turn."""

    def next_mon(self, state: State) -> int:
        """Return the party position of the mon to send after one has fainted."""

    def fights_on(self, state: State) -> bool:
        """Return whether to send another mon against a wild Pokemon instead of running."""

    def change(self, state: State) -> int | None:
        """Return the party position to switch to before the trainer's next mon, or None."""

    def forget(self, state: State) -> int | None:
        """Return the slot of the move to forget for the offered one, or None to refuse it."""


def is_allowed(order: Order, state: State) -> bool:
    """Return whether the game would carry out `order` in a turn that begins with `state`."""
    battle = state.battle
    if battle is not None and battle.type is BattleType.SAFARI:
        return order == Flee() or (order == Throw(SAFARI_BALL) and state.safari.balls > 0)
    if battle is None or battle.own is None:
        return False
    match order:
        case Attack(slot):
            return slot in (usable_slots(battle.own) or (0,))  # without PP the game uses STRUGGLE
        case Switch(position):
            able = position < len(state.party) and not state.party[position].fainted
            return able and position != battle.own.position
        case Flee():
            return battle.is_wild
        case Throw(ball):
            return ball in BALLS and battle.is_wild and state.bag.quantity(ball) > 0
        case UseItem(item, position):
            fits = position is None or position < len(state.party)
            return fits and item not in BALLS and state.bag.quantity(item) > 0


def usable_slots(own: BattleMon) -> tuple[int, ...]:
    """Return the slots of the moves that have PP and are not disabled."""
    slots = enumerate(own.moves)
    return tuple([slot for slot, known in slots if known.pp and slot != own.disabled])


def any_attack(battle: Battle) -> Attack:
    """Return an allowed attack; without PP the game chooses STRUGGLE itself."""
    slots = usable_slots(battle.own) if battle.own is not None else ()
    return Attack(slots[0] if slots else 0)


def fallback_order(battle: Battle) -> Order:
    """Return an order that is always allowed: an attack, or running in the Safari Zone."""
    return Flee() if battle.type is BattleType.SAFARI else any_attack(battle)


def first_able(state: State) -> int:
    """Return the party position of the first mon that has HP."""
    return next((at for at, mon in enumerate(state.party.mons) if mon.hp), 0)
