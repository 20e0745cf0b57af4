"""Whole games and drawn battles on the cartridge, each turn compared with the turn engine; the figures of all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from typing import Any, Final

import numpy as np

from agent.app import Interrupt, TickView, Viewer
from agent.app.session import PlayLimits
from agent.battle.odds import tables_of
from agent.lab.bench.game import open_session
from agent.story.story import Story
from emulator import Dex, demo_cartridge_path, load_cartridge
from emulator.rules import codes, effects
from emulator.rules.codes import ASLEEP, FROZEN, OURS, THEIRS
from emulator.rules.position import empty_positions
from tests.proofs.drawn_battles import drawn_battles
from tests.proofs.played_turns import PlayedTurn, TurnWatcher
from tests.proofs.turn_oracle import (
    FEATURES,
    HP_FEATURES,
    features,
    judged,
    sampled_features,
    sampled_slots,
)
from tests.proofs.workers import Row

GOAL: Final = "third_badge"
MOST_TICKS: Final = 12_000
BATTLES: Final = 24  # of one job
SAMPLES: Final = 512  # of a turn, for the chance of what happened
BINS: Final = 20
LEAST_EXPECTED: Final = 5.0  # in a bin, and
LEAST_VARIANCE: Final = 3.0  # of a count, for its difference to be taken as normal
SPACING: Final = 1 << 22  # between the seeds of two turns
FREE: Final = (codes.GO_ON, codes.STRUGGLES)
# What our move does; the others are what the foe's does. A battle that ended may have left the foe without a move.
OF_OURS: Final = (0, 2, 4, 6, 8, 10)
COPIERS: Final = (effects.MOVE_METRONOME, effects.MOVE_MIRROR_MOVE)
HELD: Final = codes.RECHARGING | codes.RAGING | codes.CHARGING | codes.THRASHING
BUSY: Final = HELD | codes.TRAPPING | codes.BIDING


@dataclass
class TurnTally:
    """What a number of turns has shown: differences, and how often what was likely."""

    dex: Dex
    chance: Random  # of its own for each tally: equal ones would give equal turns of two games equal ranks
    turns: int = 0
    counts: dict[str, Counter[str]] = field(
        default_factory=lambda: {
            each: Counter()
            for each in ("our moves", "foe's moves", "species", "not shown", "samples")
        }
    )
    problems: list[str] = field(default_factory=list)
    happened: dict[str, list[float]] = field(default_factory=dict)
    ranks: dict[str, list[int]] = field(default_factory=dict)

    def add(self, turn: PlayedTurn) -> None:
        """Compare a turn with the engine."""
        self.turns += 1
        seed = self.turns * SPACING
        verdict = judged(turn, seed, tables_of(self.dex))
        words = (self._name(turn.move), self._name(turn.foe_move))
        self.counts["our moves"][words[0]] += 1
        self.counts["foe's moves"][words[1]] += 1
        self.counts["samples"][str(verdict.samples)] += 1
        for side in (OURS, THEIRS):
            species = self.dex.all_species.get(int(turn.before.sides[side].species))
            self.counts["species"][species.name if species is not None else "-"] += 1
        if verdict.shown:
            self.problems.append(f"{words[0]} against {words[1]}: {', '.join(verdict.shown[:4])}")
            return
        self.counts["not shown"].update({each.partition(":")[0]: 1 for each in verdict.hidden})
        if not copies(turn):
            self._weigh(turn, words, seed)
            self._weigh_choice(turn, seed)

    def _weigh(self, turn: PlayedTurn, words: tuple[str, str], seed: int) -> None:
        positions = empty_positions(2)
        positions[0] = turn.before
        order = np.array([turn.choice, turn.foe_slot, turn.changed])
        sent = np.array(turn.sent, np.int64)
        tables = tables_of(self.dex)
        sampled = sampled_features(positions, order, sent, SAMPLES, seed, tables)
        seen = np.zeros(len(FEATURES), np.int64)
        features(turn.before, turn.after, turn.ends[0] if turn.ends else 0, seen)
        if turn.ends == (codes.LOST,):
            seen[1], seen[3] = 0, 1
        unseen = (1, 3) if turn.may_be_healed and turn.ends != (codes.LOST,) else ()
        for at, name in enumerate(FEATURES):
            values = sampled[:, at]
            if at in unseen or values.min() == values.max():
                continue
            if at < HP_FEATURES:
                self._rank(f"{name}", values, int(seen[at]))
                continue
            word = words[0] if at in OF_OURS else words[1]
            share = float(values.mean())
            for key in (f"{name}: {word}", name):
                tally = self.happened.setdefault(key, [0, 0.0, 0.0, 0.0])
                tally[0] += 1
                tally[1] += int(seen[at])
                tally[2] += share
                tally[3] += share * (1 - share) * (1 + 1 / SAMPLES)

    def _weigh_choice(self, turn: PlayedTurn, seed: int) -> None:
        foe, ours = turn.before.sides[THEIRS], turn.before.sides[OURS]
        if turn.foe_slot < 0 or foe.status & (ASLEEP | FROZEN) or foe.volatile & BUSY:
            return
        if ours.volatile & codes.TRAPPING or not 0 <= turn.choice < codes.SLOTS:
            return
        positions = empty_positions(2)
        positions[0] = turn.before
        counts = sampled_slots(positions, SAMPLES, seed, tables_of(self.dex))
        trainer = int(turn.before.trainer_class) if turn.before.kind == codes.TRAINER else 0
        if counts[turn.foe_slot] == 0:
            self.problems.append(f"class {trainer} chooses {self._name(turn.foe_move)}")
        if counts.max() < SAMPLES:
            values = np.repeat(np.arange(codes.SLOTS), counts)
            self._rank(f"choice of class {trainer}", values, turn.foe_slot)

    def _rank(self, name: str, values: "np.ndarray", seen: int) -> None:
        below, equal = float((values < seen).mean()), float((values == seen).mean())
        rank = below + self.chance.random() * equal
        bins = self.ranks.setdefault(name, [0] * BINS)
        bins[min(int(rank * BINS), BINS - 1)] += 1

    def _name(self, move: int) -> str:
        return self.dex.all_moves[move].name if move in self.dex.all_moves else "-"

    def row(self, name: str) -> Row:
        """Return all of it as data."""
        return {
            "name": name,
            "turns": self.turns,
            "problems": list(self.problems),
            "counts": {each: dict(found) for each, found in self.counts.items()},
            "happened": self.happened,
            "ranks": self.ranks,
        }


def copies(turn: PlayedTurn) -> bool:
    """Return whether a side copies a move; Metronome has fewer moves to choose from on our cartridge."""
    sides = [each.sides[side] for each in (turn.before, turn.after) for side in (OURS, THEIRS)]
    chosen = [turn.move, turn.foe_move, *(each.selected for each in sides)]
    return any(each in COPIERS for each in chosen)


class TurnViewer(Viewer):
    """A viewer that reads the battle turns of a game."""

    def __init__(self, watcher: TurnWatcher) -> None:
        self._watcher = watcher

    def show(self, moment: TickView) -> None:
        """Take the state."""
        self._watcher.see(moment.state)


def game_job(number: int, until: str = GOAL) -> Row:
    """Play a game to a milestone, and compare its battle turns."""
    seed = number % 1_000_000
    cartridge = load_cartridge(demo_cartridge_path())
    dex = Dex.of(cartridge)
    watcher = TurnWatcher(dex)
    with open_session(cartridge, Story.of(cartridge.kind), seed, Interrupt()) as (session, _):
        session.play(PlayLimits(until, MOST_TICKS), TurnViewer(watcher))
    return compared(dex, watcher.turns, f"game {seed}")


def battles_job(number: int) -> Row:
    """Play drawn battles, and compare their turns."""
    dex = Dex.of(load_cartridge(demo_cartridge_path()))
    first = number * BATTLES
    turns = drawn_battles(range(first, first + BATTLES))
    return compared(dex, turns, f"drawn battles {first} to {first + BATTLES - 1}")


def compared(dex: Dex, turns: Iterable[PlayedTurn], name: str) -> Row:
    """Return what the comparison of turns shows."""
    tally = TurnTally(dex, Random(name))
    for turn in turns:
        tally.add(turn)
    return tally.row(name)


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the figures of all rows."""
    counts: dict[str, Counter[str]] = {}
    happened: dict[str, list[float]] = {}
    ranks: dict[str, list[int]] = {}
    for row in rows:
        for each, found in row["counts"].items():
            counts.setdefault(each, Counter()).update(found)
        for table, add in ((happened, row["happened"]), (ranks, row["ranks"])):
            for name, values in add.items():
                before = table.setdefault(name, [0] * len(values))
                table[name] = [one + other for one, other in zip(before, values, strict=True)]
    shares = {name: _share(*values) for name, values in happened.items()}
    return {
        "turns": sum(row["turns"] for row in rows),
        "impossible": sum(len(row["problems"]) for row in rows),
        **{each: dict(found.most_common()) for each, found in counts.items()},
        "shares": {name: found for name, found in sorted(shares.items()) if ":" not in name},
        "shares by move": {name: found for name, found in sorted(shares.items()) if ":" in name},
        "ranks": {name: {"turns": sum(bins), "z": _flat(bins)} for name, bins in ranks.items()},
    }


def _share(count: float, happened: float, expected: float, variance: float) -> dict[str, Any]:
    """Return how often something happened and was expected to; the difference in standard errors, with enough of them."""
    z = round((happened - expected) / sqrt(variance), 2) if variance >= LEAST_VARIANCE else None
    return {"turns": count, "happened": happened, "expected": round(expected, 1), "z": z}


def _flat(bins: Sequence[int]) -> float | None:
    """Return how far counts are from equal ones: chi-squared as standard errors (Wilson and Hilferty)."""
    expected = sum(bins) / len(bins)
    if expected < LEAST_EXPECTED:
        return None
    degrees = len(bins) - 1
    found = sum((each - expected) ** 2 for each in bins) / expected
    part = 2 / (9 * degrees)
    return round(float(((found / degrees) ** (1 / 3) - (1 - part)) / sqrt(part)), 2)


def suspicious(found: dict[str, Any], limit: float) -> list[str]:
    """Return what is further from the engine than chance explains."""
    table = {**found["shares"], **found["shares by move"], **found["ranks"]}
    return [f"{name}: {each}" for name, each in table.items() if abs(each["z"] or 0) > limit]
