"""What comes first, and why."""

from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

import pytest

from memory import MemoryQuery
from memory.recall import Weights, explain
from tests.memory.recall.recalling import Remembering, remembering


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Remembering]:
    with remembering(tmp_path / "run.sqlite") as opened:
        yield opened


def test_the_weights_of_a_score_add_up_to_one() -> None:
    assert sum(astuple(Weights())[:5]) == pytest.approx(1.0)


def test_a_score_is_the_weighted_sum_of_its_parts_and_says_so(memory: Remembering) -> None:
    memory.note({"location": "lane", "species": "moth", "says": "poison"}, key="a", importance=7)
    memory.note({"location": "lane", "species": "crab"}, key="b", at=600.0)
    query = MemoryQuery(text="poison", place="lane", subject="moth")
    first, second = memory.store.find(query, now_s=600.0)

    assert first.entry.key == "a"
    assert first.score[1:] == (1.0, 0.5, 0.7, 0.5, 1.0)
    assert second.score[1:] == (0.0, 1.0, 0.3, 0.5, 0.5)
    weights = Weights()
    for each in (first, second):
        parts = zip(each.score[1:], astuple(weights)[:5], strict=True)
        assert each.score.total == pytest.approx(sum(part * weight for part, weight in parts))
    assert explain(first) == (
        "a scores 0.790: words 1.00 x 0.35 + recency 0.50 x 0.15 + importance 0.70 x 0.20 "
        "+ utility 0.50 x 0.15 + place and subject 1.00 x 0.15"
    )


def test_the_better_a_text_matches_the_more_it_counts(memory: Remembering) -> None:
    memory.note({"says": "poison moth"}, key="both")
    memory.note({"says": "poison crab"}, key="one")
    memory.note({"says": "fire crab"}, key="none")
    both, one = memory.store.find(MemoryQuery(text="poison moth"), now_s=0.0)
    assert (both.entry.key, one.entry.key) == ("both", "one")
    assert both.score.words == 1.0
    assert 0.0 < one.score.words < 1.0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"importance": 8}, {"importance": 2}),
        ({"at": 900.0}, {"at": 0.0}),
        ({"importance": 5, "at": 0.0}, {"importance": 1, "at": 60.0}),
    ],
)
def test_what_is_newer_and_what_matters_more_comes_first(
    memory: Remembering, better: dict[str, float], worse: dict[str, float]
) -> None:
    ordered = sorted(
        [("better", better), ("worse", worse)], key=lambda each: each[1].get("at", 0.0)
    )
    for key, more in ordered:
        memory.note({"location": "lane"}, key=key, **more)
    assert memory.found(place="lane") == ["better", "worse"]


def test_equals_come_newest_first_every_time(memory: Remembering) -> None:
    for number in range(5):
        memory.note({"location": "lane"}, key=f"k{number}")
    expected = ["k4", "k3", "k2", "k1", "k0"]
    assert memory.found(place="lane") == expected
    memory.store.commit()
    assert memory.found(place="lane") == expected
