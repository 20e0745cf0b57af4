"""What the playing processes announced: commits they know to be kept, and lessons they delivered.

Together with what a memory file says of its last delivery this is every lesson that the memory must hold.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from memory import OutboxRow

Delivery: TypeAlias = tuple[str, int]


@dataclass
class Ledger:
    """The lessons of one memory by run and sequence, and what the current run has committed.

    `forgotten` are lessons that were taken in and are unknown later, which only a restored copy explains.
    """

    lessons: dict[Delivery, OutboxRow] = field(default_factory=dict)
    forgotten: set[Delivery] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    steps: int = 0  # acknowledged, of this run
    checkpoints: int = 0
    _begun: dict[Delivery, OutboxRow] = field(default_factory=dict)

    def note(self, word: str, *about: Any) -> None:  # noqa: ANN401
        """Take in one announcement."""
        match word:
            case "kept":
                self.steps += about[0]
                self.checkpoints += about[1]
            case "deliver":
                run_id, last, fresh = about
                self.settle(run_id, last)
                self._begun = {(run_id, row[0]): OutboxRow(*row) for row in fresh}
            case "delivered":
                if about[0] != len(self._begun):
                    self.problems.append(
                        f"deliveries: {about[0]} of {len(self._begun)} were taken in"
                    )
                self.lessons |= self._begun
                self._begun = {}
            case _:
                self.problems.append(f"{word!r} is no announcement")

    def settle(self, run_id: str, last: int) -> None:
        """Take the word of a memory file that `last` is the newest lesson of a run that it knows."""
        self.forgotten |= {name for name in self.lessons if name[0] == run_id and name[1] > last}
        known = self.lessons | self._begun
        self._begun = {}
        self.lessons = {
            name: lesson for name, lesson in known.items() if name[0] != run_id or name[1] <= last
        }
        self.forgotten -= self.lessons.keys()

    def by_run(self) -> dict[str, list[OutboxRow]]:
        """Return the lessons of each run in their order."""
        found: dict[str, list[OutboxRow]] = {}
        for (run_id, _), lesson in sorted(self.lessons.items()):
            found.setdefault(run_id, []).append(lesson)
        return found
