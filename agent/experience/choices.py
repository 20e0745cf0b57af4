"""The choice among several people of a task: drawn at random until memory knows the outcomes."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from agent.experience.memory_use import MemoryUse
from agent.experience.uses import Experience, WayVerdict
from agent.story.interactions import Task
from memory import Json

Advise = Callable[[str, Mapping[int, str], Mapping[int, WayVerdict]], int | None]


class TaskChoices:
    """The choices made, by task; part of a checkpoint, so that a resumed run keeps its choices.

    `advise` returns the advised one of several alternatives, by their words and what memory knows of them, or None without
    an advisor or advice.
    """

    def __init__(self, experience: Experience | None = None, advise: Advise | None = None) -> None:
        self.made: dict[str, int] = {}
        self._experience = experience or Experience()
        self._advise = advise
        self._asked: set[str] = set()  # tasks for which advice was requested

    def person(self, task: Task, chance: Random) -> int:
        """Return the person to talk to for `task`."""
        # Drawn in any case, so that other random draws are the same with and without memory.
        drawn = chance.choice(task.interaction.people)
        if len(task.interaction.people) == 1:
            return drawn
        if task.id not in self.made:
            best = self._experience.best_way(task.id, task.interaction.people, drawn)
            self.made[task.id] = best.way
            if best.why:
                self._experience.reasons[task.sets] = best.why
            if best.way != drawn:
                self._experience.record_influence(MemoryUse.CHOICES, task.label, best.why)
        return self.made[task.id]

    def settle(self, task: Task, words: Callable[[int], str]) -> int:
        """Return the person to talk to for `task` as it begins; with several people, advice is requested once.

        `words` returns what is known of a person. What memory has measured comes before a model's word: no advice
        is requested where memory has changed the choice.
        """
        people = task.interaction.people
        if len(people) == 1:
            return people[0]
        drawn = self.made[task.id]
        if self._advise is None or task.id in self._asked:
            return drawn
        self._asked.add(task.id)
        if task.label not in self._experience.influences:
            known = self._experience.verdicts(task.id, people)
            advised = self._advise(task.label, {way: words(way) for way in people}, known)
            self.made[task.id] = drawn if advised is None else advised
        return self.made[task.id]

    def to_json(self) -> dict[str, Json]:
        """Return the choices made so far."""
        return {"made": dict(self.made), "asked": sorted(self._asked)}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned."""
        self.made |= dict(data["made"])  # tasks added to the story later keep the choice drawn now
        self._asked = set(data["asked"])
