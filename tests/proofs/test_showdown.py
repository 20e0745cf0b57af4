"""Turns agree with Pokemon Showdown.

What the turn engine and Showdown's do in random battles is the same, but for the listed differences, of which each says which
is right on the cartridge.
"""

import numpy as np
import pytest

from tests.emulator.synthetic.facts import FOLDER, MISSING
from tests.proofs.conftest import Sized
from tests.proofs.showdown.differences import known
from tests.proofs.showdown.oracle import missing
from tests.proofs.showdown.positions import Columns
from tests.proofs.showdown.samples import rejected, same_classes, same_values
from tests.proofs.showdown.steps import Step


def test_each_known_difference_says_which_side_is_right_and_can_be_recognised() -> None:
    empty = Step(
        np.zeros(0, np.int64), 0, 0, np.zeros(0, np.int64), send=False, log=["|move|p1a: 0|Splash|"]
    )
    assert len({each.name for each in known()}) == len(known())
    for each in known():
        assert each.right in {"cartridge", "showdown", "either"}, each.name
        assert not each.explains(empty, ("0.0.hp",), Columns(())), each.name


def test_tests_of_samples_reject_those_of_two_distributions_only() -> None:
    random = np.random.default_rng(1)
    fair, again, biased = (random.random(4_000) < chance for chance in (0.5, 0.5, 0.56))
    assert same_classes(list(fair), list(again)) > 0.01 > same_classes(list(fair), list(biased))
    rolls, others = random.integers(1, 40, 4_000), random.integers(1, 40, 200)
    assert same_values(rolls, others) > 0.01 > same_values(rolls, others + 8)


def test_many_tests_are_corrected_together() -> None:
    assert rejected([0.001, 0.02, 0.04, 0.9], 0.05) == {0}
    assert rejected([0.04] * 4, 0.05) == set()


@pytest.mark.proof
def test_showdown_agrees(proof: Sized) -> None:
    if missing() or not FOLDER.exists():
        pytest.skip(missing() or MISSING)
    # The turn engine is compiled; only those who run this proof wait for it.
    from tests.proofs.showdown.jobs import battles_job, frequency_job, possible_job, red_dex
    from tests.proofs.showdown.report import Report

    showdown = proof("showdown", 20)
    turns = showdown.rows(possible_job, part="turns")
    frequencies = showdown.rows(frequency_job, jobs=max(showdown.size // 4, 1), part="frequencies")
    battles = showdown.rows(battles_job, jobs=max(showdown.size // 4, 1), part="battles")
    report = Report(red_dex(), turns, frequencies, battles)
    moves = report.moves()
    figures = report.figures(moves)
    showdown.judge([*moves, *report.totals()], figures)
