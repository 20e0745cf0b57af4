"""How a night ended, and the exit code that says so."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from agent.overnight.guards import Guard


class Ending(Enum):
    """The four ends of a night."""

    GOAL = "goal"
    LIMIT = "limit"
    GAVE_UP = "gave_up"
    INTERRUPTED = "interrupted"

    @property
    def exit_code(self) -> int:
        """The exit code of the process."""
        match self:
            case Ending.GOAL:
                return 0
            case Ending.LIMIT | Ending.GAVE_UP:
                return 3
            case Ending.INTERRUPTED:
                return 130


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a night ended; `which` limit, where it was one, and `why` in one line."""

    ending: Ending
    why: str
    which: Guard | None = None


@dataclass(frozen=True, slots=True)
class Night:
    """A night that is over: what `overnight --json` prints. `night_s` are seconds of wall time, over all its sessions."""

    run: str
    verdict: str
    which: str
    why: str
    ticks: int
    frames: int
    milestones: tuple[str, ...]
    restarts: int
    faults: Mapping[str, int]
    night_s: float

    def as_json(self) -> Mapping[str, Any]:
        """Return the object in plain JSON types."""
        return {**asdict(self), "milestones": list(self.milestones)}
