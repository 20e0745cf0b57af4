"""Orders of a battle, what the game would refuse, and the port of the policy that gives them."""

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from emulator import Battle, BattleMon, State
from emulator.ram.battle import BattleType

MASTER_BALL, ULTRA_BALL, GREAT_BALL, POKE_BALL = 1, 2, 3, 4
SAFARI_BALL: Final = 8  # which the bag does not hold: RAM counts them elsewhere
BALLS: Final = (POKE_BALL, GREAT_BALL, ULTRA_BALL, MASTER_BALL)  # the cheapest first


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


@dataclass(frozen=True, slots=True)
class UseItem:
    """Use an item of the bag, on the mon in this place of the team when it needs one."""

    item: int
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Throw:
    """Throw a ball."""

    ball: int


Order: TypeAlias = Attack | Switch | Flee | UseItem | Throw


@dataclass(frozen=True, slots=True)
class TriedOrders:
    """What was tried so far: what the game refused in this turn, and in this battle balls that flew and moves used."""

    refused: frozenset[Order] = frozenset()
    balls: int = 0
    used: frozenset[int] = frozenset()


class Commander(Protocol):
    """What answers the questions of a battle."""

    def order(self, state: State, tried: TriedOrders) -> Order:
        """Return what to do this turn."""

    def next_mon(self, state: State) -> int:
        """Return the place of the mon to send when one has to be sent."""

    def fights_on(self, state: State) -> bool:
        """Return whether to send another mon against something wild, and not to run."""

    def change(self, state: State) -> int | None:
        """Return the place of the mon to change to before the trainer's next, or None."""

    def forget(self, state: State) -> int | None:
        """Return the slot of the move to forget for the one that is offered, or None to do without."""


def is_lawful(order: Order, state: State) -> bool:
    """Return whether the game would carry out `order` in a turn that begins with `state`."""
    battle = state.battle
    if battle is not None and battle.type is BattleType.SAFARI:
        return order == Flee() or (order == Throw(SAFARI_BALL) and state.safari.balls > 0)
    if battle is None or battle.own is None:
        return False
    match order:
        case Attack(slot):
            return slot in (usable_slots(battle.own) or (0,))  # the game has a move without PP
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
    """Return an attack that is lawful; without PP the game itself knows what to do."""
    slots = usable_slots(battle.own) if battle.own is not None else ()
    return Attack(slots[0] if slots else 0)


def fallback_order(battle: Battle) -> Order:
    """Return what is always lawful: an attack, and in the Safari to run."""
    return Flee() if battle.type is BattleType.SAFARI else any_attack(battle)


def first_able(state: State) -> int:
    """Return the place of the first mon that can stand."""
    return next((at for at, mon in enumerate(state.party.mons) if mon.hp), 0)
