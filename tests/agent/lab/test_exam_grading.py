"""Marks of the memory exam: right, wrong, and the two ways of saying nothing."""

import pytest

from agent.lab.exam.question import (
    Exactly,
    ExamAnswer,
    ExamMark,
    ExamQuestion,
    ExamScore,
    Expected,
    Proportion,
    QuestionForm,
    QuestionKind,
    QuestionTopic,
    Unknown,
    Within,
    is_trapped,
    mark,
)


def question(
    expected: Expected, *traps: Exactly | Within, kind: QuestionKind = QuestionKind.LATEST
) -> ExamQuestion:
    return ExamQuestion(kind, QuestionForm(QuestionTopic.MONEY), "How much?", expected, traps)


@pytest.mark.parametrize(
    ("expected", "answer", "worth"),
    [
        (Exactly(700), 700, ExamMark.RIGHT),
        (Exactly(700), 701, ExamMark.WRONG),
        (Exactly(700), None, ExamMark.ABSTAINED_WRONGLY),
        (Exactly("the lane"), "the lane", ExamMark.RIGHT),
        (Exactly("the lane"), "the Lane", ExamMark.WRONG),
        (Exactly("7"), 7, ExamMark.WRONG),
        (Exactly(1), True, ExamMark.WRONG),
        (Exactly(frozenset({"a", "b"})), frozenset({"b", "a"}), ExamMark.RIGHT),
        (Exactly(frozenset({"a", "b"})), frozenset({"a"}), ExamMark.WRONG),
        (Exactly(("a", "b")), ("a", "b"), ExamMark.RIGHT),
        (Exactly(("a", "b")), ("b", "a"), ExamMark.WRONG),
        (Within(10, 20), 10, ExamMark.RIGHT),
        (Within(10, 20), 21, ExamMark.WRONG),
        (Within(10, 20), "10", ExamMark.WRONG),
        (Within(10, 20), None, ExamMark.ABSTAINED_WRONGLY),
        (Unknown(), None, ExamMark.ABSTAINED_RIGHTLY),
        (Unknown(), 0, ExamMark.WRONG),
        (Unknown(), "", ExamMark.WRONG),
    ],
)
def test_an_answer_is_right_or_it_is_not(
    expected: Expected, answer: ExamAnswer | None, worth: ExamMark
) -> None:
    assert mark(question(expected), answer) is worth


def test_a_wrong_answer_is_worse_than_none() -> None:
    assert ExamMark.WRONG.points < ExamMark.ABSTAINED_WRONGLY.points < ExamMark.RIGHT.points
    assert ExamMark.RIGHT.points == ExamMark.ABSTAINED_RIGHTLY.points


def test_only_a_wrong_answer_falls_into_a_trap() -> None:
    asked = question(Exactly(3), Exactly(5), Within(7, 9))
    assert is_trapped(asked, 5)
    assert is_trapped(asked, 8)
    assert not is_trapped(asked, 6)
    assert not is_trapped(asked, 3)
    assert not is_trapped(asked, None)


def test_the_score_keeps_what_was_known_and_what_never_was_apart() -> None:
    score = ExamScore()
    known, never = question(Exactly(1), Exactly(2)), question(Unknown(), kind=QuestionKind.NEVER)
    for answer in (1, 1, 1, 2, None):
        score.add(known, answer)
    for answer in (None, None, 4):
        score.add(never, answer)
    assert score.answered == Proportion(3, 5)
    assert score.spoke == Proportion(4, 5)
    assert score.abstained == Proportion(2, 3)
    assert score.trapped == 1
    assert score.points() == 3 - 1 + 2 - 1
    assert score.points([QuestionKind.NEVER]) == 1
    assert score.count() == 8


def test_the_share_of_nothing_is_whole() -> None:
    assert ExamScore().answered.share == 1.0
