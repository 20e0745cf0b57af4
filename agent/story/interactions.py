"""How a task of a story is done: one dataclass for each key that the story file may use.

`READERS` says how each is read from the file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, TypeAlias

from agent.skills import (
    BoulderGoal,
    Destination,
    Skill,
    Terrain,
    agree_at,
    collect,
    examine,
    fetch,
    hand_in,
    hear_out,
    leave_saying_yes,
    nothing,
    play_on,
    push_boulders,
    search,
    steps_to,
    talk,
    travel,
    vend,
)
from agent.skills.route import spot_of
from emulator import RED, Dex, Facing, State

LISTENING: Final = frozenset({"busy", "text", "stray_menu"})  # reflexes that a talk does without


@dataclass(frozen=True, slots=True)
class InteractionContext:
    """What feats are done with; `person` tells which of several people was chosen, at a moment."""

    terrain: Terrain
    dex: Dex
    person: Callable[[State], int]


class Interaction(Protocol):
    """One way to do a task, on the map of its place."""

    @property
    def masters(self) -> frozenset[str]:
        """The reflexes that watch for what the skill handles itself."""

    @property
    def people(self) -> tuple[int, ...]:
        """The sprite slots of whom it is about, any one of them; nobody else asks them."""

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the skill that does it."""


ANSWER: Final = "answer"


@dataclass(frozen=True, slots=True)
class AnswerMachine:
    """The right answer to one machine."""

    square: tuple[int, int]
    yes: bool
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the way there and the answer."""
        hear = partial(hear_out, say_yes=self.yes)
        return examine(self.square, tools.terrain, state, hear=hear)


def read_answer(answer: Mapping[str, Any]) -> AnswerMachine:
    """Return what the story file says."""
    x, y = answer["at"]
    return AnswerMachine((x, y), answer["yes"])


COLLECT: Final = "collect"
FULL_TEAM: Final = 6


@dataclass(frozen=True, slots=True)
class CollectPokemon:
    """Asking for somebody new of the team, and going out and in again as long as `event` says that it is not time yet."""

    person: int
    outside: int
    event: int
    masters: frozenset[str] = LISTENING

    @property
    def people(self) -> tuple[int, ...]:
        """The person."""
        return (self.person,)

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the talk; nothing where the team has no room for anybody."""
        if len(state.party) >= FULL_TEAM:
            return nothing()
        return collect(self.person, self.outside, tools.terrain, self._is_early, state)

    def _is_early(self, state: State) -> bool:
        return state.flags.is_set(self.event)


def read_collect(errand: Mapping[str, Any]) -> CollectPokemon:
    """Return what the story file says."""
    return CollectPokemon(errand["person"], errand["outside"], RED.events[errand["while"]])


EXAMINE: Final = "examine"


@dataclass(frozen=True, slots=True)
class ExamineSquare:
    """Examining one square."""

    square: tuple[int, int]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the way there and the reading."""
        return examine(self.square, tools.terrain, state, facings=tuple(Facing))


def read_examine(square: tuple[int, int]) -> ExamineSquare:
    """Return what the story file says."""
    x, y = square
    return ExamineSquare((x, y))


FETCH: Final = "fetch"


@dataclass(frozen=True, slots=True)
class FetchInTime:
    """Taking one thing where the steps that are left suffice, and else giving up this visit."""

    slot: int
    outside: int
    masters: frozenset[str] = LISTENING

    @property
    def people(self) -> tuple[int, ...]:
        """What lies there is an object of the map as people are."""
        return (self.slot,)

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the way there and the grip."""
        return fetch(self.slot, self.outside, tools.terrain, state)


def read_fetch(thing: Mapping[str, Any]) -> FetchInTime:
    """Return what the story file says."""
    return FetchInTime(thing["person"], thing["outside"])


HAND_IN: Final = "hand_in"


@dataclass(frozen=True, slots=True)
class HandInFossil:
    """Giving one thing to one person."""

    person: int
    item: int
    masters: frozenset[str] = LISTENING

    @property
    def people(self) -> tuple[int, ...]:
        """The person."""
        return (self.person,)

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the way there and the gift."""
        name = tools.dex.item_name(self.item)
        return hand_in(self.person, self.item, name, tools.terrain, state)


def read_hand_in(gift: Mapping[str, Any]) -> HandInFossil:
    """Return what the story file says."""
    return HandInFossil(gift["person"], gift["item"])


LEAVE: Final = "leave"


@dataclass(frozen=True, slots=True)
class LeaveArea:
    """Walking out and saying yes."""

    outside: int
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the way out and the yes."""
        return leave_saying_yes(tools.terrain, self.outside, state)


def read_leave(outside: int) -> LeaveArea:
    """Return what the story file says."""
    return LeaveArea(outside)


