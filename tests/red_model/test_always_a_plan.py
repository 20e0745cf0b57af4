"""Some milestone always has a plan, whatever the team, the money and the bag, on the tables of Red."""

import pytest

from tests.emulator.synthetic.facts import FOLDER
from tests.red_model.always_a_plan import POOR, RICH, STARTERS, PlanMatrix, Situation

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the facts of the game are not here")

YOUNG, GROWN = 5, 30


def test_some_milestone_has_a_plan_at_each_moment_of_the_story() -> None:
    """Of the starters, one a moment: young, ready for nothing, with all that can be bought; and grown, with nothing."""
    matrix = PlanMatrix.of_red()
    found = []
    names = sorted(STARTERS)
    for count, moment in enumerate(matrix.at_milestones()):
        found.append(Situation(moment, names[count % 3], YOUNG, RICH, full_bag=True))
        found.append(Situation(moment, names[(count + 1) % 3], GROWN, POOR, full_bag=False))
    lost = [
        f"{matrix.moments[each.moment].region}: {each}"
        for each in found
        if not matrix.plan_of(each)
    ]
    assert len(found) > 100
    assert lost == []
