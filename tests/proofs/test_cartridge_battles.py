"""What happens in each battle turn on the cartridge is possible by the turn engine, and as frequent as it says."""

from typing import Final

import pytest

from tests.proofs.cartridge_battles import battles_job, figures, game_job, suspicious
from tests.proofs.conftest import Sized

LIMIT: Final = 4.5  # standard errors; some hundred shares are compared
TABLES: Final = ("counts", "happened", "ranks")


@pytest.mark.proof
def test_battle_turns_are_those_of_the_engine(proof: Sized) -> None:
    battles = proof("cartridge_battles", 50)
    rows = [*battles.rows(game_job, part="games"), *battles.rows(battles_job, part="drawn")]
    found = figures(rows)
    plain = [{name: row[name] for name in row if name not in TABLES} for row in rows]
    battles.judge(plain, found)
    assert suspicious(found, LIMIT) == []
