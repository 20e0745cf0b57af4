"""Choices that are made once in a game: drawn at random until memory knows what the alternatives took."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final, NamedTuple

from agent.experience.memory_use import MemoryUse
from agent.experience.run_times import WayVerdict
from agent.experience.uses import Experience
from agent.story.interactions import Task
from memory.codec import SavedAttributes

Advise = Callable[[str, Mapping[int, str], Mapping[int, WayVerdict], int], int | None]


class Choice(NamedTuple):
    """A choice: its id in memory, what it is about, and its alternatives by number, in words."""

    id: str
    label: str
    ways: Mapping[int, str]


ODDS: Final = "odds"  # begins the id of each choice of SURENESS
# By the chance to win, in percent.
SURENESS: Final = {50: "go at even odds", 90: "train until nine of ten are won"}
NEXT_DOOR, NEXT_TOWN = 1, 2  # as memory keeps them
SHOPPING: Final = Choice(
    "shopping",
    "how far to go for items that run short",
    {NEXT_DOOR: "only into shops next door", NEXT_TOWN: "to the next town, too"},
)


def sureness(task: Task) -> Choice:
    """Return the choice how likely a victory must be before a task's trainer is challenged."""
    return Choice(f"{ODDS}:{task.id}", f"how sure to be before this battle: {task.label}", SURENESS)


class GameChoices(SavedAttributes):
    """The choices made, by id; part of a checkpoint, so that a resumed run keeps its choices.

    `advise` returns the advised one of several alternatives, by their words, what memory knows of them and the one taken
    so far, or None without an advisor or advice. `changes` counts those that advice changed since the process began.
    """

    SAVED = ("made", "_asked", "_mattered")

    def __init__(self, experience: Experience | None = None, advise: Advise | None = None) -> None:
        self.made: dict[str, int] = {}
        self.changes = 0
        self._experience = experience or Experience()
        self._advise = advise
        self._asked: set[str] = set()  # choices for which advice was requested
        self._mattered: set[str] = set()  # choices whose alternatives made a difference
        self._due: dict[str, Choice] = {}

    def way(self, choice: Choice, chance: Random) -> int:
        """Return the alternative that is taken."""
        if choice.id not in self.made:
            # Drawn in any case, so that other random draws are the same with and without memory.
            drawn, luck = chance.choice(tuple(choice.ways)), Random(chance.random())
            best = self._experience.best_way(choice.id, tuple(choice.ways), drawn, luck)
            self.made[choice.id] = best.way
            if best.way != drawn:
                self._experience.record_influence(MemoryUse.CHOICES, choice.label, best.why)
        return self.made[choice.id]

    def person(self, task: Task, chance: Random) -> int:
        """Return the person to talk to for `task`."""
        people = task.interaction.people
        if len(people) == 1:
            return people[0]
        person = self.way(Choice(task.id, task.label, dict.fromkeys(people, "")), chance)
        if task.label in self._experience.influences:
            self._experience.reasons[task.sets] = self._experience.influences[task.label]
        return person

    def matters(self, choice: Choice) -> None:
        """Note that the alternatives of a choice differ now: advice on it is requested at the next decision."""
        self._mattered.add(choice.id)
        if self._advise is not None and choice.id not in self._asked:
            self._due[choice.id] = choice

    def settle_due(self) -> bool:
        """Settle the choices that matter now; return whether one was changed."""
        before = self.changes
        for choice in tuple(self._due.values()):
            self.settle(choice)
        return self.changes != before

    def settle(self, choice: Choice) -> int:
        """Return the alternative to take from now on; advice is requested once for each choice.

        What memory has measured comes before a model's word: no advice is requested where memory has changed the choice.
        """
        taken = self.made[choice.id]
        self._mattered.add(choice.id)
        self._due.pop(choice.id, None)
        if self._advise is None or choice.id in self._asked:
            return taken
        self._asked.add(choice.id)
        if choice.label not in self._experience.influences:
            known = self._experience.verdicts(choice.id, tuple(choice.ways))
            advised = self._advise(choice.label, choice.ways, known, taken)
            if advised is not None and advised != taken:
                self.made[choice.id] = advised
                self.changes += 1
        return self.made[choice.id]

    def decisive(self) -> dict[str, int]:
        """Return the choices that made a difference so far, by id: memory learns from these alone."""
        return {name: way for name, way in self.made.items() if name in self._mattered}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned; tasks added to the story later keep the choice drawn now."""
        drawn = self.made
        super().restore(data)
        self.made = drawn | self.made
