"""The odds of battles and the policy, played on Pokemon Showdown's engine.

A size of 100 makes 1,000 duels and 500 fights of trainers whose end is not clear, and 1,000 battles of the policy
against each opponent.
"""

import pytest

from tests.emulator.synthetic.facts import FOLDER, MISSING
from tests.proofs.conftest import Sized
from tests.proofs.plots import agreement_plot
from tests.proofs.showdown.oracle import missing


@pytest.mark.proof
def test_what_is_said_of_a_battle_is_what_happens(proof: Sized) -> None:
    if missing() or not FOLDER.exists():
        pytest.skip(missing() or MISSING)
    # The turn engine is compiled; only those who run this proof wait for it.
    from tests.proofs.showdown.calibration import duels_job, trainers_job
    from tests.proofs.showdown.said import agreement, problems
    from tests.proofs.showdown.strength import policies_job, strength, weaknesses

    odds = proof("odds", 10)
    found, rows, dots = {}, [], {}
    for name, job, jobs in (
        ("duels", duels_job, odds.size),
        ("trainers", trainers_job, max(odds.size // 2, 1)),
    ):
        made = odds.rows(job, jobs=jobs, part=name)
        fights = [fight for row in made for fight in row["fights"]]
        found[name] = agreement(fights)
        rows.append({"name": name, "problems": problems(found[name])})
        dots[name] = [(each["said"], each["played"]) for each in fights]
    found["strength"] = strength(odds.rows(policies_job, part="policies"))
    rows.append({"name": "strength", "problems": weaknesses(found["strength"])})
    odds.judge(rows, found, lambda: agreement_plot(dots, "said", "won on Showdown's engine"))
