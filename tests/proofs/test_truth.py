"""What memory has recorded of games, and what it says of them, is what their recordings show.

Games are played three at a time with one memory, their steps are driven again, and RAM is read at every tick.
"""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.recorded_truth import games_job
from tests.proofs.sentences import SENTENCES
from tests.proofs.workers import summed


@pytest.mark.proof
def test_no_record_and_no_sentence_differs_from_the_recordings(proof: Sized) -> None:
    truth = proof("truth", 7)
    rows = truth.rows(games_job)
    counted = ("battles", "with several", "items")
    kinds = summed(rows, "sentences")
    truth.judge(
        rows, {**{name: sum(row[name] for row in rows) for name in counted}, "sentences": kinds}
    )
    assert set(kinds) == set(SENTENCES)  # each kind of sentence was met
