"""A question of the exam, typed and in words, with what would be right; and the marks that answers get."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

ExamAnswer: TypeAlias = str | int | frozenset[str] | tuple[str, ...]


class QuestionKind(Enum):
    """What one has to remember for it."""

    LOSS = "what was lost where"
    VICTORY = "what beat whom"
    LATEST = "the latest value"
    FIRST = "when and where first"
    COUNT = "how often"
    ACROSS = "across runs"
    NEVER = "what never was"


class QuestionTopic(Enum):
    """What is wanted, and of which type the answer is."""

    LOST_IN = "place of the last defeat by the subject"
    LOST_AT = "level at which that was begun"
    LOST_BY = "who of ours began it"
    LOST_THERE = "names of all that won in the subject, a place"
    WON_BY = "who of ours ended the last fight won against the subject"
    WON_WITH = "the moves used in it, in the order of their first use"
    MONEY = "money now"
    ITEMS = "how many of the subject are carried now"
    LEVEL = "level of the subject, one of ours, now"
    FOUND_IN = "place in which the subject, a thing, was first had"
    MOST = "how many of the subject there were at most"
    MONEY_AT = "money on reaching the subject, a milestone"
    LEVEL_AT = "highest level of the team then"
    BLACKED_OUT_BY = "against whom the last fight was lost that cost money"
    HERE = "the place one is in now"
    FIRST_THERE = "tick at which the subject, a place, was first entered"
    FIRST_MET = "tick at which the subject was first met"
    MET_IN = "place in which the subject was first met"
    REACHED = "tick at which the subject, a milestone, was reached"
    EARLIER = "which of two places was entered first"
    VISITS = "how often the subject, a place, was entered"
    MEETINGS = "how often the subject was fought with"
    WINS = "how often it was beaten"
    DEFEATS = "how many fights were lost"
    BLACKOUTS = "how many of them cost money"
    RUN_STARTER = "with whom a run began"
    RUN_TURNS = "turns of battle that a run took to the subject, a milestone"
    RUN_MEETINGS = "how often a run fought with the subject"
    RUN_CAUGHT = "names of all that a run caught"
    RUNS_LOST = "the runs that lost to the subject"
    QUICKEST = "the run that took the fewest ticks to the subject, a milestone"
    BEST_STARTER = "the starter with which that took the fewest turns of battle, on average"


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """What is asked, typed; `run` is whose, where it is not the run that has just ended."""

    ask: QuestionTopic
    subject: str = ""
    other: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True)
class Exactly:
    """One answer is right, and no other."""

    value: ExamAnswer


@dataclass(frozen=True, slots=True)
class Within:
    """Any tick from `first` to `last` is right: what is asked for took that long."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """It never was: the right thing is to say that one does not know."""


Expected: TypeAlias = Exactly | Within | Unknown


@dataclass(frozen=True, slots=True)
class ExamQuestion:
    """`traps` are answers that are wrong and near: older values, other runs' values, names like the right one."""

    kind: QuestionKind
    form: QuestionForm
    words: str
    expected: Expected
    traps: tuple[Exactly | Within, ...] = ()


class ExamMark(Enum):
    """What an answer, or saying that one does not know, is worth."""

    RIGHT = "right"
    WRONG = "wrong"
    ABSTAINED_RIGHTLY = "abstained rightly"
    ABSTAINED_WRONGLY = "abstained wrongly"

    @property
    def points(self) -> int:
        """A wrong answer costs what a right one gains; owning up to not knowing costs nothing."""
        return {ExamMark.WRONG: -1, ExamMark.ABSTAINED_WRONGLY: 0}.get(self, 1)


def mark(question: ExamQuestion, answer: ExamAnswer | None) -> ExamMark:
    """Return the mark of `answer`, which is None for who does not know."""
    if answer is None:
        never = isinstance(question.expected, Unknown)
        return ExamMark.ABSTAINED_RIGHTLY if never else ExamMark.ABSTAINED_WRONGLY
    return ExamMark.RIGHT if _fits(question.expected, answer) else ExamMark.WRONG


def is_trapped(question: ExamQuestion, answer: ExamAnswer | None) -> bool:
    """Say whether a wrong answer is one that was laid out for it."""
    if answer is None or _fits(question.expected, answer):
        return False
    return any(_fits(trap, answer) for trap in question.traps)


def _fits(expected: Expected, answer: ExamAnswer) -> bool:
    match expected:
        case Exactly(value):
            # A number is no text and a set is no sequence, even where Python would call them equal.
            return type(answer) is type(value) and answer == value
        case Within(first, last):
            return isinstance(answer, int) and first <= answer <= last
        case Unknown():
            return False


@dataclass(slots=True)
class ExamScore:
    """Marks, by kind of question."""

    marks: dict[QuestionKind, Counter[ExamMark]] = field(
        default_factory=lambda: {kind: Counter() for kind in QuestionKind}
    )
    trapped: int = 0

    def add(self, question: ExamQuestion, answer: ExamAnswer | None) -> None:
        """Mark one answer."""
        self.marks[question.kind][mark(question, answer)] += 1
        self.trapped += is_trapped(question, answer)

    def total(self, kinds: Iterable[QuestionKind] = QuestionKind) -> Counter[ExamMark]:
        """Return the marks of all questions, or of those of `kinds`."""
        return sum((self.marks[kind] for kind in kinds), Counter[ExamMark]())

    def count(self, kinds: Iterable[QuestionKind] = QuestionKind) -> int:
        """Return how many questions were asked."""
        return self.total(kinds).total()

    def points(self, kinds: Iterable[QuestionKind] = QuestionKind) -> int:
        """Return what the marks come to."""
        return sum(each.points * times for each, times in self.total(kinds).items())

    @property
    def answered(self) -> "Proportion":
        """Of the questions that have an answer, those answered rightly."""
        total = self.total()
        right = total[ExamMark.RIGHT]
        wrong = total[ExamMark.WRONG] - self._guessed
        return Proportion(right, right + wrong + total[ExamMark.ABSTAINED_WRONGLY])

    @property
    def abstained(self) -> "Proportion":
        """Of the questions about what never was, those that were not answered."""
        total = self.total()
        rightly = total[ExamMark.ABSTAINED_RIGHTLY]
        return Proportion(rightly, rightly + self._guessed)

    @property
    def spoke(self) -> "Proportion":
        """Of the questions that have an answer, those on which it did not abstain."""
        answered, silent = self.answered, self.total()[ExamMark.ABSTAINED_WRONGLY]
        return Proportion(answered.of - silent, answered.of)

    @property
    def _guessed(self) -> int:
        return self.marks[QuestionKind.NEVER][ExamMark.WRONG]


@dataclass(frozen=True, slots=True)
class Proportion:
    """So many of so many."""

    times: int
    of: int

    @property
    def share(self) -> float:
        """The share; all of nothing."""
        return self.times / self.of if self.of else 1.0
