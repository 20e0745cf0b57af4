"""With memory of what failed, games pass a hidden wall that stops the others, and lose less with a nurse that does not heal."""

import pytest

from tests.proofs.cartridge_build import require_compiler
from tests.proofs.conftest import Sized
from tests.proofs.odd_cartridges import USES, figures, odd_job, saved


@pytest.mark.proof
def test_memory_of_what_failed_helps_on_odd_cartridges(proof: Sized) -> None:
    require_compiler()
    odd = proof("odd_cartridges", 16)
    rows = odd.rows(odd_job)
    odd.judge(rows, figures(rows))
    assert all(saved(rows, name).low > 0 for name in USES)
