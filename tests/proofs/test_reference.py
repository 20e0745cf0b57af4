"""The policy beside a search that plays each choice out a hundred times on Pokemon Showdown's engine itself.

Both are told how the other side chooses. The search takes some seconds for a battle; a size of 1 is 20 battles.
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
def test_the_policy_is_not_behind_a_search_on_showdowns_engine(proof: Sized) -> None:
    if missing() or not FOLDER.exists():
        pytest.skip(missing() or MISSING)
    from tests.proofs.showdown.strength import SIMPLE, lead, reference_job, told_job, weaknesses

    reference = proof("reference", 1)
    told, searched = (
        {each: reference.rows(partial(job, each), part=f"{name}/{each}") for each in SIMPLE}
        for name, job in (("told", told_job), ("searched", reference_job))
    )
    found = lead(told, searched)
    reference.judge([{"name": "strength", "problems": weaknesses(found)}], found)
