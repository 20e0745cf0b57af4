"""A checkpoint and the return to one stay within their limits of time."""

from functools import partial

import pytest

from tests.proofs.checkpoint_limits import checkpoints_job
from tests.proofs.conftest import Sized


@pytest.mark.proof
def test_checkpoints_and_resuming_stay_within_their_limits(proof: Sized) -> None:
    checkpoints = proof("checkpoints", 4)
    work = partial(checkpoints_job, checkpoints.size)
    rows = checkpoints.rows(work, jobs=1, part=f"size-{checkpoints.size}")
    checkpoints.judge(rows, rows[0].pop("measured"))
