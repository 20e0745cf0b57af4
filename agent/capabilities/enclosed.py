"""What it takes to walk into places that one does not leave as one likes, and out of them, in facts of the planner."""

from collections.abc import Iterator
from typing import Final

from agent.capabilities.story import Place, Story
from agent.planning import Effect, Require

ENCLOSED: Final = "enclosed"  # whether one is in any of them


def prepared(enclosure: str) -> str:
    """Return the name of the fact that one may go into an enclosure, or is in it."""
    return f"prepared:{enclosure}"


def requirements(story: Story, place: Place) -> Iterator[Require]:
    """Yield what walking to a place takes, besides a way."""
    if not story.enclosures:
        return
    if not place.within:
        yield Require(ENCLOSED, at_most=0)
    elif story.row(place.within):
        yield Require(prepared(place.within), at_least=1)


def effects(story: Story, place: Place) -> Iterator[Effect]:
    """Yield what else is so in a place."""
    if story.enclosures:
        yield Effect(ENCLOSED, int(bool(place.within)))
