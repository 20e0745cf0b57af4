"""Whole games of Red.

Games rehearsed from the facts of Red, from the bedroom to the Hall of Fame, with each starter; and how often play wins the
last five fights in a row beside the chance that the agent trains to. The first line is short because the index of results
is among the pages that stay short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any, Final

import pytest

from agent.battle.odds import HEALTHY, chance_to_beat, led_by
from agent.battle.policy import BattleGoals, BattlePolicy
from agent.capabilities.readiness import MOST_HEALS, READY_FOR_A_ROW
from agent.lab.rehearse.battle import ModelBattle, Trainer
from agent.lab.rehearse.play import AtMilestone
from agent.lab.stats import median_interval, share_interval
from agent.story.story import Story
from emulator import FRAMES_PER_SECOND, CartridgeKind, Party
from emulator.ram import Stack
from emulator.rules import codes
from tests.emulator.synthetic.facts import FOLDER, MISSING
from tests.proofs.conftest import Sized
from tests.proofs.leaders import STARTERS, badges_before, fights, party_at, team_in
from tests.proofs.showdown.jobs import red_dex
from tests.proofs.workers import Row

AN_HOUR: Final = 3_600 * FRAMES_PER_SECOND
BALLS: Final = {"CHARMANDER": 2, "SQUIRTLE": 3, "BULBASAUR": 4}  # sprite slots in the laboratory
LEVELS: Final = (58, 62, 66, 70, 74, 78)
ATTEMPTS: Final = 10
FULL_RESTORE, REVIVE, REVIVES = 16, 53, 4
HURT: Final = 2  # part of the HP below which the first member is healed between two fights
FIGURES: Final = ("frames", "battles", "blackouts", "level", "money")


def game_job(number: int) -> Row:
    """Rehearse the game of a seed; the starters take turns."""
    from tests.red_model.rehearsal import rehearse_red

    starter = [*BALLS][number % len(BALLS)]
    last = Story.of(CartridgeKind.RED).up_to(None)[-1]
    game = rehearse_red(number, last, {"take_starter": BALLS[starter]})
    problems = [] if last in game.milestones else [f"{starter}: {game.stop} {game.reason}"]
    figures = {name: each._asdict() for name, each in game.milestones.items()}
    return {"starter": starter, "figures": figures, "problems": problems}


def row_job(number: int) -> Row:
    """Fight the last five in a row with a team at one level, some times."""
    kinds = [(starter, level, have) for starter in STARTERS for level in LEVELS for have in (0, 1)]
    starter, level, have = kinds[number % len(kinds)]
    dex, fight = red_dex(), fights()[-1]
    party = party_at(dex, fight, starter, ("LAPRAS",)[:have], level)
    teams, badges = team_in(dex, fight, starter), badges_before(fight)
    odds = max(
        chance_to_beat(dex, led_by(party, at), teams[0], teams[1:], MOST_HEALS, badges)
        for at in range(len(party))
    )
    won = sum(_wins(party, teams, badges, number * ATTEMPTS + each) for each in range(ATTEMPTS))
    return {
        "starter": starter,
        "level": level,
        "others": have,
        "odds": odds,
        "won": won,
        "problems": [],
    }


def _wins(party: Party, teams: Sequence[Any], badges: Sequence[int], seed: int) -> bool:
    """Return whether the policy of play wins a row of fights in the model, with what can be bought for it."""
    from tests.red_model.rehearsal import game_of_red

    game, dex = game_of_red(seed), red_dex()
    policy = BattlePolicy(dex, lambda _state: BattleGoals())
    game.ram.put_party(party.mons)
    game.ram.put_bag([Stack(FULL_RESTORE, MOST_HEALS), Stack(REVIVE, REVIVES)])
    for badge in badges:
        game.ram.put_badge(badge)
    for team in teams:
        trainer = Trainer(team[0].trainer_class, 1, team)
        state = game.state()
        battle = ModelBattle.begin(
            dex, state, trainer, game.chance.randrange(1 << 30), 0, in_safari=False
        )
        battle.show(game.ram)
        while battle.play(policy.order(game.state(), battle.tried), policy, game.ram, game.state):
            pass
        if battle.end(game.ram, policy, game.state).outcome != codes.WON:
            return False
        mons, bag = list(game.state().party.mons), game.state().bag
        if HURT * mons[0].hp < mons[0].stats.hp and bag.quantity(FULL_RESTORE):
            mons[0] = replace(mons[0], hp=mons[0].stats.hp, status=HEALTHY)
            game.give(FULL_RESTORE, -1)
            game.ram.put_party(mons)
    return True


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
def test_games_of_red_reach_the_hall_of_fame(proof: Sized) -> None:
    if not FOLDER.exists():
        pytest.skip(MISSING)
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
    rows_of_fights = proof("rows", len(STARTERS) * len(LEVELS) * 2)
    rows = rows_of_fights.rows(row_job)
    ready = [row for row in rows if row["odds"] >= READY_FOR_A_ROW]
    figures = {
        "attempts each": ATTEMPTS,
        "won where the agent is ready": share_interval(
            sum(row["won"] for row in ready), ATTEMPTS * len(ready)
        ),
        "teams": [{key: row[key] for key in row if key != "problems"} for row in rows],
    }
    rows_of_fights.judge(rows, figures)
