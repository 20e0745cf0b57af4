"""The planner reaches the Hall of Fame in a model of Red's world, from many legal states."""

from collections import Counter

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.workers import middle
from tests.red_model.planner import End
from tests.red_model.random_moments import game_from


@pytest.mark.proof
def test_games_from_many_legal_states_reach_the_hall_of_fame(proof: Sized) -> None:
    red_model = proof("red_model", 20)
    rows = red_model.rows(game_from)
    figures = {
        "games": len(rows),
        "reached the Hall of Fame": sum(row["end"] == End.FAME.value for row in rows),
        "actions, median": middle([row["actions"] for row in rows]),
        "longest plan": max(row["longest plan"] for row in rows),
        "games by badges at the start": Counter(str(row["badges"]) for row in rows),
    }
    red_model.judge(rows, figures)
