"""A sound model service answers nearly all questions of a game, most of its input from the cache.

And the verdict on each answer is that of a reader of the recording.
"""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.model_faults import ANSWERED, sound_job
from tests.proofs.workers import middle, summed


@pytest.mark.proof
def test_games_with_a_sound_model_service(proof: Sized) -> None:
    model = proof("advised_games", 20)
    rows = model.rows(sound_job)
    ends, tokens = summed(rows, "questions"), summed(rows, "tokens")
    cached = tokens["cache_read"] / (tokens.total() - tokens["output"])
    figures = {
        "games": len(rows),
        "questions by end": ends,
        "verdicts": summed(rows, "verdicts"),
        "share of input read from the cache": round(cached, 3),
        "USD at list prices, median": middle([row["usd"] for row in rows]),
    }
    model.judge(rows, figures)
    assert summed(rows, "verdicts").total() >= 50
    assert ends[ANSWERED] >= 0.95 * ends.total()
    assert cached >= 0.85
