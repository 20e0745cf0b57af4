"""How a run ended, as one object."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

from agent.capabilities import Reached
from memory import Branching


class Stop(Enum):
    """Why play ended, and the exit code that says so."""

    GOAL = "goal"
    TICKS = "ticks"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"
    GAVE_UP = "gave_up"
    ERROR = "error"

    @property
    def exit_code(self) -> int:
        """The exit code of the process."""
        match self:
            case Stop.GOAL | Stop.TICKS:
                return 0
            case Stop.ERROR:
                return 1
            case Stop.GAVE_UP | Stop.LIMIT:
                return 3
            case Stop.INTERRUPTED:
                return 130


@dataclass(frozen=True, slots=True)
class Summary:
    """What `play --json` prints: counts, and the milestones with their witnesses."""

    run: str
    cartridge: str
    seed: int
    stop: Stop
    reason: str
    ticks: int
    frames: int
    wall_s: float
    frames_per_s: float
    milestones: Sequence[Reached]
    badges: int
    battles: int
    errors: int
    consolidations: int
    episodes: int  # of getting nowhere
    restores: int
    returns: Sequence[Branching] = ()  # the times that play went back and what it had played died
    moved: Mapping[str, int] = field(
        default_factory=dict
    )  # decisions, by the use of memory that moved them
    advice: Mapping[str, Any] | None = None  # what asking a model came to, where one was asked

    @property
    def clean(self) -> bool:
        """Whether nobody took the run back by hand."""
        return all(each.why != "asked" for each in self.returns)

    def as_json(self) -> Mapping[str, Any]:
        """Return the object in plain JSON types."""
        milestones = [asdict(reached) for reached in self.milestones]
        returns = [each._asdict() for each in self.returns]
        return {
            **asdict(self),
            "stop": self.stop.value,
            "milestones": milestones,
            "returns": returns,
            "clean": self.clean,
        }
