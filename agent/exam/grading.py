"""Marks for answers. No judgement is in it: an answer is right, or it is not, or there is none."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from agent.exam.question import Answer, Exactly, Expected, Kind, Question, Unknown, Within


class Mark(Enum):
    """What an answer, or saying that one does not know, is worth."""

    RIGHT = "right"
    WRONG = "wrong"
    ABSTAINED_RIGHTLY = "abstained rightly"
    ABSTAINED_WRONGLY = "abstained wrongly"

    @property
    def points(self) -> int:
        """A wrong answer costs what a right one gains; owning up to not knowing costs nothing."""
        return {Mark.WRONG: -1, Mark.ABSTAINED_WRONGLY: 0}.get(self, 1)


def mark(question: Question, answer: Answer | None) -> Mark:
    """Return the mark of `answer`, which is None for who does not know."""
    if answer is None:
        never = isinstance(question.expected, Unknown)
        return Mark.ABSTAINED_RIGHTLY if never else Mark.ABSTAINED_WRONGLY
    return Mark.RIGHT if _fits(question.expected, answer) else Mark.WRONG


def is_trapped(question: Question, answer: Answer | None) -> bool:
    """Say whether a wrong answer is one that was laid out for it."""
    if answer is None or _fits(question.expected, answer):
        return False
    return any(_fits(trap, answer) for trap in question.traps)


def _fits(expected: Expected, answer: Answer) -> bool:
    match expected:
        case Exactly(value):
            # A number is no text and a set is no sequence, even where Python would call them equal.
            return type(answer) is type(value) and answer == value
        case Within(first, last):
            return isinstance(answer, int) and first <= answer <= last
        case Unknown():
            return False


@dataclass(slots=True)
class Score:
    """Marks, by kind of question."""

    marks: dict[Kind, Counter[Mark]] = field(
        default_factory=lambda: {kind: Counter() for kind in Kind}
    )
    trapped: int = 0

    def add(self, question: Question, answer: Answer | None) -> None:
        """Mark one answer."""
        self.marks[question.kind][mark(question, answer)] += 1
        self.trapped += is_trapped(question, answer)

    def total(self, kinds: Iterable[Kind] = Kind) -> Counter[Mark]:
        """Return the marks of all questions, or of those of `kinds`."""
        return sum((self.marks[kind] for kind in kinds), Counter[Mark]())

    def count(self, kinds: Iterable[Kind] = Kind) -> int:
        """Return how many questions were asked."""
        return self.total(kinds).total()

    def points(self, kinds: Iterable[Kind] = Kind) -> int:
        """Return what the marks come to."""
        return sum(each.points * times for each, times in self.total(kinds).items())

    @property
    def answered(self) -> "Ratio":
        """Of the questions that have an answer, those answered rightly."""
        total = self.total()
        right = total[Mark.RIGHT]
        wrong = total[Mark.WRONG] - self._guessed
        return Ratio(right, right + wrong + total[Mark.ABSTAINED_WRONGLY])

    @property
    def abstained(self) -> "Ratio":
        """Of the questions about what never was, those that were not answered."""
        total = self.total()
        rightly = total[Mark.ABSTAINED_RIGHTLY]
        return Ratio(rightly, rightly + self._guessed)

    @property
    def spoke(self) -> "Ratio":
        """Of the questions that have an answer, those on which it did not abstain."""
        answered, silent = self.answered, self.total()[Mark.ABSTAINED_WRONGLY]
        return Ratio(answered.of - silent, answered.of)

    @property
    def _guessed(self) -> int:
        return self.marks[Kind.NEVER][Mark.WRONG]


@dataclass(frozen=True, slots=True)
class Ratio:
    """So many of so many."""

    times: int
    of: int

    @property
    def share(self) -> float:
        """The share; all of nothing."""
        return self.times / self.of if self.of else 1.0
