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
    """What is asked: what one has to remember for it, and the words; it may be of a subject, another one, or a game."""

    LOST_IN = QuestionKind.LOSS, "Where was the last fight lost against {subject}?"
    LOST_AT = QuestionKind.LOSS, "At which level was the last fight lost against {subject} begun?"
    LOST_BY = QuestionKind.LOSS, "Who of ours began the last fight lost against {subject}?"
    LOST_THERE = (
        QuestionKind.LOSS,
        "Which species stood on the other side of the fights lost in {subject}?",
    )
    BLACKED_OUT_BY = QuestionKind.LOSS, "Against whom was the last fight lost that cost money?"
    WON_BY = (
        QuestionKind.VICTORY,
        "Who of ours was out when the last fight against {subject} was won?",
    )
    WON_WITH = (
        QuestionKind.VICTORY,
        "With which moves, in the order of their first use, was {subject} beaten last?",
    )
    MONEY = QuestionKind.LATEST, "How much money is there now?"
    ITEMS = QuestionKind.LATEST, "How many of {subject} are carried now?"
    LEVEL = QuestionKind.LATEST, "At which level is {subject} now?"
    HERE = QuestionKind.LATEST, "Which place is this?"
    FOUND_IN = QuestionKind.FIRST, "In which place was {subject} first had?"
    MONEY_AT = QuestionKind.FIRST, "How much money was there on reaching {subject}?"
    LEVEL_AT = QuestionKind.FIRST, "What was the highest level of the team on reaching {subject}?"
    FIRST_THERE = QuestionKind.FIRST, "At which tick was {subject} first entered?"
    FIRST_MET = QuestionKind.FIRST, "At which tick was {subject} first met?"
    MET_IN = QuestionKind.FIRST, "In which place was {subject} first met?"
    REACHED = QuestionKind.FIRST, "At which tick was the milestone {subject} reached?"
    EARLIER = QuestionKind.FIRST, "Which was entered first, {subject} or {other}?"
    MOST = QuestionKind.COUNT, "How many of {subject} were there at most?"
    VISITS = QuestionKind.COUNT, "How often was {subject} entered?"
    MEETINGS = QuestionKind.COUNT, "How often was {subject} fought with?"
    WINS = QuestionKind.COUNT, "How often was {subject} beaten?"
    DEFEATS = QuestionKind.COUNT, "How many fights were lost?"
    BLACKOUTS = QuestionKind.COUNT, "How often did one black out?"
    RUN_STARTER = QuestionKind.ACROSS, "With whom did {game} begin?"
    RUN_TURNS = QuestionKind.ACROSS, "How many turns of battle did {game} take to {subject}?"
    RUN_MEETINGS = QuestionKind.ACROSS, "How often did {game} fight with {subject}?"
    RUN_CAUGHT = QuestionKind.ACROSS, "Which species did {game} catch?"
    RUNS_LOST = QuestionKind.ACROSS, "Which runs lost to {subject}?"
    QUICKEST = QuestionKind.ACROSS, "Which run took the fewest ticks to {subject}?"
    BEST_STARTER = (
        QuestionKind.ACROSS,
        "With which starter did {subject} take the fewest turns of battle, on average?",
    )

    @property
    def kind(self) -> QuestionKind:
        """What one has to remember for it."""
        return self.value[0]

    def words(self, **names: str) -> str:
        """Return the question in words."""
        return self.value[1].format(**names)


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
