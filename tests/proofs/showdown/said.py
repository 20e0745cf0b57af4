"""How well what is said of fights agrees with how they end: in all, by tenths, and by kinds of moves."""

from collections.abc import Sequence
from math import pi, sqrt
from typing import Any, Final

import numpy as np

from agent.battle.search import PLAYOUTS
from tests.proofs.showdown.calibration import GAMES, KINDS
from tests.proofs.workers import Row

MOST: Final = 0.04  # of the mean difference beyond chance
MOST_OF_TENTH: Final = 0.05
TENTHS: Final = 10


def agreement(fights: Sequence[Row]) -> dict[str, Any]:
    """Return what is said beside what is played."""
    tenths = {
        f"{tenth / TENTHS:.1f} to {(tenth + 1) / TENTHS:.1f}": some
        for tenth in range(TENTHS)
        if (some := [each for each in fights if _tenth(each) == tenth])
    }
    kinds = {
        kind: some
        for kind in (*KINDS, "plain attacks")
        if (some := [each for each in fights if kind in each["kinds"]])
    }
    return {
        **compared(fights),
        "games of each": GAMES,
        "by what is said": {name: compared(some) for name, some in tenths.items()},
        "by moves of the foe": {name: compared(some) for name, some in kinds.items()},
    }


def _tenth(fight: Row) -> int:
    return min(int(fight["said"] * TENTHS), TENTHS - 1)


def compared(fights: Sequence[Row]) -> dict[str, float]:
    """Return the means of what is said and played, and of their differences, with what chance alone makes of these."""
    said = np.array([each["said"] for each in fights])
    played = np.array([each["played"] for each in fights])
    both = (said * PLAYOUTS + played * GAMES) / (PLAYOUTS + GAMES)
    variance = both * (1 - both) * (1 / PLAYOUTS + 1 / GAMES)
    difference, chance = np.abs(said - played), np.sqrt(variance) * sqrt(2 / pi)
    return {
        "fights": len(fights),
        "said": _rounded(said.mean()),
        "played": _rounded(played.mean()),
        "mean difference": _rounded(difference.mean()),
        "by chance alone": _rounded(chance.mean()),
        "beyond chance": _rounded(difference.mean() - chance.mean()),
        "within": _rounded(1.96 * np.sqrt(variance.sum()) / len(fights)),
    }


def problems(one: dict[str, Any]) -> list[str]:
    """Return where the bounds are not kept: the mean difference, and the means of a tenth beyond their own chance."""
    wrong = [f"{one['beyond chance']} beyond chance"] if one["beyond chance"] > MOST else []
    for name, tenth in one["by what is said"].items():
        off = abs(tenth["said"] - tenth["played"]) - tenth["within"]
        if off > MOST_OF_TENTH:
            wrong.append(f"said {name}: {tenth['said']}, played {tenth['played']}")
    return wrong


def _rounded(value: float) -> float:
    return round(float(value), 4)
