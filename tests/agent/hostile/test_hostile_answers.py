"""Eleven hostile answers of a model service, a short game each; the proof `hostile_service` plays all of them."""

from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Final

import pytest

from agent.advisor.claude import Claude
from agent.advisor.deadline import Patience
from agent.advisor.model import ModelFault, Request
from tests.fake_service.hostile_answers import FORMS, HostileAnswer, hostile_answers
from tests.fake_service.random_answers import RandomAnswers, random_answers
from tests.fake_service.raw_server import RawServer
from tests.proofs import hostile_service
from tests.proofs.hostile_service import is_in

KEY: Final = "sk-ant-api03-Zz9qwErtYuiop0123456789asDFghJkl-ZxCvBnM_5544332211"
ANSWERS: Final = hostile_answers(KEY)
SOME: Final = ANSWERS[10::24]


@pytest.mark.parametrize("hostile", SOME, ids=[f"{each.kind}, {each.name}"[:50] for each in SOME])
def test_a_hostile_answer_ends_no_game_and_leaves_no_key(
    hostile: HostileAnswer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(hostile_service, "TICKS", 40)
    monkeypatch.setattr(hostile_service, "TIMEOUT_S", 0.3)
    row = hostile_service.play(hostile, KEY, 0, tmp_path)
    # How long a call takes is measured by the proof: here other processes may use the processor.
    assert [each for each in row["problems"] if not each.startswith("a call took")] == []
    assert row["calls"] > 0


def test_random_answers_end_no_game_and_leave_no_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(hostile_service, "TICKS", 60)
    monkeypatch.setattr(hostile_service, "TIMEOUT_S", 0.3)
    row = hostile_service.play(random_answers(1, KEY), KEY, 0, tmp_path)
    assert [each for each in row["problems"] if not each.startswith("a call took")] == []
    assert row["calls"] > 2


def test_each_random_answer_is_a_reply_or_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    answers, ends, words = RandomAnswers(3, KEY), list[str](), list[str]()
    asked = Request("claude-opus-5-5", (), [{"role": "user", "content": "Where to?"}])
    with (
        RawServer(lambda _path: answers.pieces()) as server,
        closing(Claude(0.2, patience=Patience(perf_counter), base_url=server.url)) as claude,
    ):
        for _ in range(100):
            try:
                ends.append(claude.complete(asked).stop_reason)
            except ModelFault as fault:
                ends.append(fault.kind.value)
                words.append(str(fault))
    assert len(ends) == 100
    assert not any(is_in(each, KEY) for each in words)
    assert len(set(ends)) > 5


def test_there_are_more_than_two_hundred_answers_of_every_kind() -> None:
    assert len(ANSWERS) > 200
    assert {each.kind for each in SOME} == {each.kind for each in ANSWERS}


@pytest.mark.parametrize("form", FORMS)
def test_the_search_for_a_key_finds_every_form(form: str) -> None:
    assert hostile_service.is_in(f"it is {FORMS[form](KEY)}.", KEY)
    assert not hostile_service.is_in(FORMS[form]("The keys of the city of Pewter"), KEY)
