"""A question of the exam, typed and in words, with the right answer, and the marks of answers."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from agent.lab.stats import Interval, share_interval

ExamAnswer: TypeAlias = str | int | frozenset[str] | tuple[str, ...]
# The right answer: a value, any tick of a range, or None (not known) for things that never happened.
Expected: TypeAlias = ExamAnswer | range | None


class QuestionKind(Enum):
    """The kind of knowledge that a question tests."""

    LOSS = "what was lost where"
    VICTORY = "what won against what"
    LATEST = "the latest value"
    FIRST = "when and where first"
    COUNT = "how often"
    ACROSS = "across runs"
    NEVER = "what never was"


class QuestionTopic(Enum):
    """The topic of a question: its kind, and its text with placeholders for subject, other subject and game."""

    LOST_IN = QuestionKind.LOSS, "Where was the last battle against {subject} lost?"
    LOST_AT = (
        QuestionKind.LOSS,
        "At which own level did the last lost battle against {subject} begin?",
    )
    LOST_BY = QuestionKind.LOSS, "Which own Pokemon began the last lost battle against {subject}?"
    LOST_THERE = (QuestionKind.LOSS, "Which enemy species were in the battles lost in {subject}?")
    BLACKED_OUT_BY = QuestionKind.LOSS, "Which opponent won the last battle whose loss cost money?"
    WON_BY = (
        QuestionKind.VICTORY,
        "Which own Pokemon was in battle when {subject} was last beaten?",
    )
    WON_WITH = (
        QuestionKind.VICTORY,
        "Which moves, in order of their first use, beat {subject} last?",
    )
    MONEY = QuestionKind.LATEST, "How much money is there now?"
    ITEMS = QuestionKind.LATEST, "How many of {subject} are in the bag now?"
    LEVEL = QuestionKind.LATEST, "At which level is {subject} now?"
    HERE = QuestionKind.LATEST, "Which place is this?"
    FOUND_IN = QuestionKind.FIRST, "In which place was {subject} first owned?"
    MONEY_AT = QuestionKind.FIRST, "How much money was there on reaching {subject}?"
    LEVEL_AT = QuestionKind.FIRST, "What was the highest level of the team on reaching {subject}?"
    FIRST_THERE = QuestionKind.FIRST, "At which tick was {subject} first entered?"
    FIRST_MET = QuestionKind.FIRST, "At which tick was {subject} first met?"
    MET_IN = QuestionKind.FIRST, "In which place was {subject} first met?"
    REACHED = QuestionKind.FIRST, "At which tick was the milestone {subject} reached?"
    EARLIER = QuestionKind.FIRST, "Which was entered first, {subject} or {other}?"
    MOST = QuestionKind.COUNT, "What was the highest number of {subject}?"
    VISITS = QuestionKind.COUNT, "How often was {subject} entered?"
    MEETINGS = QuestionKind.COUNT, "How many battles were against {subject}?"
    WINS = QuestionKind.COUNT, "How often was {subject} beaten?"
    DEFEATS = QuestionKind.COUNT, "How many battles were lost?"
    BLACKOUTS = QuestionKind.COUNT, "How many blackouts were there?"
    RUN_STARTER = QuestionKind.ACROSS, "Which starter did {game} have?"
    RUN_TURNS = QuestionKind.ACROSS, "How many battle turns did {game} take to {subject}?"
    RUN_MEETINGS = QuestionKind.ACROSS, "How many battles did {game} have against {subject}?"
    RUN_CAUGHT = QuestionKind.ACROSS, "Which species did {game} catch?"
    RUNS_LOST = QuestionKind.ACROSS, "Which runs lost to {subject}?"
    QUICKEST = QuestionKind.ACROSS, "Which run took the fewest ticks to {subject}?"
    BEST_STARTER = (
        QuestionKind.ACROSS,
        "Which starter took the fewest battle turns to {subject} on average?",
    )

    def __init__(self, kind: QuestionKind, template: str) -> None:
        self.kind = kind
        self.template = template


@dataclass(frozen=True, slots=True)
class ExamQuestion:
    """A question, and its right answer; `run` and `seed` name the run, unless it is the one that has just ended."""

    topic: QuestionTopic
    subject: str = ""
    expected: Expected = None
    other: str = ""
    run: str = ""
    seed: int | None = None

    @property
    def kind(self) -> QuestionKind:
        """The kind of knowledge that it tests."""
        return QuestionKind.NEVER if self.expected is None else self.topic.kind

    @property
    def words(self) -> str:
        """The question in words."""
        game = "" if self.seed is None else f"the game of seed {self.seed}"
        return self.topic.template.format(subject=self.subject, other=self.other, game=game)


class ExamMark(Enum):
    """The mark of an answer or of an abstention."""

    RIGHT = "right"
    WRONG = "wrong"
    ABSTAINED_RIGHTLY = "abstained rightly"
    ABSTAINED_WRONGLY = "abstained wrongly"

    @property
    def points(self) -> int:
        """1 for a right answer or abstention, -1 for a wrong answer, 0 for a wrong abstention."""
        return {ExamMark.WRONG: -1, ExamMark.ABSTAINED_WRONGLY: 0}.get(self, 1)


def mark(question: ExamQuestion, answer: ExamAnswer | None) -> ExamMark:
    """Return the mark of `answer`, which is None for an abstention."""
    expected = question.expected
    if answer is None:
        return ExamMark.ABSTAINED_RIGHTLY if expected is None else ExamMark.ABSTAINED_WRONGLY
    if isinstance(expected, range):
        is_right = isinstance(answer, int) and answer in expected
    else:
        # Values of different types are different answers, even if Python calls them equal.
        is_right = type(answer) is type(expected) and answer == expected
    return ExamMark.RIGHT if is_right else ExamMark.WRONG


class ExamScore(Counter[tuple[QuestionKind, ExamMark]]):
    """The counts of marks by kind of question."""

    def of(self, kinds: Iterable[QuestionKind] = QuestionKind) -> Counter[ExamMark]:
        """Return the marks of questions of `kinds`."""
        return Counter({mark: sum(self[kind, mark] for kind in kinds) for mark in ExamMark})

    def right_share(self, kinds: Iterable[QuestionKind] = QuestionKind) -> Interval:
        """Return the share of right answers and right abstentions for questions of `kinds`."""
        marks = self.of(kinds)
        right_share = marks[ExamMark.RIGHT] + marks[ExamMark.ABSTAINED_RIGHTLY]
        return share_interval(right_share, marks.total())

    def points(self) -> int:
        """Return the sum of points."""
        return sum(mark.points * times for (_, mark), times in self.items())

    def figures(self) -> dict[str, Any]:
        """Return the shares for questions with an answer and for those about what never happened, and all marks."""
        never = self.of([QuestionKind.NEVER])
        known = self.of() - never
        silent = known[ExamMark.ABSTAINED_WRONGLY]
        return {
            "answered_rightly": _share(known[ExamMark.RIGHT], known.total()),
            "not_abstained_from": _share(known.total() - silent, known.total()),
            "abstained_rightly": _share(never[ExamMark.ABSTAINED_RIGHTLY], never.total()),
            "points": self.points(),
            "questions": self.total(),
            "kinds": {
                kind.value: {each.value: self[kind, each] for each in ExamMark}
                for kind in QuestionKind
            },
        }


def _share(times: int, of: int) -> float:
    return round(times / of, 4) if of else 1.0
