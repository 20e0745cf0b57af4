"""What a search for the first difference found."""

from dataclasses import dataclass
from math import log2

from agent.replay.difference import Difference
from emulator import Divergence


@dataclass(frozen=True, slots=True)
class Finding:
    """The first difference, if there is any, and what it took to find.

    `moments` are those that could be restored, power-on among them; `shown` says in what RAM differs, where
    that can be known; `notes` what else is worth knowing.
    """

    divergence: Divergence | None
    shown: Difference | None
    notes: tuple[str, ...]
    restores: int
    moments: int
    ticks: int

    @property
    def most(self) -> float:
        """How many restores the search may take."""
        return 2 + log2(self.moments)
