"""Games in the model.

Games of the demo rehearsed beside the same seeds played; games of Red rehearsed from facts, from the bedroom to the Hall of
Fame, with each starter; and how often play wins the last five fights in a row beside the chance that the agent trains to.
"""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

import pytest

from agent.capabilities.readiness import READY_FOR_A_ROW
from agent.lab.rehearse.play import AtMilestone
from agent.lab.stats import median_interval, share_interval
from agent.story.story import Story
from emulator import FRAMES_PER_SECOND, CartridgeKind
from tests.emulator.synthetic.facts import FOLDER, MISSING
from tests.proofs.conftest import Sized
from tests.proofs.played import beside_job
from tests.proofs.workers import Row

AN_HOUR: Final = 3_600 * FRAMES_PER_SECOND
LEAST_OF_ROWS: Final = 0.9  # the share that play wins of the rows that it begins
FIGURES: Final = ("frames", "battles", "blackouts", "level", "money")


def _medians(rows: Sequence[Row], name: str) -> Mapping[str, Any]:
    """Return the medians of all games at a milestone, hours with their interval."""
    there = [AtMilestone(**row["figures"][name]) for row in rows if name in row["figures"]]
    hours = median_interval([each.frames / AN_HOUR for each in there])
    return {
        "milestone": name,
        "reached": f"{len(there)} of {len(rows)}",
        "hours": f"{hours.estimate:.1f} ({hours.low:.1f} to {hours.high:.1f})" if hours else "",
        **{figure: median(getattr(each, figure) for each in there) for figure in FIGURES if there},
    }


@pytest.mark.proof
def test_games_of_the_demo_end_when_rehearsed_and_when_played(proof: Sized) -> None:
    beside = proof("rehearsal", 50)
    rows = beside.rows(beside_job)
    milestones = [name for name in rows[0]["played"] if name in rows[0]["rehearsed"]]
    table = [_both(rows, name) for name in milestones]
    figures = {
        "seeds": len(rows),
        "at the last milestone": _ratios(rows, milestones[-1]),
        "milestones": table,
    }
    beside.judge(rows, figures)


def _both(rows: Sequence[Row], name: str) -> Row:
    """Return the medians of rehearsed and played games at a milestone, side by side."""
    found: Row = {"milestone": name}
    for figure in FIGURES:
        for way in ("rehearsed", "played"):
            there = [row[way][name][figure] for row in rows if name in row[way]]
            found[f"{figure} {way}"] = median(there) if there else None
    return found


def _ratios(rows: Sequence[Row], name: str) -> Mapping[str, float | None]:
    """Return each median of rehearsed games as a part of that of the games played."""
    both = _both(rows, name)
    return {
        figure: round(both[f"{figure} rehearsed"] / both[f"{figure} played"], 3)
        if both[f"{figure} played"]
        else None
        for figure in FIGURES
    }


@pytest.mark.proof
def test_games_of_red_reach_the_hall_of_fame(proof: Sized) -> None:
    if not FOLDER.exists():
        pytest.skip(MISSING)
    from tests.proofs.red_rehearsal import BALLS, game_job

    rehearsal = proof("red_rehearsal", 12)
    rows = rehearsal.rows(game_job)
    milestones = Story.of(CartridgeKind.RED).up_to(None)
    last = milestones[-1]
    by_starter = {starter: [row for row in rows if row["starter"] == starter] for starter in BALLS}
    figures = {
        "reached": share_interval(sum(last in row["figures"] for row in rows), len(rows)),
        "by starter": [
            {"starter": starter, **_medians(games, last)} for starter, games in by_starter.items()
        ],
        "milestones": [_medians(rows, name) for name in milestones],
    }
    rehearsal.judge(rows, figures)


@pytest.mark.proof
def test_rows_of_fights_are_won_at_least_as_often_as_the_odds_say(proof: Sized) -> None:
    if not FOLDER.exists():
        pytest.skip(MISSING)
    from tests.proofs.red_rehearsal import ATTEMPTS, KINDS, row_job

    rows_of_fights = proof("rows", len(KINDS))
    rows = rows_of_fights.rows(row_job)
    ready = [row for row in rows if row["odds"] >= READY_FOR_A_ROW]
    share = share_interval(sum(row["won"] for row in ready), ATTEMPTS * len(ready))
    figures = {
        "attempts each": ATTEMPTS,
        "won where the agent is ready": share,
        "teams": [{key: row[key] for key in row if key != "problems"} for row in rows],
    }
    assert sum(row["won"] for row in rows) >= ATTEMPTS * sum(row["odds"] for row in rows)
    assert share.low >= LEAST_OF_ROWS
    rows_of_fights.judge(rows, figures)
