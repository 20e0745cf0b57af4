"""Good advice makes games shorter.

The same seeds of the demo by rules and with a stand-in that gives good advice from a table, both with an empty memory:
it measures whether advice can act, not whether a model is clever.
"""

import pytest

from agent.lab.stats import mean_interval
from tests.proofs.conftest import Sized
from tests.proofs.good_advice import advice_job, figures


def test_good_advice_chooses_the_starter() -> None:
    row = advice_job(0, "starter")
    assert row["problems"] == []
    assert list(figures([row])) == ["ticks saved to left_home", "ticks saved to starter"]


@pytest.mark.proof
def test_good_advice_saves_ticks(proof: Sized) -> None:
    advice = proof("good_advice", 40)
    rows = advice.rows(advice_job)
    advice.judge(rows, figures(rows))
    saved = mean_interval([row["saved"]["third_badge"] for row in rows])
    assert saved.low > 0, saved
