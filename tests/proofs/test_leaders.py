"""Winning levels.

The lowest levels at which each starter beats Red's leaders, rivals and the last five, by the odds that the agent trains
to. The first line is short because the index of results is among the pages that stay short.
"""

from typing import Final

import pytest

from agent.battle.odds import Foe, chance_to_beat, mon_from
from agent.battle.search import PLAYOUTS
from agent.capabilities.readiness import READY
from emulator import Party
from tests.agent.demo import DEX
from tests.emulator.synthetic.facts import FOLDER, MISSING
from tests.proofs.conftest import Sized
from tests.proofs.leaders import SHARES, START_MONEY, STARTERS, fights, leader_job, lowest_level
from tests.proofs.workers import Row

PANELS: Final = {
    "alone": "alone, with bought potions",
    "three": "with two others 4 levels below, with bought potions",
}


def bought(row: Row, starter: str, team: str, share: str) -> int | None:
    """Return the level with bought items; that alone where no companion can be had."""
    levels = row["levels"][starter]
    level: int | None = levels.get(team, levels["alone"])["bought"][share]
    return level


def test_by_the_odds_one_level_less_is_not_enough() -> None:
    own, foe = min(DEX.all_species), Foe(12, max(DEX.all_species))

    def chance(level: int) -> float:
        mon = mon_from(DEX, Foe(level, own))
        assert mon is not None
        return chance_to_beat(DEX, Party((mon,)), (foe,))

    half, nearly_all = (lowest_level(chance, share) for share in SHARES.values())
    assert half is not None
    assert nearly_all is not None
    assert half <= nearly_all
    assert min(chance(half), chance(half + 1)) >= SHARES["half"] > chance(half - 1)


@pytest.mark.proof
def test_each_starter_beats_each_trainer_at_some_level(proof: Sized) -> None:
    if not FOLDER.exists():
        pytest.skip(MISSING)
    from tests.proofs.plots import levels_plot  # which takes a second to load

    leaders = proof("leaders", len(fights()))
    rows = leaders.rows(leader_job)
    panels = {
        title: {
            f"{starter.capitalize()}, 95% (faint: half)": [
                [bought(row, starter, team, share) for row in rows] for share in reversed(SHARES)
            ]
            for starter in STARTERS
        }
        for team, title in PANELS.items()
    }
    figures = {
        "chance": f"share of {PLAYOUTS} fights that the turn engine plays out, by the best leader of the team",
        "ready for the agent at": READY,
        "own stats": "average DVs, without stat experience; badges until there",
        "potions": f"for half of {START_MONEY} and of the prizes of the story's trainers until there",
        "train to": [row["words"] for row in rows],
    }
    leaders.judge(rows, figures, lambda: levels_plot([row["name"] for row in rows], panels))
