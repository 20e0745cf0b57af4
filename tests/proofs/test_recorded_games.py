"""Every recorded game is played again and ends with the same chain of digests."""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.workers import Row
from tests.recorded_games import play_recorded, recorded_games


def game_job(number: int) -> Row:
    """Play one recorded game again."""
    game = recorded_games()[number % 1_000_000]
    played = play_recorded(game.name)
    return {
        "name": game.name,
        "ticks": played.ticks,
        "chain": played.chain,
        "problems": [] if played == game else [f"{played} is not {game}"],
    }


@pytest.mark.proof
def test_recorded_games(proof: Sized) -> None:
    recorded = proof("recorded_games", 2)
    count = min(recorded.size, len(recorded_games()))
    rows = recorded.rows(game_job, jobs=count)
    recorded.judge(rows, {"games": len(rows), "ticks": sum(row["ticks"] for row in rows)})
