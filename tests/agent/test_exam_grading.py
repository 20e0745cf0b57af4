"""Marks of the memory exam: right, wrong, and the two ways of saying nothing."""

import pytest

from agent.exam.grading import Mark, Ratio, Score, is_trapped, mark
from agent.exam.question import (
    Answer,
    Ask,
    Exactly,
    Expected,
    Form,
    Kind,
    Question,
    Unknown,
    Within,
)


def question(expected: Expected, *traps: Exactly | Within, kind: Kind = Kind.LATEST) -> Question:
    return Question(kind, Form(Ask.MONEY), "How much?", expected, traps)


@pytest.mark.parametrize(
    ("expected", "answer", "worth"),
    [
        (Exactly(700), 700, Mark.RIGHT),
        (Exactly(700), 701, Mark.WRONG),
        (Exactly(700), None, Mark.ABSTAINED_WRONGLY),
        (Exactly("the lane"), "the lane", Mark.RIGHT),
        (Exactly("the lane"), "the Lane", Mark.WRONG),
        (Exactly("7"), 7, Mark.WRONG),
        (Exactly(1), True, Mark.WRONG),
        (Exactly(frozenset({"a", "b"})), frozenset({"b", "a"}), Mark.RIGHT),
        (Exactly(frozenset({"a", "b"})), frozenset({"a"}), Mark.WRONG),
        (Exactly(("a", "b")), ("a", "b"), Mark.RIGHT),
        (Exactly(("a", "b")), ("b", "a"), Mark.WRONG),
        (Within(10, 20), 10, Mark.RIGHT),
        (Within(10, 20), 21, Mark.WRONG),
        (Within(10, 20), "10", Mark.WRONG),
        (Within(10, 20), None, Mark.ABSTAINED_WRONGLY),
        (Unknown(), None, Mark.ABSTAINED_RIGHTLY),
        (Unknown(), 0, Mark.WRONG),
        (Unknown(), "", Mark.WRONG),
    ],
)
def test_an_answer_is_right_or_it_is_not(
    expected: Expected, answer: Answer | None, worth: Mark
) -> None:
    assert mark(question(expected), answer) is worth


def test_a_wrong_answer_is_worse_than_none() -> None:
    assert Mark.WRONG.points < Mark.ABSTAINED_WRONGLY.points < Mark.RIGHT.points
    assert Mark.RIGHT.points == Mark.ABSTAINED_RIGHTLY.points


def test_only_a_wrong_answer_falls_into_a_trap() -> None:
    asked = question(Exactly(3), Exactly(5), Within(7, 9))
    assert is_trapped(asked, 5)
    assert is_trapped(asked, 8)
    assert not is_trapped(asked, 6)
    assert not is_trapped(asked, 3)
    assert not is_trapped(asked, None)


def test_the_score_keeps_what_was_known_and_what_never_was_apart() -> None:
    score = Score()
    known, never = question(Exactly(1), Exactly(2)), question(Unknown(), kind=Kind.NEVER)
    for answer in (1, 1, 1, 2, None):
        score.add(known, answer)
    for answer in (None, None, 4):
        score.add(never, answer)
    assert score.answered == Ratio(3, 5)
    assert score.spoke == Ratio(4, 5)
    assert score.abstained == Ratio(2, 3)
    assert score.trapped == 1
    assert score.points() == 3 - 1 + 2 - 1
    assert score.points([Kind.NEVER]) == 1
    assert score.count() == 8


def test_the_share_of_nothing_is_whole() -> None:
    assert Score().answered.share == 1.0
