"""How long nothing new has happened."""

from collections.abc import Hashable
from typing import Final

PATIENCE: Final = 1_500  # ticks; whoever stands in the way has moved on many times by then


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

    def note(self, mark: Hashable) -> None:
        """Take note of something done; if it was never done before, that is progress."""
        if mark not in self._seen:
            self._seen.add(mark)
            self._since = 0

    def saw(self, *marks: Hashable) -> None:
        """Take note of one tick and what it shows; anything never seen before is progress."""
        self._since += 1
        for mark in marks:
            self.note(mark)
