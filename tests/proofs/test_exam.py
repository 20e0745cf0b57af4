"""What memory knows of games, against their recordings."""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.exam.exam import exam_job


@pytest.mark.proof
def test_memory_answers_questions_about_its_games(proof: Sized) -> None:
    exam = proof("exam", 3)
    rows = exam.rows(exam_job)
    shares = ("answered_rightly", "abstained_rightly")
    exam.judge(
        rows,
        {
            f"{who} memory, {share}": min(row["figures"][who][share] for row in rows)
            for who in ("with", "without")
            for share in shares
        },
    )
