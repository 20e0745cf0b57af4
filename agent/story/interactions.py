"""How a task of a story is done: one dataclass for each key that the story file may use.

`READERS` says how each is read from the file; the comment beside a key shows what the file has there.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from agent.skills import (
    BoulderGoal,
    Destination,
    Skill,
    Terrain,
    examine,
    hear_out,
    nothing,
    push_boulders,
    spot_of,
    talk,
    travel,
)
from agent.skills.errands import (
    agree_at,
    collect,
    fetch,
    hand_in,
    leave_saying_yes,
    play_on,
    search,
    steps_to,
    vend,
)
from agent.story.places import Square
from emulator import RED, Dex, Facing, State

FULL_TEAM: Final = 6
PAID_STEPS: Final = 502  # that one visit to the Safari Zone allows


@dataclass(frozen=True, slots=True)
class InteractionContext:
    """What interactions are done with; `person` is the one of several people who was chosen."""

    terrain: Terrain
    dex: Dex
    person: Callable[[State], int]


class Interaction(ABC):
    """One way to do a task, on the map of its place."""

    __slots__ = ()

    @property
    def people(self) -> tuple[int, ...]:
        """The sprite slots that it is about, any one of them; nothing else talks to them."""
        return ()

    @abstractmethod
    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the skill that does it."""


@dataclass(frozen=True, slots=True)
class AnswerMachine(Interaction):
    """Answering yes or no to a machine on a wall."""

    square: Square
    yes: bool

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the way there and the answer."""
        hear = partial(hear_out, say_yes=self.yes)
        return examine(self.square, context.terrain, state, hear=hear)


@dataclass(frozen=True, slots=True)
class CollectPokemon(Interaction):
    """Asking for a new member of the team, and leaving for map `outside` while `event` is set."""

    person: int
    outside: int
    event: int

    @property
    def people(self) -> tuple[int, ...]:
        """The person."""
        return (self.person,)

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the talk; nothing where the team is full."""
        if len(state.party) >= FULL_TEAM:
            return nothing()
        return collect(self.person, self.outside, context.terrain, self._is_early, state)

    def _is_early(self, state: State) -> bool:
        return state.flags.is_set(self.event)


@dataclass(frozen=True, slots=True)
class ExamineSquare(Interaction):
    """Examining one square from any side."""

    square: Square

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the way there and the reading."""
        return examine(self.square, context.terrain, state, facings=tuple(Facing))


@dataclass(frozen=True, slots=True)
class FetchInTime(Interaction):
    """Taking an item where the steps left in the Safari Zone suffice, and else ending the visit."""

    slot: int
    outside: int

    @property
    def people(self) -> tuple[int, ...]:
        """The item, which is an object of the map as people are."""
        return (self.slot,)

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the way there and the grip."""
        return fetch(self.slot, self.outside, context.terrain, state)


@dataclass(frozen=True, slots=True)
class HandInFossil(Interaction):
    """Giving one fossil to one person."""

    person: int
    item: int

    @property
    def people(self) -> tuple[int, ...]:
        """The person."""
        return (self.person,)

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the way there and the gift."""
        name = context.dex.item_name(self.item)
        return hand_in(self.person, self.item, name, context.terrain, state)


@dataclass(frozen=True, slots=True)
class LeaveArea(Interaction):
    """Leaving for map `outside`, and saying yes when asked whether to leave."""

    outside: int

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the way out and the yes."""
        return leave_saying_yes(context.terrain, self.outside, state)


@dataclass(frozen=True, slots=True)
class PlayFlute(Interaction):
    """Waking a sleeping Pokemon on a square by using an item beside it."""

    item: int
    square: Square

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the way there and the tune."""
        return play_on(self.item, self.square, context.terrain, state)


@dataclass(frozen=True, slots=True)
class PushBoulders(Interaction):
    """Pushing boulders one after the other, each to its square."""

    wishes: tuple[BoulderGoal, ...]

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the work on all of them."""
        return push_boulders(self.wishes, context.terrain, state)


