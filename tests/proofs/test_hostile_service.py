"""Hostile answers of a model service, drips included, end or delay no game, pass no ceiling, and leave no key behind."""

from typing import Final

import pytest

from tests.fake_service.random_answers import RANDOM
from tests.proofs.conftest import Sized
from tests.proofs.hostile_service import TIMEOUT_S, hostile_job, random_job
from tests.proofs.workers import middle

RANDOM_GAMES: Final = 170  # each has about three answers before the breaker opens


@pytest.mark.proof
def test_games_with_hostile_answers(proof: Sized) -> None:
    hostile = proof("hostile_service", 259)
    rows = hostile.rows(hostile_job, part="each")
    rows += hostile.rows(random_job, jobs=RANDOM_GAMES, part=RANDOM)
    kinds = dict.fromkeys(str(row["kind"]) for row in rows)
    longest = [row["longest call"] for row in rows]
    figures = {
        "games": len(rows),
        "timeout, s": TIMEOUT_S,
        "random answers": sum(row["calls"] for row in rows if row["kind"] == RANDOM),
        "calls": sum(row["calls"] for row in rows),
        "answers by kind": {kind: sum(row["kind"] == kind for row in rows) for kind in kinds},
        "games with a problem, by kind": {
            kind: sum(row["kind"] == kind and bool(row["problems"]) for row in rows)
            for kind in kinds
        },
        "longest call of a game, s, median": middle(longest),
        "longest call of all games, s": max(longest),
    }
    hostile.judge(rows, figures)
