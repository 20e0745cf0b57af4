"""The settings of a night, the command line of its children, and its clock."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from agent.advisor.port import Decider
from agent.errors import UsageError
from agent.settings import Settings, words_of
from agent.tools.overnight.outcomes import NightLimits


@dataclass(frozen=True, slots=True)
class NightTimeouts:
    """Timeouts of a night.

    `hang_s` for a tick, `gain_hours` of game time for a gain, `backoff_s` before the first restart, `grace_s` for a
    clean end, `sample_s` between two samples, `folder_s` until the child of a dead supervisor unlocks the folder.
    """

    hang_s: float = 300.0
    gain_hours: float = 3.0
    backoff_s: float = 1.0
    grace_s: float = 60.0
    sample_s: float = 10.0
    folder_s: float = 120.0


@dataclass(frozen=True, slots=True)
class NightSettings:
    """The flags of `overnight`.

    `play` are those of its children; a resumed run keeps its seed and its uses of memory. `asks` is whether a model may be
    asked.
    """

    run: Path
    memory: Path
    play: Settings = field(default_factory=Settings)
    asks: bool = False
    limits: NightLimits = field(default_factory=NightLimits)
    patience: NightTimeouts = field(default_factory=NightTimeouts)

    def __post_init__(self) -> None:
        limits, patience = self.limits, self.patience
        for flag, number in (
            ("--hours", limits.hours),
            ("--game-hours", limits.game_hours),
            ("--max-calls", limits.calls),
            ("--max-resident", limits.resident),
            ("--max-log", limits.log_bytes),
            ("--hang", patience.hang_s),
            ("--patience", patience.gain_hours),
            ("--backoff", patience.backoff_s),
        ):
            if not number > 0:
                raise UsageError(f"{flag} must be more than 0")
        if limits.free_bytes < 0:
            raise UsageError("--min-free is negative; give 0 or more")

    def command(
        self, program: Sequence[str], *, resumes: bool, at: int | None, by_rules: bool
    ) -> list[str]:
        """Return the command line of a child that starts the run, or resumes it, at tick `at` if given."""
        play = replace(self.play, memory=self.memory)
        if resumes:
            play = replace(play, seed=None, without=(), resume=self.run, at=at)
            play = replace(play, recovers=at is not None)
        else:
            play = replace(play, run=self.run)
        if by_rules:
            play = replace(play, mind=Decider.RULES)
        return [*program, "play", "--json", *words_of(play)]

    def describe(self) -> Mapping[str, Any]:
        """Return the flags and limits for the journal, without the environment."""
        # JSON has no infinity: None means no limit.
        limits = {name: each if each < inf else None for name, each in asdict(self.limits).items()}
        patience = self.patience
        return {
            "play": [*words_of(self.play)],
            **limits,
            "hang_s": patience.hang_s,
            "gain_hours": patience.gain_hours,
            "backoff_s": patience.backoff_s,
        }


@dataclass(frozen=True, slots=True)
class Clock:
    """A monotonic clock, `elapsed`, and wall time since 1970, `date`, which may jump and is only logged."""

    elapsed: Callable[[], float] = monotonic
    date: Callable[[], float] = lambda: datetime.now(UTC).timestamp()
