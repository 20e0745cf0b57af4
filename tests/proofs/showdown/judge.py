"""The judgement of one step: possible, explained by a known difference, or neither."""

from functools import partial
from typing import Final

from tests.proofs.showdown.differences import explanation
from tests.proofs.showdown.engine import Engine
from tests.proofs.showdown.positions import SIDES, Columns
from tests.proofs.showdown.possible import RARE, Possible, Verdict
from tests.proofs.showdown.steps import Step

ORDER_OF_TYPES: Final = "types_in_the_order_of_the_defender"  # recognised by playing the step so
STRIDE: Final = 1_000_000  # of seeds


def judge(
    step: Step, possible: Possible, engine: Engine, columns: Columns, seed: int
) -> tuple[Verdict, str]:
    """Return the verdict on a step, and the difference that explains it if it is not possible."""
    seed *= STRIDE
    verdict = possible.verdict(step, engine.play, seed)
    if verdict.possible:
        return verdict, ""
    name = explanation(step, verdict.differs, columns)
    if name:
        return verdict, name
    for side in SIDES:
        first = int(columns.of(step.after, f"{side}.type1"))
        if possible.verdict(step, partial(engine.play_in_order, first), seed).possible:
            return verdict, ORDER_OF_TYPES
    return possible.verdict(step, engine.play, seed + STRIDE // 2, RARE), ""
