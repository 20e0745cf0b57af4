"""Every recorded game, played again, ends with the same chain of digests."""

import pytest

from tests.proofs.conftest import Sized
from tests.recorded_games import recorded_games, recorded_job


@pytest.mark.proof
def test_recorded_games_end_with_the_same_chain(proof: Sized) -> None:
    recorded = proof("recorded_games", 2)
    rows = recorded.rows(recorded_job, jobs=min(recorded.size, len(recorded_games())))
    recorded.judge(rows, {"games": len(rows), "ticks": sum(row["ticks"] for row in rows)})
