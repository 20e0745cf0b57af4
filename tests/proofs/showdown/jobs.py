"""The jobs of the proof, each by its number: random turns, repeated positions, whole battles."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import numpy as np

from emulator import Cartridge, CartridgeKind, Dex
from tests.emulator.synthetic.cartridge import build
from tests.proofs.showdown.engine import Engine
from tests.proofs.showdown.frequencies import Comparison, compare
from tests.proofs.showdown.judge import ORDER_OF_TYPES, judge
from tests.proofs.showdown.oracle import Game, Turns, play_duels
from tests.proofs.showdown.positions import SIDES, Translator
from tests.proofs.showdown.possible import Possible
from tests.proofs.showdown.samples import same_classes, same_values
from tests.proofs.showdown.steps import Recording, Step
from tests.proofs.showdown.whole_battles import play_here, random_duel
from tests.proofs.workers import Row

TURNS: Final = 1_000  # a job
USES: Final = 4  # of each move in a job of repeated positions
REPLAYS: Final = 200
DUELS: Final = 20
GAMES: Final = 100
SUSPECT: Final = 1e-3  # a p-value from which on it is asked whether a known difference explains it


@cache
def red_dex() -> Dex:
    """Return the tables of the real game, from the written facts."""
    return Dex.of(Cartridge(Path("synthetic.gb"), build(), "POKEMON RED", "", CartridgeKind.RED))


class Judges(NamedTuple):
    """What judges the steps of a recording."""

    recording: Recording
    possible: Possible
    engine: Engine


def _judged(request: Turns) -> Iterator[tuple[Judges, int, Step]]:
    recording = Recording(request, red_dex())
    engine, judges = Engine(recording.dex), None
    for number, step in enumerate(recording.steps()):
        if judges is None:
            possible = Possible(Translator(recording.columns, recording.dex))
            judges = Judges(recording, possible, engine)
        yield judges, request.seed * 100_000 + number, step


def possible_job(number: int) -> Row:
    """Judge every step of some random battles."""
    tallies: defaultdict[str, Counter[str]] = defaultdict(Counter)
    known: Counter[str] = Counter()
    problems, samples, recording = [], [], None
    for judges, seed, step in _judged(Turns(number, TURNS, 0, 0, 0)):
        recording = judges.recording
        verdict, name = judge(step, judges.possible, judges.engine, recording.columns, seed)
        samples.append(verdict.samples)
        result = "possible" if verdict.possible else name or "impossible"
        for move in recording.moves(step):
            tallies[str(move)][result] += 1
        if name:
            known[name] += 1
        elif not verdict.possible:
            problems.append(f"{', '.join(verdict.differs)}: {' '.join(step.log)}")
    assert recording is not None
    return {
        "name": f"turns {number}",
        "steps": len(samples),
        "stats": recording.stats,
        "samples": sum(samples),
        "moves": {move: dict(each) for move, each in tallies.items()},
        "known": dict(known),
        "problems": [*problems, *recording.wrong_stats],
    }


def frequency_job(number: int) -> Row:
    """Compare how frequent outcomes are, in a position for each move."""
    tests: list[Row] = []
    explained: Counter[str] = Counter()
    for judges, seed, step in _judged(Turns(number, 0, USES, 1, REPLAYS)):
        if not step.again:
            continue
        columns = judges.recording.columns
        comparisons = compare(step, judges.possible, judges.engine.play, seed)
        name = _known_cause(judges, step, seed) if _is_suspect(comparisons) else ""
        if name:
            explained[name] += 1
            continue
        moves = [step.chosen(side, columns) for side in SIDES]
        tests += [{"moves": moves, **each._asdict()} for each in comparisons]
    return {
        "name": f"frequencies {number}",
        "tests": tests,
        "explained": dict(explained),
        "problems": [],
    }


def _is_suspect(comparisons: list[Comparison]) -> bool:
    return min(each.p_value for each in comparisons) < SUSPECT


def _known_cause(judges: Judges, step: Step, seed: int) -> str:
    """Return the known difference by which the frequencies of a step differ, or an empty string."""
    recording, possible, engine = judges
    for side in SIDES:
        first = int(recording.columns.of(step.after, f"{side}.type1"))
        if not _is_suspect(compare(step, possible, partial(engine.play_in_order, first), seed)):
            return ORDER_OF_TYPES
    names = (judge(each, possible, engine, recording.columns, seed)[1] for each in step.again)
    return next(filter(None, names), "")


def battles_job(number: int) -> Row:
    """Play random duels on both engines."""
    random = Random(number)
    dex = red_dex()
    duels = [random_duel(dex, random, GAMES) for _ in range(DUELS)]
    tables = Engine(dex).tables
    rows = []
    for duel, theirs in zip(duels, play_duels(duels), strict=True):
        ours = play_here(duel, dex, tables)
        rows.append({"policies": duel.policies, "size": len(duel.teams[0]), **_ends(ours, theirs)})
    return {"name": f"battles {number}", "duels": rows, "problems": []}


def _ends(ours: list[Game], theirs: list[Game]) -> Row:
    both = (ours, theirs)
    left = [
        [np.array([int(1e6 * game.left[side]) for game in each]) for each in both] for side in SIDES
    ]
    turns = [np.array([game.turns for game in each]) for each in both]
    return {
        "won": [sum(game.winner == 0 for game in each) / len(each) for each in both],
        "drawn": [sum(game.winner < 0 for game in each) / len(each) for each in both],
        "left": [
            [float(np.mean([game.left[side] for game in each])) for each in both] for side in SIDES
        ],
        "turns": [float(each.mean()) for each in turns],
        "p_values": [
            same_classes(*([game.winner for game in each] for each in both)),
            *(same_values(*side) for side in left),
            same_values(*turns),
        ],
    }
