"""Asking for a reflection harder and harder, until it is small enough or there is no use in asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.thread.condensing import DETAIL
from memory.thread.port import DistillingFailed
from memory.thread.validation import Unusable
from memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.thread.port import Distilled, Reflector

MORE_TRIES: Final = 3  # at harder levels, after the first


def reflect_until(
    reflector: Reflector,
    text: str,
    target: int,
    start_level: int = 0,
    estimate: Callable[[str], int] = tokens,
) -> Distilled:
    """Return the first reflection of at most `target` tokens that is smaller than `text` and not empty.

    The levels from `start_level` to three above it are tried, none above 4.

    Raises:
        DistillingFailed: at once where no answer comes, else after the last level. The same text would fail again, so
            whoever asked should not ask before it has changed.
    """
    problem = ""
    hardest = len(DETAIL) - 1
    first = min(max(start_level, 0), hardest)
    for level in range(first, min(first + MORE_TRIES, hardest) + 1):
        try:
            found = reflector.reflect(text, level=level, target=target)
        except Unusable as unusable:
            problem = str(unusable)
            continue
        size = estimate(found.observations)
        if found.observations.strip() and size <= target and size < estimate(text):
            return found
        problem = f"{size} tokens of {estimate(text)}, at most {target} wanted"
    message = (
        f"the observations could not be made smaller ({problem}); ask again when there are more"
    )
    raise DistillingFailed(message)
