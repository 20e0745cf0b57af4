"""Every lesson that a memory must hold now, by what was said of each delivery and what the file says of the last one."""

from dataclasses import dataclass, field
from typing import Any

from kills.knowing import Delivery
from kills.words import Lesson


@dataclass
class Taught:
    """One memory's lessons by run and sequence.

    `forgotten` are those that it was said to have taken in and did not know of later, which only a copy that was put
    in its place explains.
    """

    lessons: dict[Delivery, Lesson] = field(default_factory=dict)
    forgotten: set[Delivery] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    _begun: dict[Delivery, Lesson] = field(default_factory=dict)

    def hear(self, word: str, *about: Any) -> None:  # noqa: ANN401
        """Take in that a delivery begins, or that it is done."""
        if word == "deliver":
            run_id, last, fresh = about
            self.settle(run_id, last)
            self._begun = {(run_id, row[0]): Lesson(*row) for row in fresh}
        elif word == "delivered":
            if about[0] != len(self._begun):
                self.problems.append(
                    f"deliveries: {about[0]} of {len(self._begun)} new lessons were taken in"
                )
            self.lessons |= self._begun
            self._begun = {}

    def settle(self, run_id: str, last: int) -> None:
        """Take the file's word that `last` is the newest lesson of a run that it was taught."""
        self.forgotten |= {name for name in self.lessons if name[0] == run_id and name[1] > last}
        known = self.lessons | self._begun
        self._begun = {}
        self.lessons = {
            name: lesson for name, lesson in known.items() if name[0] != run_id or name[1] <= last
        }
        self.forgotten -= self.lessons.keys()
