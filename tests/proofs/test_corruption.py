"""A damaged cartridge image ends with one clear error line, or passes all checks."""

from collections import Counter

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.images import KINDS, REFUSED, SOUND, UNSOUND, bases, corruption_job
from tests.proofs.workers import Row

ENOUGH = 3 * len(KINDS)  # numbers that apply every damage to every image, and give every outcome
ROUND = 2  # times that each damage is applied, which gives every outcome


def check_rows(rows: list[Row]) -> None:
    assert {row["damage"] for row in rows} == set(KINDS)
    assert {row["outcome"] for row in rows} == {REFUSED, UNSOUND, SOUND}
    assert all(bool(row["line"]) is (row["outcome"] != SOUND) for row in rows)
    # The byte sum ignores order, and a header may be forged: nothing else is accepted.
    assert {row["damage"] for row in rows if row["let in"]} <= {"two banks swapped", "the header"}


def test_damaged_images_print_one_error_line_or_are_intact() -> None:
    images = len(bases())  # each damage to the next of them
    turns = range(ROUND * len(KINDS))
    rows = [corruption_job(turn * images + turn % images) for turn in turns]
    assert [problem for row in rows for problem in row["problems"]] == []
    check_rows(rows)


@pytest.mark.proof
def test_many_damaged_images_print_one_error_line_or_are_intact(proof: Sized) -> None:
    corruption = proof("corruption", 500)
    rows = corruption.rows(corruption_job)
    if len(rows) >= ENOUGH:
        check_rows(rows)
    figures = {
        "images": len(rows),
        "let in": sum(row["let in"] for row in rows),
        "outcomes": Counter(row["outcome"] for row in rows),
        "longest seconds": max(row["seconds"] for row in rows),
    }
    kinds = [
        {
            "name": kind,
            "problems": [],
            "outcomes": Counter(row["outcome"] for row in rows if row["damage"] == kind),
        }
        for kind in KINDS
    ]
    corruption.judge([row for row in rows if row["problems"]] or kinds, figures)
