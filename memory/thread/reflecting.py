"""Reflecting by rules alone: no model, no network, and the same text for the same observations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.thread.condensing import DETAIL, condensed
from memory.thread.format import parse, render
from memory.thread.port import Distilled, DistillingFailed
from memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable

HARDEST: Final = len(DETAIL) - 1


class HeuristicReflector:
    """Condenses observations: what is old harder, what is recent hardly, verified milestones not at all."""

    source = "programmatic"

    def __init__(self, estimate: Callable[[str], int] = tokens) -> None:
        self._estimate = estimate

    def reflect(self, observations: str, *, level: int, target: int) -> Distilled:
        """Return `observations` in at most `target` tokens, or the milestones alone where they need more.

        At level 0 nothing goes that has room; each level above aims at two tenths less of the detail.

        Raises:
            DistillingFailed: when there is nothing to reflect upon.
        """
        known = parse(observations)
        if not known:
            message = "there are no observations to reflect upon; observe something first"
            raise DistillingFailed(message)
        level = min(max(level, 0), HARDEST)
        detail = self._estimate(observations) * DETAIL[level] // DETAIL[0]
        room = min(target, detail) if level else target
        return Distilled(render(condensed(known, room, self._estimate, level)))
