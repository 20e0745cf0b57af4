"""What a story's facts are about, and where RAM shows them."""

from enum import Enum
from typing import Final, NamedTuple

from emulator import State


class Kind(Enum):
    """What a fact of the story is about; its name is the kind, a colon, and a name of that kind."""

    EVENT = "event"  # has happened
    CLEAR = "clear"  # an event that has not happened, or was taken back
    BADGE = "badge"  # has been earned
    ITEM = "item"  # is carried
    MOVE = "move"  # is known by somebody of the team
    STATUS = "status"  # a bit of wStatusFlags1 is set
    GONE = "gone"  # somebody or something of the world is there no longer: a bit of wToggleableObjectFlags
    MONEY = "money"  # as much is in the purse


OPPOSITES: Final = {Kind.EVENT.value: Kind.CLEAR.value, Kind.CLEAR.value: Kind.EVENT.value}


class Mark(NamedTuple):
    """Where RAM shows a fact: the number of the event, badge, item, move or bit, or how much money."""

    kind: Kind
    number: int

    def shown_by(self, state: State) -> bool:
        """Say whether it is so."""
        match self.kind:
            case Kind.EVENT:
                return state.flags.is_set(self.number)
            case Kind.CLEAR:
                return not state.flags.is_set(self.number)
            case Kind.BADGE:
                return self.number in state.player.badges
            case Kind.ITEM:
                return state.bag.quantity(self.number) > 0
            case Kind.MOVE:
                known = (slot.move for mon in state.party.mons for slot in mon.moves)
                return self.number in known
            case Kind.STATUS:
                return bool(state.flags.status_1 >> self.number & 1)
            case Kind.GONE:
                return bool(state.flags.hidden[self.number >> 3] >> (self.number & 7) & 1)
            case Kind.MONEY:
                return state.player.money >= self.number


def opposite(fact: str) -> str | None:
    """Return the fact that is untrue where `fact` is true, if the two are told apart."""
    kind, _, name = fact.partition(":")
    return f"{OPPOSITES[kind]}:{name}" if kind in OPPOSITES else None
