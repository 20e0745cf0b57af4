"""Errands, tasks, healers and clerks of a story, and the interactions that do the tasks.

Each interaction key of a story file has one function. The value in the file gives its arguments: a table by name,
anything else as the only argument.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import Any, Final

from agent.skills import Destination, Skill, Skills, Terrain, no_skill, read_text, spot_of
from agent.skills.errands import steps_to
from agent.story.places import Square
from emulator import RED, Dex, Facing, State
from emulator.world import Opponent

FULL_TEAM: Final = 6
PAID_STEPS: Final = 502  # steps allowed by one visit to the Safari Zone


@dataclass(frozen=True, slots=True)
class InteractionContext:
    """The context of interactions; `person` returns the chosen one of several people."""

    terrain: Terrain
    dex: Dex
    person: Callable[[State], int]
    skills: Skills = field(default_factory=Skills)


@dataclass(frozen=True, slots=True, eq=False)
class Interaction:
    """One way to do a task on the map of its place: a key of INTERACTIONS, and its value in the file.

    `people` are the sprite slots to talk to, any one of them; nothing else talks to them.
    """

    key: str
    value: Any
    begin: Callable[[InteractionContext, State], Skill]
    people: tuple[int, ...]

    @classmethod
    def of(cls, key: str, value: object) -> "Interaction":
        """Return the interaction for a key and value of a story file; raises TypeError for a missing argument."""
        named: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        rest: tuple[Any, ...] = () if isinstance(value, Mapping) else (value,)
        do = INTERACTIONS[key]
        signature(do).bind(None, None, *rest, **named)

        def begin(context: InteractionContext, state: State) -> Skill:
            return do(context, state, *rest, **named)

        people = (named["person"],) if "person" in named else ()
        return cls(key, value, begin, rest[0] if key == "talk_to" else people)

    def starts_at(self, x: int, y: int) -> bool:
        """Return whether it may begin a battle on a square: on those to walk to, else anywhere on its map."""
        return self.key != "walk_to" or (x, y) in self.value


def _collect(
    context: InteractionContext, state: State, person: int, outside: int, early: str
) -> Skill:
    """Ask for a new member of the team, and leave for map `outside` while the event `early` is set.

    Do nothing if the team is full.
    """
    if len(state.party) >= FULL_TEAM:
        return no_skill()
    event = RED.events[early]
    return context.skills.collect(
        person, outside, context.terrain, lambda state: state.flags.is_set(event), state
    )


def _examine(context: InteractionContext, state: State, at: Square) -> Skill:
    """Examine one square: a sign from any side, a hidden object from below."""
    signs = context.terrain.world(state).map(state.map.map_id).header.signs
    is_sign = any((sign.x, sign.y) == at for sign in signs)
    facings = tuple(Facing) if is_sign else (Facing.UP,)
    return context.skills.examine(at, context.terrain, state, facings=facings)


def _vend(context: InteractionContext, state: State, item: int, at: Square) -> Skill:
    """Buy one drink from a vending machine; the cartridge gives its row in the menu."""
    prices = list(context.dex.vending)
    if item not in prices:
        return no_skill()
    return context.skills.vend(item, prices.index(item), at, context.terrain, state)


def _visit(
    context: InteractionContext,
    state: State,
    ask_at: tuple[Square, ...],
    start: tuple[int, int, int],
    wanted: tuple[int, int],
) -> Skill:
    """Pay for a visit to the Safari Zone on one of the squares `ask_at`.

    It begins at `start`, a map, x and y, to fetch the object `wanted`, a map and a sprite slot. Do nothing if the
    steps of a visit would not suffice.
    """
    map_id, x, y = start
    wanted_map, slot = wanted
    here = spot_of(state)._replace(map_id=map_id, x=x, y=y)
    steps = steps_to(slot, wanted_map, context.terrain.world(state), here)
    if steps is None or steps >= PAID_STEPS:
        return no_skill()
    there = Destination(state.map.map_id, frozenset(ask_at))
    return context.skills.say_yes(there, context.terrain, state)


INTERACTIONS: Final[Mapping[str, Callable[..., Skill]]] = {
    # Answer yes or no to a wall machine.
    "answer": lambda context, state, at, yes: context.skills.examine(
        at, context.terrain, state, on_text=partial(read_text, say_yes=yes)
    ),
    "collect": _collect,
    "examine": _examine,
    # Take an item, which is a map object, if the steps left in the Safari Zone suffice; else end the visit.
    "fetch": lambda context, state, person, outside: context.skills.pick_up(
        person, outside, context.terrain, state
    ),
    # Give a fossil to a person.
    "hand_in": lambda context, state, person, item: context.skills.hand_in(
        person, item, context.dex.item_name(item), context.terrain, state
    ),
    # Leave for map `outside`, and say yes when asked whether to leave.
    "leave": lambda context, state, outside: context.skills.say_yes(
        Destination(outside), context.terrain, state
    ),
    # Wake a sleeping Pokemon on a square by using an item beside it.
    "play_on": lambda context, state, item, at: context.skills.use_at(
        item, at, context.terrain, state
    ),
    # Push boulders, given by sprite slot, in order, each to its square.
    "push": lambda context, state, goals: context.skills.push_boulders(
        goals, context.terrain, state
    ),
    # Search the trash cans of a map for two switches; `cans` are ordered by their numbers.
    "search": lambda context, state, cans: context.skills.search(cans, context.terrain, state),
    # Talk to the chosen person, and answer yes to the first question.
    "talk_to": lambda context, state, _people: context.skills.talk(
        context.person(state), context.terrain, state, say_yes=True
    ),
    "vend": _vend,
    "visit": _visit,
    # Walk to the nearest of some squares, where a script starts.
    "walk_to": lambda context, state, squares: context.skills.travel(
        context.terrain, Destination(state.map.map_id, frozenset(squares)), state
    ),
}


@dataclass(frozen=True, slots=True)
class Errand:
    """A person to talk to once: the sprite slot in a place."""

    id: str
    label: str
    place: str
    person: int


@dataclass(frozen=True, slots=True)
class ThirdMove:
    """The third move that a script gives a member of a trainer's team: the same always, or by the rival's starter."""

    member: int  # counted from 1
    moves: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StoryTrainer:
    """The trainer of a task: a class, and its number, or one for each starter of the rival."""

    trainer_class: int
    numbers: tuple[int, ...]
    third_moves: tuple[ThirdMove, ...] = ()

    @classmethod
    def of(cls, value: Mapping[str, Any] | tuple[int, int]) -> "StoryTrainer":
        """Return the trainer of a value in a story file: a class and a number, or a table."""
        if not isinstance(value, Mapping):
            trainer_class, number = value
            return cls(trainer_class, (number,))
        moves = (ThirdMove(**row) for row in value.get("third_moves", ()))
        return cls(value["class"], value["by_rival_starter"], tuple(moves))

    def opponents(self) -> tuple[Opponent, ...]:
        """Return the trainer with each of its numbers."""
        return tuple([Opponent(self.trainer_class, number) for number in self.numbers])


@dataclass(frozen=True, slots=True)
class Task:
    """A task that makes the fact `sets` true by an interaction, once all facts in `needs` are true.

    `gives` are further facts that it makes true, `takes` those that it makes untrue, such as items handed over.
    `against` is the trainer to beat. `rested` requires a healed team; it is false where no healer is on the way.
    `must_win` says that the wild battle it begins has to be won. `late` says that `sets` becomes true only some time
    after the interaction, during which nothing in RAM tells of it. No milestone needs an `optional` one. One that is `at_hand`
    is done before anything else, healing too, by a player in its place.
    """

    id: str
    label: str
    place: str
    sets: str
    interaction: Interaction
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    against: StoryTrainer | None = None
    rested: bool = True
    must_win: bool = False
    late: bool = False
    optional: bool = False
    at_hand: bool = False

    @property
    def facts(self) -> tuple[str, ...]:
        """Every fact that it names."""
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
    def suitable(self) -> str:
        """The name of the fact that a member of the team is strong against the trainer."""
        return f"strong_against:{self.id}"


@dataclass(frozen=True, slots=True)
class Healer:
    """A healer: a sprite slot in a place; after a defeat play continues in `town`, a map."""

    place: str
    person: int
    town: int | None = None


@dataclass(frozen=True, slots=True)
class Clerk:
    """A clerk, who sells once all the facts in `needs` are true: a sprite slot in a place.

    `sells` are the items of a clerk whose stock the cartridge does not list with the map.
    """

    place: str
    person: int
    needs: tuple[str, ...] = ()
    sells: tuple[int, ...] = ()

    @property
    def supplied(self) -> str:
        """The name of the fact that no item sold there runs short."""
        return f"supplied:{self.place}"
