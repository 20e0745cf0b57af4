"""Reflecting until it helps: harder from try to try, and giving up in time. Touches no file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory.thread.port import Distilled, DistillingFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.thread.port import Reflector

HARDEST: Final = 4
TRIES: Final = 4  # the first, and three more
WORTH_IT: Final = 0.9  # of what it was: less than this is some use, though it is more than wanted


@dataclass(frozen=True, slots=True)
class Ladder:
    """Asks a reflector for less and less, from `start` on. `problem` says what is wrong with a reflection of a source, '' if nothing."""

    estimate: Callable[[str], int]
    problem: Callable[[str, str], str]
    start: int = 0

    def climb(self, reflector: Reflector, text: str, target: int) -> Distilled:
        """Return `text` in at most `target` tokens, or in the fewest that were reached, if that is some use.

        Raises:
            DistillingFailed: when no try came to anything; what there is stays as it is.
        """
        best: Distilled | None = None
        why = "nothing was tried"
        for level in range(self.start, min(self.start + TRIES, HARDEST + 1)):
            try:
                found = reflector.reflect(text, level=level, target=target)
            except DistillingFailed as error:
                why = str(error)
                continue
            if why_not := self.problem(found.observations, text):
                why = why_not
                continue
            if best is None or self._size(found) < self._size(best):
                best = found
            if self._size(best) <= target:
                return best
        if best is None or self._size(best) > WORTH_IT * self.estimate(text):
            message = f"reflecting made nothing smaller ({why}); it waits until there is more."
            raise DistillingFailed(message)
        return best

    def _size(self, found: Distilled) -> int:
        return self.estimate(found.observations)


def nothing_wrong(found: str, _source: str) -> str:
    """Return '' for anything that says something: an empty reflection would wipe out the memory."""
    return "" if found.strip() else "it says nothing"
