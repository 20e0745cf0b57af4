"""Fair battles on Showdown's engine: the agent's policy, simple rules, and a search on that engine itself.

Teams of three are drawn at random, and each pair of teams is played both ways.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from agent.battle.odds import mon_from
from agent.lab.stats import mean_interval
from emulator import Dex
from emulator.engine.choices import AS_THE_GAME, GREEDY
from tests.proofs.showdown.calibration import team_json, with_moves
from tests.proofs.showdown.jobs import red_dex
from tests.proofs.showdown.oracle import Game, Match, TeamJson, play_matches
from tests.proofs.showdown.players import Players
from tests.proofs.workers import Row

LEVELS: Final = (15, 40, 55)
SIZE: Final = 3
PAIRS: Final = 5  # of teams in a job
SIMPLE: Final = ("random", "greedy")
OPPONENTS: Final = (*SIMPLE, "heuristics")  # poke-env's SimpleHeuristicsPlayer
REFERENCE: Final = 100  # playouts of each choice
EXPECTED: Final = {"random": AS_THE_GAME, "greedy": GREEDY}  # what the reference knows of them

LEAST_OF_HEURISTICS: Final = 0.6  # won against them
MOST_BEHIND: Final = 0.02  # the reference search


def policies_job(number: int) -> Row:
    """Let the agent's policy and the greedy rule play against the simple ones."""
    return _played(number, {"ours": "asked", "greedy": "greedy"}, OPPONENTS)


def informed_job(opponent: str, number: int) -> Row:
    """Let the agent's policy play the same battles against one opponent, and expect how it chooses, as the search does."""
    return _played(number, {"ours": "asked"}, (opponent,), EXPECTED[opponent])


def reference_job(opponent: str, number: int) -> Row:
    """Let the search on Showdown's engine play the same battles against one opponent."""
    return _played(number, {"reference": REFERENCE}, (opponent,))


def _played(
    number: int,
    contenders: Mapping[str, str | int],
    opponents: Sequence[str],
    expected: int = AS_THE_GAME,
) -> Row:
    dex, random = red_dex(), Random(number)
    level = LEVELS[number % len(LEVELS)]
    pairs = [[_team(dex, random, level) for _ in range(2)] for _ in range(PAIRS)]
    row: Row = {"name": f"battles {number}", "level": level, "problems": []}
    for name, contender in contenders.items():
        row[name] = {}
        for opponent in opponents:
            matches = [
                Match(
                    (teams[way], teams[1 - way]),
                    (contender, opponent),
                    2 * at + way + number * 1_000,
                )
                for at, teams in enumerate(pairs)
                for way in range(2)
            ]
            players = Players(dex, [0] * len(matches), expected)
            scores = [_score(game) for game in play_matches(matches, players.choose)]
            row[name][opponent] = [
                (one + other) / 2 for one, other in zip(scores[::2], scores[1::2], strict=True)
            ]
    return row


def _team(dex: Dex, random: Random, level: int) -> TeamJson:
    mons = [
        mon_from(dex, with_moves(dex, random, level + random.randint(-2, 2))) for _ in range(SIZE)
    ]
    return team_json(dex, [mon for mon in mons if mon is not None])


def _score(game: Game) -> float:
    return 0.5 if game.winner < 0 else float(game.winner == 0)


def strength(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the share won by each against each, by level and in all."""
    return {
        f"{name} against {opponent}": _won(rows, name, opponent)
        for name in ("ours", "greedy")
        for opponent in OPPONENTS
    }


def weaknesses(found: Mapping[str, Any]) -> list[str]:
    """Return where the bounds are not kept, beyond chance."""
    wrong = []
    for name, each in found.items():
        if name == "ours against heuristics" and each["won"].high < LEAST_OF_HEURISTICS:
            wrong.append(f"{name}: {each['won']}")
        if name.startswith("ours minus search") and each.high < -MOST_BEHIND:
            wrong.append(f"{name}: {each}")
    return wrong


def lead(opponent: str, informed: Sequence[Row], searched: Sequence[Row]) -> dict[str, Any]:
    """Return the shares won by ours and by the search, and what ours has over it in the same battles."""
    leads = [
        ours - theirs
        for row, other in zip(informed, searched, strict=True)
        for ours, theirs in zip(row["ours"][opponent], other["reference"][opponent], strict=True)
    ]
    return {
        f"ours against {opponent}": _won(informed, "ours", opponent),
        f"search against {opponent}": _won(searched, "reference", opponent),
        f"ours minus search, against {opponent}": mean_interval(leads),
    }


def _won(rows: Sequence[Row], name: str, opponent: str) -> dict[str, Any]:
    scores = [(row["level"], row[name][opponent]) for row in rows]
    levels = {
        f"level {level}": mean_interval(
            [each for at, some in scores if at == level for each in some]
        )
        for level in LEVELS
        if any(at == level for at, _ in scores)
    }
    every = [each for _, some in scores for each in some]
    return {"battles": 2 * len(every), "won": mean_interval(every), **levels}
