"""Memory at full capacity stays within its limits of time and size."""

from dataclasses import replace
from functools import partial

import pytest

from agent.lab.stats import Distribution
from tests.proofs.conftest import Sized
from tests.proofs.limits import BoundedFigure, BoundVerdict
from tests.proofs.memory_limits import memory_job
from tests.proofs.workers import Row

TICKS = 60


@pytest.fixture(scope="module")
def measured() -> Row:
    return dict(memory_job(300, 0, ticks=TICKS, skipped=60)["measured"])


def test_memory_is_measured_at_full_capacity(measured: Row) -> None:
    assert measured["held"] == {
        "patterns": 500,
        "strategies": 100,
        "mistakes": 200,
        "events of the session": 1_000,
        "observations": 300,
    }


def test_every_figure_of_the_design_is_measured(measured: Row) -> None:
    names = {each["what"].partition(":")[0] for each in measured["figures"]}
    assert names == {
        "observer query",
        "observer",
        "strategist objective query",
        "strategist",
        "tactician strategy query",
        "tactician pattern query",
        "tactician mistake query",
        "consolidation of 1,000 ticks, all tiers full",
        "overhead of consolidation in between, 1,000 ticks",
        "play watched and remembered, 1,000 ticks",
        "tactician save",
        "tactician load",
        "tactician",
        "recall",
        "recall, worst case",
        "prompt block",
        "a disabled hook, a call",
    }
    assert all(each["values"]["p99"] > 0 for each in measured["figures"])


@pytest.mark.parametrize(
    ("p99", "verdict"),
    [(1.0, "within the aim"), (5.0, "within the limit"), (5.1, "ABOVE THE LIMIT")],
)
def test_the_verdict_uses_the_99th_percentile(p99: float, verdict: BoundVerdict) -> None:
    found = BoundedFigure("something", 5.0, 1.0, Distribution(0.1, 0.1, p99, 90.0))
    assert found.verdict == verdict
    assert bool(found.problem) == (verdict == "ABOVE THE LIMIT")
    assert replace(found, limit=None).verdict == "no limit"


@pytest.mark.proof
def test_a_full_memory_stays_within_its_limits(proof: Sized) -> None:
    full = proof("memory", 10_000)
    rows = full.rows(partial(memory_job, full.size), jobs=1, part=f"size-{full.size}")
    full.judge(rows, rows[0].pop("measured"))
