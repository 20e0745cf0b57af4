"""Whether outcomes of a step are as frequent on both engines."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tests.proofs.showdown.possible import Possible
from tests.proofs.showdown.positions import SIDES, Rows
from tests.proofs.showdown.samples import same_classes, same_values
from tests.proofs.showdown.steps import Step


class Comparison(NamedTuple):
    """One test: what was compared, its p-value, and the mean on both engines (of classes, the share of the commonest)."""

    what: str
    p_value: float
    ours: float
    theirs: float


def compare(step: Step, possible: Possible, columns_of_out: Sequence[int], seed: int, size: int) -> list[Comparison]:
    """Compare the outcomes of a step: its classes, and the HP of the one that is out on each side."""
    ours = possible.samples(step, size, seed)
    theirs = possible.expected(step.again)
    classes = [[row.tobytes() for row in possible.classes(rows)] for rows in (ours, theirs)]
    commonest = max(set(classes[1]), key=classes[1].count)
    shares = [each.count(commonest) / len(each) for each in classes]
    found = [Comparison("classes", same_classes(*classes), *shares)]
    for side, at in zip(SIDES, columns_of_out, strict=True):
        values = (_amounts(ours, at), _amounts(theirs, at))
        means = [float(np.mean(each)) for each in values]
        found.append(Comparison(f"HP of side {side}", same_values(*values), *means))
    return found


def _amounts(rows: Rows, at: int) -> Rows:
    return rows[:, at].astype(np.int64)
