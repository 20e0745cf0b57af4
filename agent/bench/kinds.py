"""Fought battles by kind."""

from collections.abc import Sequence
from typing import Final

from agent.bench.battles import Pair
from agent.bench.contests import KINDS
from agent.bench.pairs import Paired

ALL: Final = "all"


def paired(pairs: Sequence[Pair], kind: str = ALL) -> Paired:
    """Return the outcomes of one kind of battles, or of all."""
    return Paired.of(
        (each.agent.won, each.baseline.won) for each in pairs if kind in (ALL, each.kind)
    )


def fought(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Return the kinds that were fought, all of them together first."""
    kinds = {each.kind for each in pairs}
    return (ALL, *[kind for kind in KINDS if kind in kinds]) if kinds else ()
