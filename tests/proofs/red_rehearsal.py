"""Games of Red in the model, from the facts: whole games, and the last five fights in a row."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from agent.battle.odds import HEALTHY, chance_to_beat, led_by
from agent.battle.policy import BattleGoals, BattlePolicy
from agent.capabilities.readiness import MOST_HEALS
from agent.lab.rehearse.battle import ModelBattle, Trainer
from agent.story.story import Story
from emulator import CartridgeKind, Party
from emulator.ram import Stack
from emulator.rules import codes
from tests.proofs.leaders import STARTERS, badges_before, fights, party_at, team_in
from tests.proofs.showdown.jobs import red_dex
from tests.proofs.workers import Row
from tests.red_model.rehearsal import game_of_red, rehearse_red

BALLS: Final = {"CHARMANDER": 2, "SQUIRTLE": 3, "BULBASAUR": 4}  # sprite slots in the laboratory
LEVELS: Final = (58, 62, 66, 70, 74, 78)
ATTEMPTS: Final = 10
# Starters, their levels, and how many others they have with them.
KINDS: Final = [
    (starter, level, have) for starter in STARTERS for level in LEVELS for have in (0, 1)
]
FULL_RESTORE, REVIVE, REVIVES = 16, 53, 4
HURT: Final = 2  # part of the HP below which the first member is healed between two fights


def game_job(number: int) -> Row:
    """Rehearse the game of a seed; the starters take turns."""
    starter = [*BALLS][number % len(BALLS)]
    last = Story.of(CartridgeKind.RED).up_to(None)[-1]
    game = rehearse_red(number, last, {"take_starter": BALLS[starter]})
    problems = [] if last in game.milestones else [f"{starter}: {game.stop} {game.reason}"]
    figures = {name: each._asdict() for name, each in game.milestones.items()}
    return {"starter": starter, "figures": figures, "problems": problems}


def row_job(number: int) -> Row:
    """Fight the last five in a row with a team at one level, some times."""
    starter, level, have = KINDS[number % len(KINDS)]
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
