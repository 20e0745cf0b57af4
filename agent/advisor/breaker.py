"""A service that fails is left alone for a while, longer each time, and then tried with one call.

Time is whatever the caller counts, such as seconds of the game or questions; no clock on the wall decides what is
played. Knows nothing of the service.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from agent.advisor.model import FaultKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class BreakerState(Enum):
    """Whether calls may be tried."""

    CLOSED = "closed"  # all of them
    OPEN = "open"  # none
    HALF_OPEN = "half_open"  # one, to see


# How many faults in a row are too many when the last one is of this kind.
IN_A_ROW: Final[Mapping[FaultKind, int]] = MappingProxyType(
    {
        FaultKind.TIMEOUT: 2,
        FaultKind.RATE_LIMIT: 2,
        FaultKind.OVERLOADED: 2,
        FaultKind.SERVER: 3,
        FaultKind.CONNECTION: 2,
        FaultKind.BROKEN_STREAM: 3,
        FaultKind.TOO_LONG: 3,
        FaultKind.MALFORMED: 3,
        FaultKind.BAD_REQUEST: 3,  # one question may be a bad one; all of them are no chance
        FaultKind.DENIED: 1,  # a key or a model does not become right by trying again
    }
)


@dataclass(frozen=True, slots=True)
class Patience:
    """When a breaker opens, and for how long, in the caller's time.

    It opens after so many faults in a row (`in_a_row`, by the kind of the last), after `most` of the last `among`
    calls, or for as long as the service asks. It stays open for `first`, twice as long each time the call that was let
    through fails too, and never longer than `longest`, which is also how long DENIED lasts. `pace` is how much of that
    time passes in a second of the service's own, in which it says when to come back.
    """

    in_a_row: Mapping[FaultKind, int] = field(default_factory=lambda: IN_A_ROW)
    most: int = 5
    among: int = 10
    first: float = 60.0
    longest: float = 1800.0
    pace: float = 1.0


class CircuitBreaker:
    """The breaker of one service. `faults` counts failed calls by kind, `opened` how often it opened, by that of the last."""

    def __init__(self, now: Callable[[], float], patience: Patience | None = None) -> None:
        self.state = BreakerState.CLOSED
        self.faults: Counter[FaultKind] = Counter()
        self.opened: Counter[FaultKind] = Counter()
        self.held_back = 0  # calls that were not tried
        self._now = now
        self._patience = patience or Patience()
        self._recent: deque[bool] = deque(maxlen=self._patience.among)  # whether each failed
        self._row = 0
        self._wait = self._patience.first  # of the next time it opens
        self._left = 0.0  # until it may be tried again
        self._seen = now()

    def allows(self) -> bool:
        """Return whether a call may be tried now; where one is let through to see, it is the only one for a while."""
        if self.state is BreakerState.CLOSED:
            return True
        self._pass_time()
        if self._left > 0:
            self.held_back += 1
            return False
        self.state = BreakerState.HALF_OPEN
        self._left = self._patience.first  # should nothing ever be heard of it
        return True

    def failed(self, kind: FaultKind, retry_after_s: float | None = None) -> None:
        """Take note of a call that failed, and of the seconds after which the service wants to be asked again."""
        self.faults[kind] += 1
        self._recent.append(True)
        self._row += 1
        asked = min(_seconds(retry_after_s) * self._patience.pace, self._patience.longest)
        if self.state is BreakerState.OPEN:  # a call that was under way when it opened
            self._pass_time()
            self._left = max(self._left, asked)
        elif self.state is BreakerState.HALF_OPEN or self._is_too_much(kind):
            self._open(kind, max(self._next_wait(kind), asked))
        elif asked > 0:
            self._open(kind, asked)

    def worked(self) -> None:
        """Take note of a call that brought a message."""
        self._row = 0
        self._recent.append(False)
        if self.state is not BreakerState.CLOSED:
            self.state = BreakerState.CLOSED
            self._recent.clear()
            self._wait = self._patience.first

    def _is_too_much(self, kind: FaultKind) -> bool:
        is_row = self._row >= self._patience.in_a_row.get(kind, self._patience.most)
        return is_row or sum(self._recent) >= self._patience.most

    def _next_wait(self, kind: FaultKind) -> float:
        wait = self._patience.longest if kind is FaultKind.DENIED else self._wait
        self._wait = min(2 * self._wait, self._patience.longest)
        return wait

    def _open(self, kind: FaultKind, wait: float) -> None:
        self.state = BreakerState.OPEN
        self.opened[kind] += 1
        self._seen = self._now()
        self._left = wait

    def _pass_time(self) -> None:
        # Counted in steps forward: going back to a checkpoint sets the game's time back, which is no time to wait.
        now = self._now()
        self._left -= max(0.0, now - self._seen)
        self._seen = now


def _seconds(asked: float | None) -> float:
    """Return what a service asked for as a number that can be waited for; it may have sent nonsense."""
    return asked if asked is not None and asked > 0 else 0.0