@dataclass(frozen=True, slots=True)
class SearchCans(Interaction):
    """Searching the trash cans of a map for two switches; `cans` are in the order of their numbers."""

    cans: tuple[Square, ...]

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the search."""
        return search(self.cans, context.terrain, state)


@dataclass(frozen=True, slots=True)
class TalkTo(Interaction):
    """Talking to one of some people, and saying yes to the first question."""

    slots: tuple[int, ...]

    @property
    def people(self) -> tuple[int, ...]:
        """All of them."""
        return self.slots

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the talk with the one who was chosen."""
        return talk(context.person(state), context.terrain, state, say_yes=True)


@dataclass(frozen=True, slots=True)
class BuyDrink(Interaction):
    """Buying one drink of a machine; the cartridge says in which row of the menu it stands."""

    item: int
    square: Square

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the way there and the purchase."""
        wares = list(context.dex.vending)
        if self.item not in wares:
            return nothing()
        return vend(self.item, wares.index(self.item), self.square, context.terrain, state)


@dataclass(frozen=True, slots=True)
class PayToEnter(Interaction):
    """Paying for a visit to the Safari Zone on one of `squares`.

    `wanted` is what the visit is for, by map and sprite slot; `arrival` is where it begins.
    """

    squares: tuple[Square, ...]
    map_id: int
    arrival: Square
    wanted: tuple[int, int]

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the walk and the yes; nothing where the steps of a visit would not suffice."""
        (x, y), (map_id, slot) = self.arrival, self.wanted
        start = spot_of(state)._replace(map_id=self.map_id, x=x, y=y)
        steps = steps_to(slot, map_id, context.terrain.world(state), start)
        if steps is None or steps >= PAID_STEPS:
            return nothing()
        return agree_at(self.squares, context.terrain, state)


@dataclass(frozen=True, slots=True)
class WalkTo(Interaction):
    """Walking to the nearest of some squares, where something happens."""

    squares: tuple[Square, ...]

    def begin(self, context: InteractionContext, state: State) -> Skill:
        """Return the walk."""
        there = Destination(state.map.map_id, frozenset(self.squares))
        return travel(context.terrain, there, state)


def _square(at: list[int]) -> Square:
    x, y = at
    return x, y


def _squares(rows: list[list[int]]) -> tuple[Square, ...]:
    return tuple(map(_square, rows))


def _visit(row: Mapping[str, Any]) -> PayToEnter:
    wanted = row["fetch"]["map"], row["fetch"]["person"]
    return PayToEnter(_squares(row["ask_at"]), row["map"], _square(row["arrive"]), wanted)


Reader: TypeAlias = Callable[[Any], Interaction]

READERS: Final[Mapping[str, Reader]] = {
    "answer": lambda row: AnswerMachine(_square(row["at"]), row["yes"]),  # at = [x, y], yes = true
    "collect": lambda row: CollectPokemon(  # person = slot, outside = map, while = event
        row["person"], row["outside"], RED.events[row["while"]]
    ),
    "examine": lambda at: ExamineSquare(_square(at)),  # [x, y]
    "fetch": lambda row: FetchInTime(row["person"], row["outside"]),  # person = slot, outside = map
    "hand_in": lambda row: HandInFossil(row["person"], row["item"]),  # person = slot, item = number
    "leave": LeaveArea,  # a map
    "play_on": lambda row: PlayFlute(row["item"], _square(row["at"])),  # item = number, at = [x, y]
    "push": lambda rows: PushBoulders(  # [[slot, [x, y]], ...]
        tuple(BoulderGoal(slot, _square(at)) for slot, at in rows)
    ),
    "search": lambda rows: SearchCans(_squares(rows)),  # [[x, y], ...]
    "talk_to": lambda slots: TalkTo(tuple(slots)),  # [slots], of which any one will do
    "vend": lambda row: BuyDrink(row["item"], _square(row["at"])),  # item = number, at = [x, y]
    # ask_at = [[x, y], ...], map = id, arrive = [x, y], fetch = { map = id, person = slot }
    "visit": _visit,
    "walk_to": lambda rows: WalkTo(_squares(rows)),  # [[x, y], ...], of which the nearest will do
}
