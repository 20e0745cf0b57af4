"""Of each row of memory a function is entered by some command of a user; whether an effect is seen is not measured."""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.reach import reach_job, rows_reached

MOST = 10  # rows that tests alone show


@pytest.mark.proof
def test_each_row_of_memory_is_reached_by_a_command(proof: Sized) -> None:
    reach = proof("reach", 1)
    (commands,) = reach.rows(reach_job, jobs=1)
    rows = rows_reached(commands["entered"])
    alone = [row["name"] for row in rows if row["tests alone, because"]]
    reach.judge(rows, {"rows": len(rows), "by tests alone": len(alone)})
    assert len(alone) <= MOST
