"""A game killed at any time and resumed loses nothing that was stored, and counts nothing twice."""

from pathlib import Path
from random import Random

import pytest

from tests.proofs.channel import Aim, Phase
from tests.proofs.conftest import Sized
from tests.proofs.faults import KILLED, Planned
from tests.proofs.game import Games, killed_games
from tests.proofs.workers import middle

# The child processes do not use threads of the test runner.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


def test_b18_a_game_killed_during_a_commit_loses_nothing(tmp_path: Path) -> None:
    moments = (
        (Phase.CHECKPOINTING, 10),
        (Phase.REWINDING, 0),
        (Phase.KEPT, 20),
        (Phase.DELIVERING, 30),
        (Phase.DECAYING, 0),
        (Phase.CONSOLIDATING, 40),
    )
    plan = [Planned(KILLED, Aim(phase, tick), 0.0) for phase, tick in moments]
    row = Games(tmp_path, Random(1), is_supervised=False).play(plan, "starter")
    assert [fault["outcome"] for fault in row["faults"]] == ["continued"] * len(plan)
    assert (row["verdict"], row["problems"]) == ("goal", [])


@pytest.mark.proof
def test_games_killed_at_random_times_lose_nothing(proof: Sized) -> None:
    crash = proof("crash", 2)
    rows = crash.rows(killed_games)
    kills = [fault for row in rows for fault in row["faults"]]
    figures = {
        "games": len(rows) * 2,
        "kills": len(kills),
        "restores": sum(row["restored"] for row in rows),
        "seconds to play again, median": middle([k["back_s"] for k in kills if k["back_s"]]),
        "ticks played again, median": middle([kill["replayed"] for kill in kills]),
    }
    crash.judge(rows, figures)
