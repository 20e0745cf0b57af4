"""A game that is killed or stopped at any time and resumed is, tick by tick, the game that nothing disturbed."""

import signal
from random import Random

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.kills import compared, killed_game


def test_a_game_ended_three_times_is_the_undisturbed_one() -> None:
    ends = [signal.SIGKILL, signal.SIGTERM, signal.SIGKILL]
    assert compared(Random(7), "rival", {"both": ends})["problems"] == []


@pytest.mark.proof
def test_games_ended_ten_times_are_the_undisturbed_ones(proof: Sized) -> None:
    kills = proof("kills", 4)
    rows = kills.rows(killed_game)
    figures = {
        "games": 3 * len(rows),
        "ends by a signal": sum(row["signals"] for row in rows),
        "ticks of the undisturbed games": sum(row["ticks"] for row in rows),
    }
    kills.judge(rows, figures)
