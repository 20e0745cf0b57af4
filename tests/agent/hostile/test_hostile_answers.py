"""Twenty hostile answers of a model service, a short game each; the proof `hostile_service` plays all of them."""

from pathlib import Path
from typing import Final

import pytest

from tests.fake_service.hostile_answers import FORMS, HostileAnswer, hostile_answers
from tests.fake_service.random_answers import random_answers
from tests.proofs import hostile_service

KEY: Final = "sk-ant-api03-Zz9qwErtYuiop0123456789asDFghJkl-ZxCvBnM_5544332211"
ANSWERS: Final = hostile_answers(KEY)
TWENTY: Final = ANSWERS[8::13]


@pytest.mark.parametrize(
    "hostile", TWENTY, ids=[f"{each.kind}, {each.name}"[:50] for each in TWENTY]
)
def test_a_hostile_answer_ends_no_game_and_leaves_no_key(
    hostile: HostileAnswer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(hostile_service, "TICKS", 40)
    monkeypatch.setattr(hostile_service, "TIMEOUT_S", 0.3)
    row = hostile_service.play(hostile, KEY, 0, tmp_path)
    # How long a call takes is measured by the proof: here other processes may use the processor.
    assert [each for each in row["problems"] if not each.startswith("a call took")] == []
    assert row["calls"] > 0


@pytest.mark.parametrize("seed", [1, 2])
def test_random_answers_end_no_game_and_leave_no_key(
    seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(hostile_service, "TICKS", 60)
    monkeypatch.setattr(hostile_service, "TIMEOUT_S", 0.3)
    row = hostile_service.play(random_answers(seed, KEY), KEY, 0, tmp_path)
    assert [each for each in row["problems"] if not each.startswith("a call took")] == []
    assert row["calls"] > 2


def test_there_are_more_than_two_hundred_answers_of_every_kind() -> None:
    assert len(ANSWERS) > 200
    assert len(TWENTY) == 20
    assert {each.kind for each in TWENTY} == {each.kind for each in ANSWERS}


@pytest.mark.parametrize("form", FORMS)
def test_the_search_for_a_key_finds_every_form(form: str) -> None:
    assert hostile_service.is_in(f"it is {FORMS[form](KEY)}.", KEY)
    assert not hostile_service.is_in(FORMS[form]("The keys of the city of Pewter"), KEY)
