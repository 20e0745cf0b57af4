"""Damaged images by the dozen, through the same code as `scripts/corrupt`: each ends with one line or is sound."""

from pathlib import Path
from random import Random
from typing import Final

import pytest
from corrupt import Outcome, Trial, document, image_of, trial
from damage import KINDS, spoil

from emulator import demo_cartridge_path
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER

IMAGES: Final = 12 * len(KINDS)
DEMO: Final = demo_cartridge_path()


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """The demo, and where the facts are, the tables of the real game."""
    if not FOLDER.exists():
        return (DEMO,)
    path = tmp_path_factory.mktemp("bases") / "synthetic.gb"
    path.write_bytes(build())
    return (DEMO, path)


def test_damaged_images_end_with_one_line_or_are_sound(bases: tuple[Path, ...]) -> None:
    trials = [trial(bases, seed) for seed in range(IMAGES)]
    assert [each.failure for each in trials if each.failure] == []
    assert {each.kind for each in trials} == set(KINDS)
    assert {each.outcome for each in trials} == set(Outcome)
    for each in trials:
        assert bool(each.line) is (each.outcome is not Outcome.SOUND)
        assert "\n" not in each.line
    # The sum of the bytes sees no order, and a header may be forged: nothing else passes the door.
    assert {each.kind for each in trials if each.let_in} <= {"two banks swapped", "the header"}


def test_a_seed_gives_the_same_damage_again(bases: tuple[Path, ...]) -> None:
    one, other = (trial(bases, 5) for _ in range(2))
    assert (one.kind, one.outcome, one.line) == (other.kind, other.outcome, other.line)


@pytest.mark.parametrize("error", [ValueError("of a decoder"), TimeoutError("took over 2 s")])
def test_whatever_else_comes_out_is_a_failure_that_can_be_tried_again(
    error: Exception, bases: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def decode(_: object) -> None:
        raise error

    monkeypatch.setattr("corrupt.survey", decode)
    broken = trial(bases, 1)
    assert str(error) in broken.failure
    assert (broken.seed, broken.outcome) == (1, None)


@pytest.mark.parametrize("kind", KINDS)
def test_damage_always_changes_the_image(kind: str) -> None:
    image = image_of(DEMO)
    assert all(spoil(image, kind, Random(seed)) != image for seed in range(5))


def test_the_page_has_a_row_for_each_kind_and_each_image_damaged() -> None:
    trials = [
        Trial(seed, "demo.gb", kind, let_in=False, outcome=Outcome.SOUND, line="", seconds=0.5)
        for seed, kind in enumerate(KINDS)
    ]
    page = document(trials)
    assert f"{len(KINDS)} images: 0 ended in" in page
    assert all(f"\n| {kind} | " in page for kind in (*KINDS, "`demo.gb`"))
