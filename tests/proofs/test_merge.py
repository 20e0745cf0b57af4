"""Memories can be merged in any order and repeatedly: nothing is lost, and nothing counts twice."""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.merges import merge_job


def test_b34_a_random_history_is_merged_without_loss_in_any_order() -> None:
    assert merge_job(0)["problems"] == []


@pytest.mark.proof
def test_random_histories_are_merged_without_loss(proof: Sized) -> None:
    merge = proof("merge", 20)
    rows = merge.rows(merge_job)
    sums = {name: sum(row[name] for row in rows) for name in ("runs", "lessons", "files", "merges")}
    merge.judge(rows, {"histories": len(rows), **sums})
