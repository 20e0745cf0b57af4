"""What memory has recorded of games is what their recordings show: battles, moves, items and counts.

Each game is played, its steps are driven again, and RAM is read at every tick.
"""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.recorded_truth import game_job


@pytest.mark.proof
def test_no_record_differs_from_its_recording(proof: Sized) -> None:
    truth = proof("truth", 20)
    rows = truth.rows(game_job)
    counted = ("battles", "with several", "items", "snapshots")
    truth.judge(rows, {name: sum(row[name] for row in rows) for name in counted})
