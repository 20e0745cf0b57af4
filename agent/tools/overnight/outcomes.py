"""Why a child or a night ends: limits with their readings, kinds of fault, how a child exited, and the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import inf
from typing import Final, NamedTuple

FRAMES_PER_HOUR: Final = 59.7275 * 3_600
MB: Final = 1_000_000


class Guard(Enum):
    """What is guarded, by the name under which a verdict tells it."""

    HOURS = "hours"
    GAME_HOURS = "game_hours"
    TICKS = "ticks"  # which play itself keeps to
    DISK = "disk"
    MEMORY = "memory"
    LOG = "log"
    CALLS = "calls"
    DOLLARS = "dollars"


@dataclass(frozen=True, slots=True)
class NightLimits:
    """The most that a night may take. Bytes are of the disks, of the child's memory, and of all it logs."""

    hours: float = inf
    game_hours: float = inf
    free_bytes: int = 500 * MB
    resident: int = 1_500 * MB
    log_bytes: int = 100 * MB
    calls: float = inf
    usd: float = inf


class NightUsage(NamedTuple):
    """What was read just now; `night_s` are seconds of this night over all its sessions."""

    night_s: float
    frame: int
    free_bytes: int
    resident: int
    log_bytes: int
    calls: int = 0
    usd: float = 0.0
    asks: bool = False  # whether a model is asked, so that calls and dollars matter


class NightFault(Enum):
    """The kinds of fault, as they are logged and counted."""

    CRASH = "crash"  # a signal of the process's own making
    KILLED = "killed"  # SIGKILL, by the user or a system without memory
    TERMINATED = "terminated"  # the child was asked for an end from outside
    ERROR = "error"  # it ended by itself, with a line that says why
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
HINDRANCES: Final = {NightFault.UNWRITABLE, NightFault.DISK}  # which may end from outside


class StopReason(NamedTuple):
    """Why a child is to end, and in words; None for a request of the user."""

    because: Guard | NightFault | None
    says: str


def passed(usage: NightUsage, limits: NightLimits) -> StopReason | None:
    """Return the limit that is passed, one that ends the night before one that does not."""
    hours, game_hours = usage.night_s / 3_600, usage.frame / FRAMES_PER_HOUR
    left, resident, logged = (
        f"{each / MB:,.0f} MB" for each in (usage.free_bytes, usage.resident, usage.log_bytes)
    )
    checks = {
        Guard.DISK: usage.free_bytes < limits.free_bytes,
        Guard.HOURS: hours >= limits.hours,
        Guard.GAME_HOURS: game_hours >= limits.game_hours,
        Guard.LOG: usage.log_bytes > limits.log_bytes,
        Guard.MEMORY: usage.resident > limits.resident,
        Guard.CALLS: usage.asks and usage.calls >= limits.calls,
        Guard.DOLLARS: usage.asks and usage.usd >= limits.usd,
    }
    guard = next((guard for guard, is_past in checks.items() if is_past), None)
    if guard is None:
        return None
    says = {
        Guard.DISK: f"{left} left on the disk, and {limits.free_bytes / MB:,.0f} MB must stay free",
        Guard.HOURS: f"{hours:.2f} hours of wall time, of {limits.hours:g}",
        Guard.GAME_HOURS: f"{game_hours:.2f} hours of game time, of {limits.game_hours:g}",
        Guard.LOG: f"{logged} logged, of {limits.log_bytes / MB:,.0f} MB; look into night.log",
        Guard.MEMORY: f"{resident} of memory taken, of {limits.resident / MB:,.0f} MB",
        Guard.CALLS: f"{usage.calls} calls of a model made, of {limits.calls:g}",
        Guard.DOLLARS: f"${usage.usd:.2f} spent on asking, of ${limits.usd:.2f}",
    }
    return StopReason(guard, says[guard])


KILLED = -9
TERMINATED = -15
INTERRUPTED = 130
USAGE = 2


@dataclass(frozen=True, slots=True)
class ChildExit:
    """How a child ended. `stop` is how it says that play ended, '' when it said nothing; `says` is why, in one line.

    `because` is why it was ended, if it did not end by itself; `tick`, `checkpoint` and `gains` are the last that were
    told of, `gained_at` is the tick of the last gain. `played` says whether it got so far as to tell anything.
    """

    code: int
    stop: str = ""
    says: str = ""
    because: Guard | NightFault | None = None
    is_unwatched: bool = False  # the supervisor was asked for an end
    tick: int = 0
    frame: int = 0
    ticks: int = 0  # that it played
    checkpoint: int = -1
    gains: int = -1
    gained_at: int = 0
    played: bool = False
    unasked: bool = False  # it had ended before the supervisor asked it to

    @property
    def kind(self) -> NightFault:
        """What kind of fault it was that it ended."""
        if isinstance(self.because, NightFault):
            return self.because
        if self.code == KILLED:
            return NightFault.KILLED
        if self.code in {TERMINATED, INTERRUPTED} or self.stop == "interrupted":
            return NightFault.TERMINATED
        return NightFault.CRASH if self.code < 0 else NightFault.ERROR

    @property
    def by_others(self) -> NightFault | None:
        """How it was ended from outside, also where another reason to end it was found just then."""
        if self.is_unwatched or not (self.because is None or self.unasked):
            return None
        kind = replace(self, because=None).kind
        return kind if kind in {NightFault.KILLED, NightFault.TERMINATED} else None

    @property
    def is_whole(self) -> bool:
        """Whether it played all that was asked for."""
        return self.stop in {"goal", "ticks"}

    @property
    def is_suspicious(self) -> bool:
        """Whether the files should be looked through: damage may be behind it, or no one looks later."""
        return self.is_whole or self.code == 1 or not self.played or self.because in DAMAGE


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
    """How a night ended; `which` limit, where it was one, and `why` in one line."""

    ending: NightEnding
    why: str
    which: Guard | None = None


INTERRUPTED_NIGHT: Final = NightVerdict(
    NightEnding.INTERRUPTED, "somebody asked for an end; the same command goes on"
)


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