PLAY_ON: Final = "play_on"


@dataclass(frozen=True, slots=True)
class PlayFlute:
    """Waking who sleeps on a square."""

    item: int
    square: tuple[int, int]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the way there and the tune."""
        return play_on(self.item, self.square, tools.terrain, state)


def read_play_on(tune: Mapping[str, Any]) -> PlayFlute:
    """Return what the story file says."""
    x, y = tune["at"]
    return PlayFlute(tune["item"], (x, y))


PUSH: Final = "push"


@dataclass(frozen=True, slots=True)
class PushBoulders:
    """Pushing some boulders."""

    wishes: tuple[BoulderGoal, ...]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the work on all of them."""
        return push_boulders(self.wishes, tools.terrain, state)


def read_push(rows: list[tuple[int, tuple[int, int]]]) -> PushBoulders:
    """Return what the story file says."""
    return PushBoulders(tuple(BoulderGoal(slot, (x, y)) for slot, (x, y) in rows))


SEARCH: Final = "search"


@dataclass(frozen=True, slots=True)
class SearchCans:
    """Searching the cans of a map."""

    cans: tuple[tuple[int, int], ...]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the search."""
        return search(self.cans, tools.terrain, state)


def read_search(cans: list[tuple[int, int]]) -> SearchCans:
    """Return what the story file says."""
    return SearchCans(tuple((x, y) for x, y in cans))


TALK_TO: Final = "talk_to"


@dataclass(frozen=True, slots=True)
class TalkTo:
    """Talking to one of some people."""

    people: tuple[int, ...]
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the talk with whom was chosen."""
        return talk(tools.person(state), tools.terrain, state, say_yes=True)


def read_talk_to(slots: list[int]) -> TalkTo:
    """Return what the story file says."""
    return TalkTo(tuple(slots))


VEND: Final = "vend"


@dataclass(frozen=True, slots=True)
class BuyDrink:
    """Buying one drink; the cartridge tells in which row of the menu it stands."""

    item: int
    square: tuple[int, int]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the way there and the purchase."""
        wares = list(tools.dex.vending)
        if self.item not in wares:
            return nothing()
        return vend(self.item, wares.index(self.item), self.square, tools.terrain, state)


def read_vend(drink: Mapping[str, Any]) -> BuyDrink:
    """Return what the story file says."""
    x, y = drink["at"]
    return BuyDrink(drink["item"], (x, y))


VISIT: Final = "visit"
PAID_STEPS: Final = 502  # that are paid for


@dataclass(frozen=True, slots=True)
class PayToEnter:
    """Saying yes on one of some squares, where what one comes for lies within the steps that one gets."""

    squares: tuple[tuple[int, int], ...]
    map_id: int
    arrival: tuple[int, int]
    wanted: tuple[int, int]  # what one comes for: its map and sprite slot
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the walk and the yes; nothing where the money would be lost."""
        (x, y), (map_id, slot) = self.arrival, self.wanted
        start = spot_of(state)._replace(map_id=self.map_id, x=x, y=y)
        steps = steps_to(slot, map_id, tools.terrain.world(state), start)
        if steps is None or steps >= PAID_STEPS:
            return nothing()
        return agree_at(self.squares, tools.terrain, state)


def read_visit(visit: Mapping[str, Any]) -> PayToEnter:
    """Return what the story file says."""
    squares = tuple((x, y) for x, y in visit["ask_at"])
    x, y = visit["arrive"]
    wanted = visit["fetch"]
    return PayToEnter(squares, visit["map"], (x, y), (wanted["map"], wanted["person"]))


WALK_TO: Final = "walk_to"


@dataclass(frozen=True, slots=True)
class WalkTo:
    """Walking to one of some squares."""

    squares: tuple[tuple[int, int], ...]
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: InteractionContext, state: State) -> Skill:
        """Return the walk."""
        there = Destination(state.map.map_id, frozenset(self.squares))
        return travel(tools.terrain, there, state)


def read_walk_to(squares: list[tuple[int, int]]) -> WalkTo:
    """Return what the story file says."""
    return WalkTo(tuple((x, y) for x, y in squares))


Reader: TypeAlias = Callable[[Any], Interaction]


READERS: Final[Mapping[str, Reader]] = {
    ANSWER: read_answer,
    COLLECT: read_collect,
    EXAMINE: read_examine,
    FETCH: read_fetch,
    HAND_IN: read_hand_in,
    LEAVE: read_leave,
    PLAY_ON: read_play_on,
    PUSH: read_push,
    SEARCH: read_search,
    TALK_TO: read_talk_to,
    VEND: read_vend,
    VISIT: read_visit,
    WALK_TO: read_walk_to,
}
