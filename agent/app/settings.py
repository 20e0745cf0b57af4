"""What `play` was asked for."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from agent.errors import UsageError


class Decider(Enum):
    """Who decides."""

    RULES = "rules"


@dataclass(frozen=True, slots=True)
class Settings:
    """The flags of `play`, checked against each other."""

    rom: Path | None = None
    until: str | None = None
    ticks: int | None = None
    seed: int = 0
    run: Path | None = None
    resume: Path | None = None
    memory: Path | None = None
    mind: Decider = Decider.RULES

    def __post_init__(self) -> None:
        for flag, number in (("--ticks", self.ticks), ("--seed", self.seed)):
            if number is not None and number < 0:
                message = f"{flag} {number} is negative; give 0 or more"
                raise UsageError(message)
        if self.run is not None and self.resume is not None:
            raise UsageError("--run starts a run and --resume goes on with one; give only one")
