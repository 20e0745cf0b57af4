"""Whole battles of random teams on both engines under the same policies: who wins, the HP left, and the turns."""

from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emulator import Dex
from emulator.engine.choices import GREEDY, RANDOM
from emulator.engine.stages import start_battle
from emulator.engine.turn import copies, play_out
from emulator.ram.party import Dvs
from emulator.rules.codes import DRAWN, GOES_ON, LINK, LOST, WON
from emulator.rules.position import Tables, empty_positions
from emulator.rules.stats import stats_of
from tests.proofs.showdown.oracle import Duel, Game, TeamJson
from tests.proofs.showdown.positions import SIDES

POLICIES: Final = {"random": RANDOM, "greedy": GREEDY}
WINNERS: Final = {WON: 0, LOST: 1, DRAWN: -1, GOES_ON: -1}
LEVELS: Final = (5, 70)
LARGEST: Final = 3  # team
LONGEST: Final = 1_000  # turns
STRUGGLE: Final = 165


def random_duel(dex: Dex, random: Random, games: int) -> Duel:
    """Return a duel of two random teams of about the same level, with moves that they learn or any."""
    level = random.randint(*LEVELS)
    size = random.randint(1, LARGEST)
    policies = random.choice([("random", "random"), ("greedy", "greedy"), ("random", "greedy")])
    teams = tuple([_random_team(dex, random, level, size) for _ in SIDES])
    return Duel((teams[0], teams[1]), policies, games, random.randrange(1 << 31))


def _random_team(dex: Dex, random: Random, level: int, size: int) -> TeamJson:
    team = []
    for _ in range(size):
        species = random.choice(sorted(dex.all_species.values(), key=lambda each: each.dex))
        own_level = min(max(level + random.randint(-3, 3), 2), 100)
        moves = species.moves_at(own_level)
        if not moves or random.random() < 0.5:
            moves = tuple(random.sample(sorted(set(dex.all_moves) - {STRUGGLE}), 4))
        dvs = Dvs(*[random.randrange(16) for _ in range(4)])
        team.append(
            {
                "species": species.dex,
                "level": own_level,
                "moves": list(moves),
                "dvs": [dvs.hp, *dvs],
                "trained": [0] * 5,
                "pp": [dex.move(move).pp for move in moves],
            }
        )
    return team


def play_here(duel: Duel, dex: Dex, tables: Tables) -> list[Game]:
    """Return the games of a duel, played on the turn engine."""
    position = empty_positions(1)[0]
    position.kind = LINK
    by_number = {species.dex: species for species in dex.all_species.values()}
    for side, team in zip(position.sides, duel.teams, strict=True):
        side.count = len(team)
        for member, data in zip(side.team, team, strict=False):
            species = by_number[data["species"]]
            stats = stats_of(species.base, Dvs(*data["dvs"][1:]), data["level"])
            member.species, member.level = species.index, data["level"]
            member.hp = member.max_hp = stats.hp
            member.stats[:] = stats[1:]
            member.moves[: len(data["moves"])] = data["moves"]
            member.pp[: len(data["pp"])] = member.max_pp[: len(data["pp"])] = data["pp"]
    start_battle(position, tables)
    games = copies(position, duel.games, duel.seed)
    own, other = (POLICIES[each] for each in duel.policies)
    outcomes = play_out(games, own, other, LONGEST, tables)
    return [
        Game(WINNERS[int(outcome)], _left(game["sides"]), int(game["turns"]))
        for outcome, game in zip(outcomes, games, strict=True)
    ]


def _left(sides: NDArray[np.void]) -> tuple[float, float]:
    left = []
    for side in sides:
        team = side["team"][: side["count"]]
        left.append(float((team["hp"] / team["max_hp"]).mean()))
    return left[0], left[1]
