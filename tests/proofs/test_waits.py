"""Play has the same outcome when every wait of the game takes longer, by a random number of frames."""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.waits import MISSED, RANDOM, figures, play_all, waits_job

SHORT = "rival"


def test_a_short_game_with_random_waits_has_the_outcome_of_the_demo() -> None:
    row = waits_job(RANDOM, SHORT, 3)
    assert (row["last"], row["episodes"], row["problems"]) == (SHORT, 0, [])


@pytest.mark.proof
def test_longer_waits_change_no_outcome(proof: Sized) -> None:
    waits = proof("waits", 50)
    rows = play_all(waits)
    found = figures(rows)
    for kind, each in found.items():
        assert each["at the goal"] >= (1 - MISSED) * each["games"], (kind, each)
    waits.judge(rows, found)
