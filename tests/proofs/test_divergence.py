"""The first differing tick is found exactly, in at most 2 + log2(checkpoints) restores."""

from functools import partial

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.divergence import divergence_job
from tests.proofs.workers import middle


@pytest.mark.proof
def test_bisect_finds_random_differences(proof: Sized) -> None:
    divergence = proof("divergence", 4)
    rows = divergence.rows(partial(divergence_job, divergence.seed))
    figures = {
        f"{what} {way}": {
            "median": middle([row[what][way] for row in rows]),
            "most": max(row[what][way] for row in rows),
        }
        for what in ("restores", "ticks driven")
        for way in ("alone", "pair")
    }
    divergence.judge(rows, {"ticks": len(rows), **figures})
