"""One life and its end, as it is told of."""

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Outcome(Enum):
    """How something is found that was begun when a kill fell."""

    DONE = "done"
    NOT_DONE = "not done"
    NO_MATTER = "no difference"  # nothing would have changed


FIRST: Final = "before the first checkpoint"


@dataclass(frozen=True, slots=True)
class Kill:
    """One life and its end; `where` is the phase, `problems` what was found wrong after it."""

    lane: int
    number: int
    seed: int
    aim: str
    where: str
    is_kill: bool
    life_s: float
    oracle_s: float
    ticks: int
    restored: bool
    ended: bool
    begun: str  # what was begun and not said to be done
    outcome: Outcome  # and how it was found
    problems: tuple[str, ...]
    kept_as: str = ""

    @property
    def name(self) -> str:
        """What to call it."""
        return f"lane {self.lane}, life {self.number}, seed {self.seed}"
