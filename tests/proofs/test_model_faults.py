"""A model service that fails three calls in ten does not harm play: same milestones, no ceiling exceeded, no key stored."""

import pytest

from tests.fake_service import scenario_named
from tests.proofs.conftest import Sized
from tests.proofs.model_faults import SHARE, advised_job
from tests.proofs.workers import middle, summed

ALL_KINDS = 20  # games that include every kind of fault


@pytest.mark.proof
def test_games_with_a_failing_model_service(proof: Sized) -> None:
    model = proof("model_faults", 2)
    rows = model.rows(advised_job)
    made = summed(rows, "faults")
    unmet = {kind.value for kind in scenario_named("faulty").spread.kinds} - made.keys()
    figures = {
        "games": len(rows),
        "share of calls that fail": SHARE,
        "calls": sum(row["calls"] for row in rows),
        "faults": made,
        "questions by end": summed(rows, "questions"),
        "ticks by rules, median": middle([row["ticks by rules"] for row in rows]),
        "ticks with claude, median": middle([row["ticks with claude"] for row in rows]),
    }
    model.judge(rows, figures)
    assert len(rows) < ALL_KINDS or not unmet
