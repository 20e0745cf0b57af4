"""People to deal with and tasks of a story, and how each task is done.

There is one function for each key that the story file may use for that. What the file has for a key are the arguments of its function: a table by their names, anything else
as the only one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any, Final

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
from agent.skills.errands import agree_at, collect, fetch, hand_in, play_on, search, steps_to, vend
from agent.story.places import Square
from emulator import RED, Dex, Facing, State
from emulator.world.residents import Opponent

FULL_TEAM: Final = 6
PAID_STEPS: Final = 502  # that one visit to the Safari Zone allows


@dataclass(frozen=True, slots=True)
class InteractionContext:
    """What interactions are done with; `person` is the one of several people who was chosen."""

    terrain: Terrain
    dex: Dex
    person: Callable[[State], int]


@dataclass(frozen=True, slots=True, eq=False)
class Interaction:
    """One way to do a task, on the map of its place: a key of INTERACTIONS, and what the file has for it.

    `people` are the sprite slots that it is about, any one of them; nothing else talks to them.
    """

    key: str
    told: Any
    begin: Callable[[InteractionContext, State], Skill]
    people: tuple[int, ...]

    @classmethod
    def of(cls, key: str, told: object) -> "Interaction":
        """Return the interaction that a story file tells of; a TypeError names an argument that it lacks."""
        named: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
        rest: tuple[Any, ...] = () if isinstance(told, Mapping) else (told,)
        do = INTERACTIONS[key]
        signature(do).bind(None, None, *rest, **named)

        def begin(context: InteractionContext, state: State) -> Skill:
            return do(context, state, *rest, **named)

        people = (named["person"],) if "person" in named else ()
        return cls(key, told, begin, rest[0] if key == "talk_to" else people)


def _answer(context: InteractionContext, state: State, at: Square, *, yes: bool) -> Skill:
    """Answer yes or no to a machine on a wall."""
    return examine(at, context.terrain, state, hear=partial(hear_out, say_yes=yes))


def _collect(
    context: InteractionContext, state: State, person: int, outside: int, early: str
) -> Skill:
    """Ask for a new member of the team, and leave for map `outside` while the event `early` is set.

    Nothing where the team is full.
    """
    if len(state.party) >= FULL_TEAM:
        return nothing()
    event = RED.events[early]
    return collect(person, outside, context.terrain, lambda state: state.flags.is_set(event), state)


def _examine(context: InteractionContext, state: State, at: Square) -> Skill:
    """Examine one square from any side."""
    return examine(at, context.terrain, state, facings=tuple(Facing))


def _fetch(context: InteractionContext, state: State, person: int, outside: int) -> Skill:
    """Take an item, an object of the map as people are, where the steps left in the Safari Zone suffice.

    Otherwise end the visit.
    """
    return fetch(person, outside, context.terrain, state)


def _hand_in(context: InteractionContext, state: State, person: int, item: int) -> Skill:
    """Give one fossil to one person."""
    return hand_in(person, item, context.dex.item_name(item), context.terrain, state)


def _leave(context: InteractionContext, state: State, outside: int) -> Skill:
    """Leave for map `outside`, and say yes when asked whether to leave."""
    return agree_at(Destination(outside), context.terrain, state)


def _play_on(context: InteractionContext, state: State, item: int, at: Square) -> Skill:
    """Wake a sleeping Pokemon on a square by using an item beside it."""
    return play_on(item, at, context.terrain, state)


def _push(
    context: InteractionContext, state: State, goals: tuple[tuple[int, Square], ...]
) -> Skill:
    """Push boulders, by their sprite slots, one after the other, each to its square."""
    return push_boulders([BoulderGoal(*each) for each in goals], context.terrain, state)


def _search(context: InteractionContext, state: State, cans: tuple[Square, ...]) -> Skill:
    """Search the trash cans of a map for two switches; `cans` are in the order of their numbers."""
    return search(cans, context.terrain, state)


def _talk_to(context: InteractionContext, state: State, _people: tuple[int, ...]) -> Skill:
    """Talk to the one of some people who was chosen, and say yes to the first question."""
    return talk(context.person(state), context.terrain, state, say_yes=True)


def _vend(context: InteractionContext, state: State, item: int, at: Square) -> Skill:
    """Buy one drink of a machine; the cartridge says in which row of the menu it stands."""
    wares = list(context.dex.vending)
    if item not in wares:
        return nothing()
    return vend(item, wares.index(item), at, context.terrain, state)


def _visit(
    context: InteractionContext,
    state: State,
    ask_at: tuple[Square, ...],
    start: tuple[int, int, int],
    wanted: tuple[int, int],
) -> Skill:
    """Pay for a visit to the Safari Zone on one of some squares.

    It begins at `start`, a map, x and y, and is for what is `wanted`, a map and a sprite slot: nothing where the steps
    of a visit would not suffice.
    """
    map_id, x, y = start
    wanted_map, slot = wanted
    here = spot_of(state)._replace(map_id=map_id, x=x, y=y)
    steps = steps_to(slot, wanted_map, context.terrain.world(state), here)
    if steps is None or steps >= PAID_STEPS:
        return nothing()
    there = Destination(state.map.map_id, frozenset(ask_at))
    return agree_at(there, context.terrain, state)


def _walk_to(context: InteractionContext, state: State, squares: tuple[Square, ...]) -> Skill:
    """Walk to the nearest of some squares, where something happens."""
    there = Destination(state.map.map_id, frozenset(squares))
    return travel(context.terrain, there, state)


INTERACTIONS: Final[Mapping[str, Callable[..., Skill]]] = {
    "answer": _answer,
    "collect": _collect,
    "examine": _examine,
    "fetch": _fetch,
    "hand_in": _hand_in,
    "leave": _leave,
    "play_on": _play_on,
    "push": _push,
    "search": _search,
    "talk_to": _talk_to,
    "vend": _vend,
    "visit": _visit,
    "walk_to": _walk_to,
}


@dataclass(frozen=True, slots=True)
class Errand:
    """A person worth talking to once: their sprite slot in a place."""

    id: str
    says: str
    place: str
    person: int


@dataclass(frozen=True, slots=True)
class Task:
    """Something that makes the fact `sets` true, once all the facts that it `needs` are, by an interaction.

    `gives` are further facts that it makes true, `takes` those that it makes untrue, as of what is handed over.
    The trainer to beat for it is `against`, a class and a number. The team must be `rested` for it, but where
    there is no healer on the way.
    """

    id: str
    says: str
    place: str
    sets: str
    interaction: Interaction
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    against: Opponent | None = None
    rested: bool = True

    @property
    def facts(self) -> tuple[str, ...]:
        """Every fact that is named with it."""
        return (*self.needs, self.sets, *self.gives, *self.takes)

    @property
    def ready(self) -> str:
        """The name of the fact that the team is ready for the trainer."""
        return f"ready:{self.id}"

    @property
    def recalled(self) -> str:
        """The name of the fact that memory was asked about the trainer."""
        return f"recalled:{self.id}"

    @property
    def fits(self) -> str:
        """The name of the fact that a member of the team does well against the trainer."""
        return f"fits:{self.id}"


@dataclass(frozen=True, slots=True)
class Healer:
    """A healer: a sprite slot in a place; after a defeat play goes on in `town`, a map."""

    place: str
    person: int
    town: int | None = None


@dataclass(frozen=True, slots=True)
class Clerk:
    """A clerk, who sells once all the facts in `needs` are true: a sprite slot in a place."""

    place: str
    person: int
    needs: tuple[str, ...] = ()

    @property
    def supplied(self) -> str:
        """The name of the fact that nothing runs short that is for sale there."""
        return f"supplied:{self.place}"
