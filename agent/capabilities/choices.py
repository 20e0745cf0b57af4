"""Which of several ways is taken where the story offers more than one: drawn by lot, until it is known how each went."""

from collections.abc import Mapping
from random import Random
from typing import Any

from agent.capabilities.experience import Experience, Use
from agent.capabilities.story import Task
from memory import Json


class Choices:
    """What was chosen, by task; part of a checkpoint, so that a resumed run wants what it wanted before."""

    def __init__(self, experience: Experience | None = None) -> None:
        self.made: dict[str, int] = {}
        self._experience = experience or Experience()

    def person(self, task: Task, chance: Random) -> int:
        """Return whom to talk to for `task`."""
        # Drawn in any case: all other luck is the same with and without memory.
        drawn = chance.choice(task.talk_to)
        if len(task.talk_to) == 1:
            return drawn
        if task.id not in self.made:
            verdict = self._experience.best_way(task.id, task.talk_to, drawn)
            self.made[task.id] = verdict.way
            if verdict.why:
                self._experience.reasons[task.sets] = verdict.why
            if verdict.way != drawn:
                self._experience.sways(Use.CHOICES, task.says, verdict.why)
        return self.made[task.id]

    def to_json(self) -> dict[str, Json]:
        """Return what was chosen so far."""
        return {"made": dict(self.made)}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned."""
        self.made = dict(data["made"])
