"""The announcements of playing processes: acknowledged commits, and delivered lessons.

Together with the last delivery recorded in a memory file, this gives every lesson that the memory must hold.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from memory.tiers.lasting import OutboxRow

Delivery: TypeAlias = tuple[str, int]


@dataclass
class Ledger:
    """The lessons of one memory by run and sequence, and the commits of the current run.

    `forgotten` are lessons that were stored and are missing later, which only a restored copy explains.
    """

    lessons: dict[Delivery, OutboxRow] = field(default_factory=dict)
    forgotten: set[Delivery] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    steps: int = 0  # acknowledged, of this run
    checkpoints: int = 0
    _begun: dict[Delivery, OutboxRow] = field(default_factory=dict)

    def note(self, word: str, *about: Any) -> None:  # noqa: ANN401
        """Record one announcement."""
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
                        f"deliveries: {about[0]} of {len(self._begun)} were stored"
                    )
                self.lessons |= self._begun
                self._begun = {}
            case _:
                self.problems.append(f"{word!r} is an unknown announcement")

    def settle(self, run_id: str, last: int) -> None:
        """Accept `last` as the newest lesson of a run in the memory file."""
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
