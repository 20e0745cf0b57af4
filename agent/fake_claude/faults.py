"""What goes wrong, and when: kinds of faults, and the choice of one for each request."""

import random
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

MESSAGES: Final = "messages"


class FaultKind(Enum):
    """Everything that can be wrong with a reply."""

    # A status and the service's JSON for it.
    RATE_LIMIT = "rate_limit"  # 429 with retry-after
    OVERLOADED = "overloaded"  # 529
    SERVER_ERROR = "server_error"  # 500
    BAD_GATEWAY = "bad_gateway"  # 502, not even JSON
    UNAVAILABLE = "unavailable"  # 503
    GATEWAY_TIMEOUT = "gateway_timeout"  # 504
    # The connection.
    TIMEOUT = "timeout"  # never answers
    LATE = "late"  # answers after a while
    REFUSED = "refused"  # nobody listens for a while
    RESET = "reset"  # broken off before an answer
    CUT = "cut"  # broken off in the middle of one
    HALF_STREAM = "half_stream"  # ends in order, but before message_stop
    HALF_JSON = "half_json"  # ends in order, in the middle of some JSON
    ERROR_EVENT = "error_event"  # an error after the stream began well
    DRIP = "drip"  # a few bytes every now and then, without an end
    FLOOD = "flood"  # 50 MB in chunks
    INVALID_JSON = "invalid_json"
    WRONG_SHAPE = "wrong_shape"  # JSON, but no message
    WRONG_TYPE = "wrong_type"  # a web page
    # The message.
    REFUSAL = "refusal"
    MAX_TOKENS = "max_tokens"  # cut off
    STOP_SEQUENCE = "stop_sequence"
    PAUSE_TURN = "pause_turn"
    CONTEXT_EXCEEDED = "context_exceeded"
    UNKNOWN_TOOL = "unknown_tool"
    BAD_TOOL_INPUT = "bad_tool_input"
    SCHEMA_VIOLATION = "schema_violation"
    PROSE = "prose"  # where JSON was wanted
    UNKNOWN_NAMES = "unknown_names"  # goals and candidates that nobody offered
    ABSURD_CONFIDENCE = "absurd_confidence"
    EMPTY = "empty"  # no content at all
    INJECTION = "injection"  # orders to whoever reads it
    HUGE = "huge"  # a megabyte of text


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault and when it happens: at `turns`, else by `probability`; `times` is how often at most.

    `since` is the first request that it may happen to.

    `at` is the endpoint: messages, count_tokens or models. `retry_after_ms` is what a 429 asks for; `ms` is
    how late an answer is, how long nobody listens, or how long it is between two drops of a drip.
    """

    kind: FaultKind
    probability: float = 0.0
    turns: tuple[int, ...] = ()
    times: int | None = None
    since: int = 1
    at: str = MESSAGES
    retry_after_ms: int = 1_000
    ms: int = 50


@dataclass(frozen=True, slots=True)
class Spread:
    """A share of all messages that goes wrong, spread evenly over `kinds`."""

    share: float = 0.0
    kinds: Sequence[FaultKind] = tuple(FaultKind)


class Mishaps:
    """Chooses; the same `seed` chooses the same for the same number of the request, whatever it asks."""

    def __init__(self, faults: Sequence[Fault], spread: Spread, seed: int) -> None:
        self._faults = faults
        self._spread = spread
        self._seed = seed
        self._turns: Counter[str] = Counter()
        self._made: Counter[int] = Counter()
        self._left: list[FaultKind] = []
        self._order = random.Random(f"order {seed}")
        self._lock = threading.Lock()

    def next(self, at: str) -> tuple[int, Fault | None]:
        """Return the number of the next request at an endpoint, from 1, and what goes wrong with it."""
        with self._lock:
            self._turns[at] += 1
            turn = self._turns[at]
            for number, fault in enumerate(self._faults):
                if fault.at == at and self._happens(number, fault, turn):
                    self._made[number] += 1
                    return turn, fault
            if at == MESSAGES and self._chance("spread", turn) < self._spread.share:
                return turn, Fault(self._next_kind())
            return turn, None

    def _happens(self, number: int, fault: Fault, turn: int) -> bool:
        if turn < fault.since or (fault.times is not None and self._made[number] >= fault.times):
            return False
        return turn in fault.turns or self._chance(str(number), turn) < fault.probability

    def _chance(self, what: str, turn: int) -> float:
        return random.Random(f"{self._seed} {what} {turn}").random()

    def _next_kind(self) -> FaultKind:
        """Return one of the kinds; none comes twice before all came once."""
        if not self._left:
            self._left = list(self._spread.kinds)
            self._order.shuffle(self._left)
        return self._left.pop()
