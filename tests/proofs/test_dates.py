"""No wrong date of a file or a clock makes a memory forget; each is named by check, corrected once and said once."""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.wrong_dates import dates_job


# In 291 a repaired row had faded twice.
@pytest.mark.parametrize("number", [0, 291])
def test_a_memory_with_wrong_dates_loses_nothing(number: int) -> None:
    assert dates_job(number)["problems"] == []


@pytest.mark.proof
def test_many_memories_with_wrong_dates_lose_nothing(proof: Sized) -> None:
    dates = proof("dates", 300)
    rows = dates.rows(dates_job)
    names = ("wrong dates", "clocks", "openings", "lines", "entries")
    sums = {name: sum(row[name] for row in rows) for name in names}
    dates.judge([row for row in rows if row["problems"]], {"memories": len(rows), **sums})
