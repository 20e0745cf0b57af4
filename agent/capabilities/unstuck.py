"""Leave the map, or talk to people outside the story: only recovery asks for these actions."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction
from agent.capabilities.context import GameContext, only_talks
from agent.experience.uses import MemoryUse
from agent.planning.domain import Action
from agent.skills import Skill, Terrain, leave_map, nothing, talk
from emulator import Person, State
from emulator.world.residents import ResidentKind

LOOKS = 3  # for a way to a person: one behind a counter is asked across it


def escape(terrain: Terrain) -> BoundAction:
    """Return the action of leaving the map by the nearest way."""
    action = Action(
        name="leave_map",
        requires=(FREE,),
        effects=(),
        cost=1,
        says="leave the map and think again elsewhere",
    )
    return BoundAction(action, partial(leave_map, terrain), suppresses=frozenset({"busy"}))


class Inquiry(NamedTuple):
    """The action of asking a person, and whether one on this map was not asked yet."""

    action: BoundAction
    is_left: Callable[[State], bool]


def inquiry(game: GameContext) -> Inquiry:
    """Return how to ask the people the story does not mention, each once.

    Those who only talk, as memory knows, are left out.
    """
    # The people of tasks, healers and shops have their time.
    slots = [(task.place, slot) for task in game.story.tasks for slot in task.interaction.people]
    slots += [(each.place, each.person) for each in game.story.healers]
    slots += [(each.place, each.person) for each in game.story.clerks]
    spoken_for = {(game.story.place(place).map_id, slot) for place, slot in slots}
    asked: set[tuple[int, int]] = set()

    def left(state: State) -> Iterator[Person]:
        here = state.map.map_id
        residents = game.terrain.world(state).map(here).people
        # Neither trainers nor items.
        plain = {each.slot for each in residents if each.kind is ResidentKind.PERSON}
        for person in state.people_present:
            who = here, person.slot
            if person.slot not in plain or who in asked or who in spoken_for:
                continue
            heard = game.experience.person(*who)
            if heard is None or heard.came:
                yield person
            else:
                about = f"asking number {person.slot} in {heard.place}"
                game.experience.sways(MemoryUse.PEOPLE, about, only_talks(heard))

    def begin(state: State) -> Skill:
        here = state.map
        near = min(left(state), key=lambda each: abs(each.x - here.x) + abs(each.y - here.y))
        asked.add((here.map_id, near.slot))
        hearing = talk(near.slot, game.terrain, state, patience=LOOKS)
        return game.hear(near.slot, hearing, state)

    def is_left(state: State) -> bool:
        return next(left(state), None) is not None

    action = Action(
        name="ask_around",
        requires=(FREE,),
        effects=(),
        cost=1,
        says="ask somebody who was not heard yet",
    )
    bound = BoundAction(
        action,
        lambda state: begin(state) if is_left(state) else nothing(),
        suppresses=SCREEN_REFLEXES,
    )
    return Inquiry(bound, is_left)
