"""Memory of what failed in earlier games helps where a cartridge is not as its own data say."""

from functools import partial

import pytest

from agent.experience.memory_use import MemoryUse
from tests.proofs.broken_cartridges import require_compiler
from tests.proofs.conftest import Sized
from tests.proofs.odd_cartridges import EDITS, figures, odd_job

USES = {"hidden_wall": MemoryUse.ROUTES, "fenced_grass": MemoryUse.COSTS}


def test_a_later_game_goes_around_a_square_that_stopped_an_earlier_one() -> None:
    require_compiler()
    row = odd_job("hidden_wall", MemoryUse.ROUTES, 0, teaching=1, limit=800)
    assert row["problems"] == []
    assert row["moved"]
    assert row["ticks"] < row["ticks without"]


@pytest.mark.proof
def test_memory_of_failures_helps_on_odd_cartridges(proof: Sized) -> None:
    require_compiler()
    odd = proof("odd_cartridges", 10)
    assert USES.keys() == EDITS.keys()
    found = {name: odd.rows(partial(odd_job, name, use), part=name) for name, use in USES.items()}
    every = [row for rows in found.values() for row in rows]
    odd.judge(every, {name: figures(rows) for name, rows in found.items()})
    assert all(any(row["moved"] for row in rows) for rows in found.values())
