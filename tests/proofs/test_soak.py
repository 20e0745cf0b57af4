"""A long game in one process stays within its budgets, and the budgets detect growth."""

from dataclasses import replace
from functools import partial

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.soak import (
    CHECKPOINT,
    CONSOLIDATION,
    KB,
    MIB,
    Lapse,
    Sample,
    Soak,
    soak_job,
    verdicts,
)


def steady(
    *,
    resident: float = 0,
    run: float = 0,
    slower_ms: float = 0,
    saving_ms: float = 0,
    entries: float = 0,
    idle: int = 0,
) -> Soak:
    """Return a game of a hundred samples within every budget, except for the given growth for each sample."""
    samples = [
        Sample(
            frame=22_000 * at,
            tick=500 * at,
            cpu_s=float(at),
            resident=int(100 * MIB + resident * at),
            run_bytes=int(50_000 * at + run * at * at),
            memory_bytes=300 * KB,
            log_bytes=4_000 * KB,
            patterns=10,
            observer_bytes=KB,
            strategist_bytes=20 * KB,
            entries=int(100 + entries * at),
        )
        for at in range(1, 101)
    ]
    lapses = [
        Lapse(what, each.frame, base_ms + slower * at)
        for what, base_ms, slower in ((CONSOLIDATION, 5, slower_ms), (CHECKPOINT, 30, saving_ms))
        for at, each in enumerate(samples)
        if at % 2
    ]
    soak = Soak(samples, lapses, stop="interrupted")
    soak.activities.update({"travel": 100 - idle, "waiting": idle})
    return soak


def exceeded(soak: Soak) -> list[str]:
    return [each.what for each in verdicts(soak) if not each.is_met]


def test_e37_a_game_without_growth_meets_every_budget() -> None:
    assert exceeded(steady()) == []


@pytest.mark.parametrize(
    ("soak", "what"),
    [
        (steady(resident=MIB / 4), "resident memory"),
        (steady(run=1_000), "run.sqlite"),
        (steady(slower_ms=0.1), "a consolidation"),
        (steady(saving_ms=0.5), "a checkpoint"),
        (steady(entries=2), "entries alive"),
        (steady(idle=6), "ticks waited"),
        (
            replace(
                steady(),
                samples=[replace(each, log_bytes=13_000 * KB) for each in steady().samples],
            ),
            "the logs",
        ),
        (replace(steady(), errors=1), "the end"),
    ],
    ids=["leak", "file", "slower", "checkpoints", "entries", "idle", "logs", "errors"],
)
def test_e37_growth_exceeds_only_its_own_budget(soak: Soak, what: str) -> None:
    (found,) = exceeded(soak)
    assert found.startswith(what)


@pytest.mark.proof
def test_a_long_game_meets_every_budget(proof: Sized) -> None:
    soak = proof("soak", 1)
    rows = soak.rows(partial(soak_job, soak.size), jobs=1, part=f"size-{soak.size}")
    soak.judge(rows, rows[0]["figures"])
