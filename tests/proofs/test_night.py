"""A supervised night with faults reaches its goal, or ends with a reason; nothing is lost or counted twice."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.proofs.channel import Aim, Phase
from tests.proofs.conftest import Sized
from tests.proofs.disk import use_own_mounts
from tests.proofs.faults import ALL, Planned
from tests.proofs.game import Games, night_games
from tests.proofs.workers import Row, middle, percentile_99

# The child processes do not use threads of the test runner.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
FAULTS = {each.name: each for each in ALL}


def test_a_supervised_game_survives_a_date_jump_and_a_killed_supervisor(tmp_path: Path) -> None:
    plan = (
        Planned(FAULTS["the date jumps"], Aim(Phase.PLAYING, 20), 0.0),
        Planned(FAULTS["SIGKILL of the supervisor"], Aim(Phase.CHECKPOINTING, 60), 0.0),
    )
    row = Games(tmp_path, Random(3), is_supervised=True, has_own_disk=False).play(plan, "starter")
    assert [fault["outcome"] for fault in row["faults"]] == ["continued", "continued"]
    assert (row["verdict"], row["problems"]) == ("goal", [])


@pytest.mark.proof
def test_nights_with_random_faults(proof: Sized) -> None:
    nights = proof("night", 2)
    rows = nights.rows(night_games, start=use_own_mounts)
    applied = [fault for row in rows for fault in row["faults"]]
    kinds = Counter(fault["fault"] for fault in applied)
    figures = {
        "games": sum(len(row["verdicts"]) for row in rows),
        "verdicts": Counter(verdict for row in rows for verdict in row["verdicts"]),
        "faults": len(applied),
        "by fault": {name: _figures(applied, name) for name, _ in kinds.most_common()},
    }
    nights.judge(rows, figures)


def _figures(applied: list[Row], name: str) -> Row:
    here = [fault for fault in applied if fault["fault"] == name]
    seconds = [fault["back_s"] for fault in here if fault["back_s"] is not None]
    return {
        "outcomes": Counter(fault["outcome"] for fault in here),
        "seconds to play again, median": middle(seconds),
        "p99": percentile_99(seconds),
        "ticks played again, median": middle([fault["replayed"] for fault in here]),
    }
