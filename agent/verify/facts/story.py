"""The milestones of the story: that RAM shows each as it is written."""

from __future__ import annotations

from collections.abc import Iterable

from agent.capabilities import Story
from agent.verify.fact import Fact


def milestone_facts(story: Story) -> tuple[Fact, ...]:
    """Return a fact for each milestone, held when both its witnesses have shown it."""
    return tuple(
        Fact(
            f"story.{each.id}",
            f"The milestone {each.id} is reached, and work RAM and the picture show it as the story file says.",
            "progression.md: milestones",
        )
        for each in story.milestones
    )


def reached_of(facts: Iterable[Fact], reached: Iterable[str]) -> tuple[Fact, ...]:
    """Return the facts whose milestones were reached."""
    names = {f"story.{each}" for each in reached}
    return tuple(fact for fact in facts if fact.id in names)
