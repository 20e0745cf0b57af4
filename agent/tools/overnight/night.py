"""A night: its settings, limits and usage, the kinds of fault, the exit of a child, and the verdict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple

from agent.advisor.port import Decider
from agent.errors import UsageError
from agent.settings import Settings, words_of

FRAMES_PER_HOUR: Final = 59.7275 * 3_600
MB: Final = 1_000_000


class Limit(Enum):
    """The limits of a night, by their names in a verdict."""

    HOURS = "hours"
    GAME_HOURS = "game_hours"
    TICKS = "ticks"  # checked by play itself
    DISK = "disk"
    MEMORY = "memory"
    LOG = "log"
    CALLS = "calls"
    DOLLARS = "dollars"


@dataclass(frozen=True, slots=True)
class NightLimits:
    """The limits of a night: hours, free disk space, memory of the child, bytes of all logs, and cost of a model."""

    hours: float = inf
    game_hours: float = inf
    free_bytes: int = 500 * MB
    resident: int = 1_500 * MB
    log_bytes: int = 100 * MB
    calls: float = inf
    usd: float = inf


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


DESCRIBED: Final = ("hang_s", "gain_hours", "backoff_s")  # timeouts in the journal


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
        timeouts = {each: getattr(self.patience, each) for each in DESCRIBED}
        return {"play": [*words_of(self.play)], **limits, **timeouts}


@dataclass(frozen=True, slots=True)
class Clock:
    """A monotonic clock, `elapsed`, and wall time since 1970, `date`, which may jump and is only logged."""

    elapsed: Callable[[], float] = monotonic
    date: Callable[[], float] = lambda: datetime.now(UTC).timestamp()


class NightUsage(NamedTuple):
    """The current usage; `night_s` counts the seconds of this night over all its sessions."""

    night_s: float
    frame: int
    free_bytes: int
    resident: int
    log_bytes: int
    calls: int = 0
    usd: float = 0.0
    asks: bool = False  # whether a model is asked; otherwise calls and dollars do not count


class NightFault(Enum):
    """The kinds of fault, as they are logged and counted."""

    CRASH = "crash"  # a signal that the process itself caused
    KILLED = "killed"  # SIGKILL, by the user or by a system out of memory
    TERMINATED = "terminated"  # a signal from outside requested the end
    ERROR = "error"  # it ended by itself with an error line
    HANG = "hang"
    LIVELOCK = "livelock"
    MEMORY = "memory"
    LOG = "log"
    DAMAGED_RUN = "damaged_run"
    DAMAGED_MEMORY = "damaged_memory"
    UNWRITABLE = "unwritable"
    DISK = "disk"
    NOT_RESUMABLE = "not_resumable"


DAMAGE: Final = {NightFault.DAMAGED_RUN, NightFault.DAMAGED_MEMORY, NightFault.NOT_RESUMABLE}
TEMPORARY: Final = {NightFault.UNWRITABLE, NightFault.DISK}  # these may disappear by themselves


class StopReason(NamedTuple):
    """Why a child must end, with a message; `because` is None for a request of the user."""

    because: Limit | NightFault | None
    message: str


def hours_over(night_s: float, limits: NightLimits) -> str | None:
    """Return a message if the hours of a night are over, else None."""
    hours = night_s / 3_600
    over = f"{hours:.2f} hours of wall time, of {limits.hours:g}"
    return over if hours >= limits.hours else None


def exceeded(usage: NightUsage, limits: NightLimits) -> StopReason | None:
    """Return the first exceeded limit, or None; limits that end the night come first."""
    hours, game_hours = hours_over(usage.night_s, limits), usage.frame / FRAMES_PER_HOUR
    left, resident, logged = (
        f"{each / MB:,.0f} MB" for each in (usage.free_bytes, usage.resident, usage.log_bytes)
    )
    checks = {
        Limit.DISK: usage.free_bytes < limits.free_bytes
        and f"{left} free on the disk, and {limits.free_bytes / MB:,.0f} MB must stay free",
        Limit.HOURS: hours,
        Limit.GAME_HOURS: game_hours >= limits.game_hours
        and f"{game_hours:.2f} hours of game time, of {limits.game_hours:g}",
        Limit.LOG: usage.log_bytes > limits.log_bytes
        and f"{logged} logged, of {limits.log_bytes / MB:,.0f} MB; see night.log",
        Limit.MEMORY: usage.resident > limits.resident
        and f"{resident} of memory used, of {limits.resident / MB:,.0f} MB",
        Limit.CALLS: usage.asks
        and usage.calls >= limits.calls
        and f"{usage.calls} calls of a model, of {limits.calls:g}",
        Limit.DOLLARS: usage.asks
        and usage.usd >= limits.usd
        and f"${usage.usd:.2f} spent on a model, of ${limits.usd:.2f}",
    }
    return next((StopReason(limit, found) for limit, found in checks.items() if found), None)


KILLED = -9
TERMINATED = -15
INTERRUPTED = 130
USAGE = 2


@dataclass(frozen=True, slots=True)
class ChildExit:
    """How a child ended: `stop` from its summary, '' without one, and `message`, the reason in one line.

    `because` is the reason why the supervisor ended it, else None; `tick`, `checkpoint` and `gains` are the last
    reported ones, `gained_at` is the tick of the last gain. `played` is whether it sent any heartbeat.
    """

    code: int
    stop: str = ""
    message: str = ""
    because: Limit | NightFault | None = None
    is_interrupted: bool = False  # the user has interrupted the supervisor
    tick: int = 0
    frame: int = 0
    ticks: int = 0  # played by this child
    checkpoint: int = -1
    gains: int = -1
    gained_at: int = 0
    played: bool = False
    was_over: bool = False  # it ended before the supervisor requested it

    @property
    def kind(self) -> NightFault:
        """The kind of fault that this exit is."""
        if isinstance(self.because, NightFault):
            return self.because
        if self.code == KILLED:
            return NightFault.KILLED
        if self.code in {TERMINATED, INTERRUPTED} or self.stop == "interrupted":
            return NightFault.TERMINATED
        return NightFault.CRASH if self.code < 0 else NightFault.ERROR

    @property
    def ended_from_outside(self) -> NightFault | None:
        """The fault of an end from outside, even if the supervisor found a reason at the same time; else None."""
        if self.is_interrupted or not (self.because is None or self.was_over):
            return None
        kind = replace(self, because=None).kind
        return kind if kind in {NightFault.KILLED, NightFault.TERMINATED} else None

    @property
    def is_complete(self) -> bool:
        """Whether it reached its goal or its last tick."""
        return self.stop in {"goal", "ticks"}

    @property
    def is_suspicious(self) -> bool:
        """Whether to check all pages of the files: damage may be the cause, or this is the last check."""
        return self.is_complete or self.code == 1 or not self.played or self.because in DAMAGE


class NightEnding(Enum):
    """The four ends of a night."""

    GOAL = "goal"
    LIMIT = "limit"
    GAVE_UP = "gave_up"
    INTERRUPTED = "interrupted"

    @property
    def exit_code(self) -> int:
        """The exit code of the process."""
        return {NightEnding.GOAL: 0, NightEnding.INTERRUPTED: INTERRUPTED}.get(self, 3)


class NightVerdict(NamedTuple):
    """How a night ended, with the exceeded limit `which`, if any, and the `reason` in one line."""

    ending: NightEnding
    reason: str
    which: Limit | None = None


INTERRUPTED_NIGHT: Final = NightVerdict(
    NightEnding.INTERRUPTED, "interrupted; the same command continues"
)


@dataclass(frozen=True, slots=True)
class Night:
    """The result of a night, as `overnight --json` prints it; `night_s` counts wall time over all its sessions."""

    run: str
    verdict: str
    which: str
    reason: str
    ticks: int
    frames: int
    milestones: tuple[str, ...]
    restarts: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    night_s: float = 0.0
