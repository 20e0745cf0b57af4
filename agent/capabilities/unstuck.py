"""Actions for recovery only: leave the map, or talk to people outside the story."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction
from agent.capabilities.context import GameContext
from agent.experience.memory_use import MemoryUse
from agent.planning.domain import Action
from agent.skills import Skill, no_skill
from emulator import Person, State
from emulator.world import MapObjectKind

LOOKS = 3  # attempts to find a path to a person


def escape(game: GameContext) -> BoundAction:
    """Return the action that leaves the map by the nearest exit."""
    action = Action(
        name="leave_map",
        requires=(FREE,),
        effects=(),
        cost=1,
        label="leave the map and plan again elsewhere",
    )
    return BoundAction(
        action, partial(game.skills.leave_map, game.terrain), suppresses=frozenset({"busy"})
    )


class Inquiry(NamedTuple):
    """The action that asks a person, and whether anyone on this map was not asked yet."""

    action: BoundAction
    is_left: Callable[[State], bool]


def inquiry(game: GameContext) -> Inquiry:
    """Return the inquiry that asks the people outside the story, each once.

    People who only talk, as memory knows, are left out.
    """
    # The people of tasks, healers and shops have actions of their own.
    slots = [(task.place, slot) for task in game.story.tasks for slot in task.interaction.people]
    slots += [(each.place, each.person) for each in game.story.healers]
    slots += [(each.place, each.person) for each in game.story.clerks]
    story_people = {(game.story.place(place).map_id, slot) for place, slot in slots}
    asked: set[tuple[int, int]] = set()

    def left(state: State) -> Iterator[Person]:
        here = state.map.map_id
        map_objects = game.terrain.world(state).map(here).people
        # Without trainers and items.
        plain = {each.slot for each in map_objects if each.kind is MapObjectKind.PERSON}
        for person in state.people_present:
            key = here, person.slot
            if person.slot not in plain or key in asked or key in story_people:
                continue
            known = game.experience.person(*key)
            if known is None or known.effects:
                yield person
            else:
                about = f"asking number {person.slot} in {known.place}"
                game.experience.record_influence(MemoryUse.PEOPLE, about, known.only_talks)

    def begin(state: State) -> Skill:
        here = state.map
        near = min(left(state), key=lambda each: abs(each.x - here.x) + abs(each.y - here.y))
        asked.add((here.map_id, near.slot))
        conversation = game.skills.talk(near.slot, game.terrain, state, patience=LOOKS)
        return game.observe_talk(near.slot, conversation, state)

    def is_left(state: State) -> bool:
        return next(left(state), None) is not None

    action = Action(
        name="ask_around",
        requires=(FREE,),
        effects=(),
        cost=1,
        label="ask a person who was not asked yet",
    )
    bound = BoundAction(
        action,
        lambda state: begin(state) if is_left(state) else no_skill(),
        suppresses=SCREEN_REFLEXES,
    )
    return Inquiry(bound, is_left)
