"""Known bugs of memory, installed one at a time, make a test of their row fail."""

import pytest

from tests.memory_rows import read_rows
from tests.proofs.bugs import BUGS, Bug
from tests.proofs.conftest import Sized
from tests.proofs.mutations import mutation_job


def test_every_closed_gap_of_memory_has_a_bug() -> None:
    closed = {row.id for row in read_rows() if "+" in row.marks}
    assert sorted(closed - {bug.row for bug in BUGS}) == []


@pytest.mark.parametrize("bug", BUGS, ids=[bug.id for bug in BUGS])
def test_every_bug_replaces_an_existing_attribute(bug: Bug) -> None:
    original = getattr(bug.owner, bug.name)
    assert bug.make(original) is not original


@pytest.mark.proof
def test_every_bug_makes_a_test_fail(proof: Sized) -> None:
    mutations = proof("mutations", 4)
    rows = mutations.rows(mutation_job, jobs=min(mutations.size, len(BUGS)))
    mutations.judge(rows, {"bugs": len(rows), "noticed": sum(not row["problems"] for row in rows)})
