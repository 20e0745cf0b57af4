"""Whether outcomes of a step are as frequent on both engines."""

import re
from math import erfc, sqrt
from typing import Final, NamedTuple

import numpy as np

from tests.proofs.showdown.positions import SIDES, Rows
from tests.proofs.showdown.possible import Play, Possible
from tests.proofs.showdown.samples import same_classes, same_values
from tests.proofs.showdown.steps import Step

PLAYS: Final = 4_000  # on the turn engine
HELD_OUT: Final = 400  # of these, which only say what outcome is common


class Comparison(NamedTuple):
    """One test on one step: what was compared, its p-value, the difference of a mean, and the variance of that.

    Of classes the mean is the share of a common one, of HP it is that in parts of the maximum.
    """

    what: str
    p_value: float
    difference: float
    variance: float


def compare(step: Step, possible: Possible, play: Play, seed: int) -> list[Comparison]:
    """Compare the outcomes of a step: its classes, and the HP left on each side (of teams and substitutes)."""
    drawn = possible.samples(step, play, PLAYS + HELD_OUT, seed)
    held_out, ours = drawn[:HELD_OUT], drawn[HELD_OUT:]
    theirs = possible.expected(np.array([each.after for each in step.again]))
    known, *classes = [
        [row.tobytes() for row in possible.classes(rows)] for rows in (held_out, ours, theirs)
    ]
    common = max(set(known), key=known.count)
    is_common = [np.array([each == common for each in side], float) for side in classes]
    found = [_compared("classes", same_classes(*classes), *is_common)]
    for side in SIDES:
        at = [
            at
            for at, name in enumerate(possible.names)
            if re.fullmatch(rf"{side}\.\d\.hp|{side}\.substitute", name)
        ]
        values = [rows[:, at].sum(axis=1) for rows in (ours, theirs)]
        scale = max(int(values[0].max()), 1)
        found.append(
            _compared(f"HP {side}", same_values(*values), *(each / scale for each in values))
        )
    return found


def _compared(what: str, p_value: float, ours: Rows, theirs: Rows) -> Comparison:
    variance = float(ours.var() / len(ours) + max(ours.var(), theirs.var()) / len(theirs))
    return Comparison(what, p_value, float(theirs.mean() - ours.mean()), variance)


def together(comparisons: list[tuple[float, float]]) -> float:
    """Return the p-value of the sum of differences, each given with its variance."""
    variance = sum(each for _, each in comparisons)
    if variance == 0:
        return 1.0
    return erfc(abs(sum(each for each, _ in comparisons)) / sqrt(2 * variance))
