"""The policy beside a search of a hundred playouts on Showdown's engine.

Both know how the other side chooses. The search takes some seconds for a battle; a size of 1 is 10 battles against each.
"""

from functools import partial

import pytest

from tests.emulator.synthetic.facts import FOLDER, MISSING
from tests.proofs.conftest import Sized
from tests.proofs.showdown.oracle import missing, random_playouts


@pytest.mark.proof
def test_playouts_with_shortcuts_end_as_those_without_and_the_same_choice_is_best() -> None:
    if missing():
        pytest.skip(missing())
    for each in random_playouts(seed=1, positions=300):
        assert each["quick"] == each["plain"]
        assert each["best"] == each["all"]


@pytest.mark.proof
@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_the_policy_is_not_behind_a_search_on_showdowns_engine(proof: Sized, opponent: str) -> None:
    if missing() or not FOLDER.exists():
        pytest.skip(missing() or MISSING)
    from tests.proofs.showdown.strength import informed_job, lead, reference_job, weaknesses

    reference = proof(f"reference_{opponent}", 1)
    informed = reference.rows(partial(informed_job, opponent), part="informed")
    searched = reference.rows(partial(reference_job, opponent), part="searched")
    found = lead(opponent, informed, searched)
    reference.judge([{"name": "strength", "problems": weaknesses(found)}], found)
