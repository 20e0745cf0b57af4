"""How long nothing new has happened."""

from collections.abc import Hashable
from typing import Final

PATIENCE: Final = 1_500  # ticks; the longest stretch of the demo without anything new is under 100


class Progress:
    """Counts ticks since the last novelty: a place, a text or an action's end not seen before."""

    def __init__(self, patience: int = PATIENCE) -> None:
        self._patience = patience
        self._seen: set[Hashable] = set()
        self._since = 0

    @property
    def stuck(self) -> bool:
        """Whether nothing new has happened for longer than patience lasts."""
        return self._since > self._patience

    def rest(self) -> None:
        """Start counting anew: there is nothing to be done."""
        self._since = 0

    def saw(self, *marks: Hashable) -> None:
        """Take note of one tick; any mark not seen before counts as progress."""
        fresh = [mark for mark in marks if mark not in self._seen]
        self._seen.update(fresh)
        self._since = 0 if fresh else self._since + 1
