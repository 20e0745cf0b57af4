"""A game that is killed or stopped at any time and resumed is, tick by tick, the game that nothing disturbed."""

import signal
from random import Random

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.kills import WAYS, by_limits, by_signals, compared, killed_game, some_ticks


def test_a_game_ended_in_two_ways_is_the_undisturbed_one() -> None:
    ways = {
        "SIGKILL": by_signals(signal.SIGKILL, 1),
        "--ticks": by_limits("--ticks", 1, some_ticks),
    }
    assert compared(Random(7), "left_home", ways)["problems"] == []


@pytest.mark.proof
def test_games_ended_ten_times_are_the_undisturbed_ones(proof: Sized) -> None:
    kills = proof("kills", 4)
    rows = kills.rows(killed_game)
    figures = {
        "games": len(WAYS) * len(rows),
        "ends": sum(row["ends"] for row in rows),
        "ticks of the undisturbed games": sum(row["ticks"] for row in rows),
        "ticks repeated after an end, at most": max(row["repeated"][0] for row in rows),
        "seconds that these took, at most": max(row["repeated"][1] for row in rows),
    }
    kills.judge(rows, figures)
