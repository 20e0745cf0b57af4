"""Story facts, and how RAM shows them."""

from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple

from agent.planning.domain import Effect, Require
from emulator import State, symbol
from emulator.ram import SCRIPTS, Flags

STEPS: Final = 0x100  # of the script of a map: one byte
NOT_YET: Final = "clear:"  # instead of `event:`, for an event that has not happened or was undone


class FactKind(Enum):
    """The kind of a story fact; a fact's name is the kind, a colon, and a name of that kind."""

    EVENT = "event"  # has happened
    BADGE = "badge"  # has been earned
    ITEM = "item"  # is carried
    MOVE = "move"  # is known by a member of the team
    STATUS = "status"  # a bit of wStatusFlags1 is set
    GONE = "gone"  # a person or an item is gone from its map: a bit of wToggleableObjectFlags
    MONEY = "money"  # the player has at least this much
    MON = "mon"  # a member of the team is of this species
    OWNED = "owned"  # at least this many species were ever owned
    SCRIPT = "script"  # the script of a map has come to a step
    FAME = "fame"  # at least this many teams have entered the Hall of Fame


class RamFact(NamedTuple):
    """How RAM shows a fact: its kind, and the number of the event, badge, item, move, bit or script, or the amount."""

    kind: FactKind
    number: int

    def shown_by(self, state: State) -> bool:
        """Return whether the state shows it."""
        match self.kind:
            case (
                FactKind.EVENT
                | FactKind.SCRIPT
                | FactKind.STATUS
                | FactKind.GONE
                | FactKind.OWNED
                | FactKind.FAME
            ):
                return self._shown_by_flags(state.flags)
            case FactKind.BADGE:
                return self.number in state.player.badges
            case FactKind.ITEM:
                return state.bag.quantity(self.number) > 0
            case FactKind.MOVE:
                known = (slot.move for mon in state.party.mons for slot in mon.moves)
                return self.number in known
            case FactKind.MONEY:
                return state.player.money >= self.number
            case FactKind.MON:
                return any(mon.species == self.number for mon in state.party.mons)

    def _shown_by_flags(self, flags: Flags) -> bool:
        match self.kind:
            case FactKind.SCRIPT:
                at, step = divmod(self.number, STEPS)
                return flags.scripts[at] >= step
            case FactKind.STATUS:
                return bool(flags.status_1 >> self.number & 1)
            case FactKind.GONE:
                return bool(flags.hidden[self.number >> 3] >> (self.number & 7) & 1)
            case FactKind.OWNED:
                return flags.species_owned >= self.number
            case FactKind.FAME:
                return flags.teams_of_fame >= self.number
            case _:
                return flags.is_set(self.number)


def script_number(at: str, step: int) -> int:
    """Return the number of the fact that the script whose step is the byte `at` has come to `step`."""
    return (symbol(at) - SCRIPTS) * STEPS + step


def parse_fact(fact: str) -> tuple[str, bool]:
    """Return the fact that a name in a story file means, and whether it must be true."""
    if fact.startswith(NOT_YET):
        return f"{FactKind.EVENT.value}:{fact.removeprefix(NOT_YET)}", False
    return fact, True


def required(fact: str) -> Require:
    """Return the condition that a name in a story file means."""
    name, so = parse_fact(fact)
    return Require(name, at_least=1) if so else Require(name, at_most=0)


def outcome(gives: Iterable[str], takes: Iterable[str] = ()) -> tuple[Effect, ...]:
    """Return the effects of making the names in `gives` true, and those in `takes` untrue."""
    values = dict(map(parse_fact, gives))
    values |= {name: not so for name, so in map(parse_fact, takes)}
    return tuple(Effect(name, int(value)) for name, value in values.items())
