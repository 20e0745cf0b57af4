"""Where one can come before a task is done: what the story keeps behind it is out of reach until then."""

from collections.abc import Iterable

from agent.capabilities.marks import told
from agent.capabilities.places import Place
from agent.capabilities.story import Story, Task


def within_reach(story: Story, task: Task) -> frozenset[Place]:
    """Return the places that one can come to before a task is done, by whatever else the story has one do.

    What nothing in the story makes true, such as a move that somebody of the team knows, is thought to be so.
    """
    others = [each for each in story.tasks if each is not task]
    missing, places = _made(story), dict[str, Place]()
    before = (-1, -1)
    while before != (len(missing), len(places)):
        before = (len(missing), len(places))
        for place in story.places:
            for way in place.approaches():
                if _holds(way.needs, missing) and (not way.start or way.start in places):
                    places[place.name] = place
                    missing.difference_update(place.gives, way.gives)
        for each in others:
            if each.place in places and _holds(each.needs, missing):
                missing.difference_update((each.sets, *each.gives))
    return frozenset(places.values())


def _made(story: Story) -> set[str]:
    """Return the facts that a task, or coming to a place, makes true."""
    made = {fact for each in story.tasks for fact in (each.sets, *each.gives)}
    for place in story.places:
        made.update(place.gives, *(way.gives for way in place.ways))
    return made


def _holds(needs: Iterable[str], missing: set[str]) -> bool:
    """Say whether all of it can be so; what must not have happened has not."""
    return not any(so and name in missing for name, so in map(told, needs))
