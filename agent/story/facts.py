"""Facts of a story, and where RAM shows them."""

from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple

from agent.planning.domain import Effect, Require
from emulator import State

NOT_YET: Final = "clear:"  # instead of `event:`, that it has not happened, or was taken back


class FactKind(Enum):
    """What a fact of the story is about; its name is the kind, a colon, and a name of that kind."""

    EVENT = "event"  # has happened
    BADGE = "badge"  # has been earned
    ITEM = "item"  # is carried
    MOVE = "move"  # is known by a member of the team
    STATUS = "status"  # a bit of wStatusFlags1 is set
    GONE = "gone"  # a person or an item is gone from its map: a bit of wToggleableObjectFlags
    MONEY = "money"  # as much is in the purse
    MON = "mon"  # a member of the team is of this species
    OWNED = "owned"  # as many species were ever owned


class RamFact(NamedTuple):
    """Where RAM shows a fact: the number of the event, badge, item, move or bit, how much money or how many."""

    kind: FactKind
    number: int

    def shown_by(self, state: State) -> bool:
        """Say whether it is so."""
        match self.kind:
            case FactKind.EVENT:
                return state.flags.is_set(self.number)
            case FactKind.BADGE:
                return self.number in state.player.badges
            case FactKind.ITEM:
                return state.bag.quantity(self.number) > 0
            case FactKind.MOVE:
                known = (slot.move for mon in state.party.mons for slot in mon.moves)
                return self.number in known
            case FactKind.STATUS:
                return bool(state.flags.status_1 >> self.number & 1)
            case FactKind.GONE:
                return bool(state.flags.hidden[self.number >> 3] >> (self.number & 7) & 1)
            case FactKind.MONEY:
                return state.player.money >= self.number
            case FactKind.MON:
                return any(mon.species == self.number for mon in state.party.mons)
            case FactKind.OWNED:
                return state.flags.species_owned >= self.number


def told(fact: str) -> tuple[str, bool]:
    """Return the fact of which a story file speaks, and whether it says that it is so."""
    if fact.startswith(NOT_YET):
        return f"{FactKind.EVENT.value}:{fact.removeprefix(NOT_YET)}", False
    return fact, True


def required(fact: str) -> Require:
    """Return the condition that it is as a story file says."""
    name, so = told(fact)
    return Require(name, at_least=1) if so else Require(name, at_most=0)


def outcome(gives: Iterable[str], takes: Iterable[str] = ()) -> tuple[Effect, ...]:
    """Return the effects of making it so as a story file says, and not so."""
    values = dict(map(told, gives))
    values |= {name: not so for name, so in map(told, takes)}
    return tuple(Effect(name, int(value)) for name, value in values.items())
