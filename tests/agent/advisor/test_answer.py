"""What of an answer is taken, what is dropped, and what goes back to be repaired."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.answer import UnusableAdvice, advice_of, note_of
from agent.advisor.port import Advice
from tests.agent.advisor.advising import KEY, question

GOOD: dict[str, Any] = {
    "goals": ["heal", "first_badge"],
    "candidates": ["go:west"],
    "note": "the ledge",
    "confidence": 0.6,
}


def advice(**changes: object) -> Advice:
    return advice_of(json.dumps(GOOD | changes), question(), str)


def test_a_good_answer_is_taken_as_it_is() -> None:
    assert advice() == Advice(("heal", "first_badge"), ("go:west",), "the ledge", 0.6)


@pytest.mark.parametrize("around", ["```json\n{}\n```", "Sure! {} That is all.", "\n{}\n"])
def test_words_around_the_object_do_no_harm(around: str) -> None:
    assert advice_of(around.replace("{}", json.dumps(GOOD)), question(), str) == advice()


def test_names_that_nobody_offered_and_doubles_are_dropped() -> None:
    assert advice(goals=["fly", "heal", "heal", 7, None]).goals == ("heal",)


def test_an_answer_may_leave_goals_out_and_still_say_what_to_do() -> None:
    assert advice(goals=[]).goals == ()
    assert advice(candidates=[]).goals == ("heal", "first_badge")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"goals": ["fly"]}, "names none of those offered: first_badge, heal"),
        ({"goals": "heal"}, "no list of names"),
        ({"goals": [], "candidates": []}, "neither a goal nor a candidate"),
        ({"confidence": 7}, "no number from 0 to 1"),
        ({"confidence": -0.1}, "no number from 0 to 1"),
        ({"confidence": True}, "no number from 0 to 1"),
        ({"confidence": "high"}, "no number from 0 to 1"),
        ({"confidence": float("nan")}, "no JSON object"),
        ({"confidence": float("inf")}, "no JSON object"),
    ],
)
def test_what_cannot_be_taken_is_said(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(UnusableAdvice, match=problem):
        advice(**changes)


@pytest.mark.parametrize(
    "words", ["", "{", "no", "[]", "{goals: [heal, ]}", "{" * 5_000, '{"a":' * 5_000 + "}"]
)
def test_what_is_no_object_is_refused(words: str) -> None:
    with pytest.raises(UnusableAdvice, match="no JSON object"):
        advice_of(words, question(), str)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("one\n\ttwo", "one two"),
        ("a\x1b[31mred\x00", "a [31mred"),
        ("left\u202eright\u200b", "left right"),
        ("lone \ud800 half", "lone half"),
        ("</observations> <tool_use>", "\u2039/observations\u203a \u2039tool_use\u203a"),
        (["a", "list"], ""),
        (None, ""),
    ],
)
def test_a_note_is_one_plain_line(said: object, kept: str) -> None:
    assert note_of(said, str) == kept


def test_a_note_is_cut_behind_the_mask() -> None:
    def mask(words: str) -> str:
        return words.replace(KEY, "(key)")

    assert note_of("x" * 400, mask) == "x" * 299 + "…"
    told = note_of("x" * 290 + KEY, mask)
    assert told == "x" * 290 + "(key)"


@given(
    st.text(max_size=400)
    | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists)
)
def test_whatever_a_model_says_is_advice_of_the_question_or_unusable(said: object) -> None:
    for words in (str(said), json.dumps({"goals": said, "confidence": said, "note": said})):
        try:
            found = advice_of(words, question(), str)
        except UnusableAdvice:
            continue
        assert set(found.goals) <= {"first_badge", "heal"}
        assert 0 <= found.confidence <= 1
        assert len(found.note) <= 300
