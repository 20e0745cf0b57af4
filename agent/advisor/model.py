"""The port of a model: one call with its request, reply, usage and faults, the same for every model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol


class FaultKind(Enum):
    """The kinds of fault of a call."""

    TIMEOUT = "timeout"
    RATE_LIMIT = "rate_limit"  # 429
    OVERLOADED = "overloaded"  # 529
    SERVER = "server"  # any other 5xx
    CONNECTION = "connection"  # refused or interrupted
    BROKEN_STREAM = "broken_stream"  # ends before the message does
    TOO_LONG = "too_long"  # the answer exceeds the byte limit
    MALFORMED = "malformed"  # invalid JSON, or not a message
    BAD_REQUEST = "bad_request"  # 400, 413: the request is invalid
    DENIED = "denied"  # 401, 403, 404: wrong key or model
    UNEXPECTED = "unexpected"  # an error in asking that nothing else expects
    INTERRUPTED = "interrupted"  # play is to end


class ModelFault(Exception):  # an expected result of a call, not an error of the program
    """A call that returned no message. `retry_after_s` is the wait that the service asked for, if any.

    `is_free` is True when the service did no billed work: it was not reached, or it refused at once. `asks_again` is True
    when the client has learnt to do without what was refused, so that the same request may be accepted now.
    """

    asks_again = False

    def __init__(
        self,
        kind: FaultKind,
        detail: str,
        retry_after_s: float | None = None,
        *,
        is_free: bool = False,
    ) -> None:
        super().__init__(f"{kind.value}: {detail}")
        self.kind = kind
        self.detail = detail
        self.retry_after_s = retry_after_s
        self.is_free = is_free


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a model thinks, in the words of the service, and the tokens of an answer, which include its thinking.

    An empty text is not sent, so that the model's own default holds.
    """

    thinking: str = "adaptive"
    effort: str = "low"  # a question has few options, and the time of a player is short
    max_tokens: int = 4_000


DEFAULT_SETTINGS: Final = ModelSettings()


@dataclass(frozen=True, slots=True)
class Request:
    """One request in the shapes of the Messages API, cache marks included.

    `output_schema` is the JSON schema of the final answer, if there is one. With `previous_message_id` the service reports
    why the cache was missed since that message; '' before the first message, None for no report.
    `attempt` counts from 1 and is stored with the record of the call.
    """

    model: str
    system: Sequence[Mapping[str, Any]]
    messages: Sequence[Mapping[str, Any]]
    settings: ModelSettings = DEFAULT_SETTINGS
    tools: Sequence[Mapping[str, Any]] = ()
    output_schema: Mapping[str, Any] | None = None
    previous_message_id: str | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a call, by kind."""

    input: int = 0  # not read from or written to the cache
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete message from the model. `usage` is empty when the service did not count it."""

    id: str
    model: str
    blocks: Sequence[Mapping[str, Any]]
    stop_reason: str
    usage: Usage
    cache_missed: str = ""  # the reason, when the service reports one
    is_counted: bool = True


@dataclass(frozen=True, slots=True)
class Permit:
    """Permission for one call, booked at its maximum cost before it is made.

    `worst_nanos` is that cost in billionths of a dollar; `worst_tokens` counts input and output together.
    """

    id: int
    model: str
    worst_nanos: int
    worst_tokens: int


class Model(Protocol):
    """A service that answers requests."""

    def complete(self, request: Request) -> Reply:
        """Return the reply. Raises ModelFault."""

    def count_tokens(self, request: Request) -> int:
        """Return the number of input tokens that the service counts. Raises ModelFault."""


class CallRecorder(Protocol):
    """A function that records a call that returned a message: request and reply as JSON."""

    def __call__(
        self,
        request: Mapping[str, Any],
        reply: Mapping[str, Any],
        *,
        duration_ns: int,
        meta: Mapping[str, Any],
    ) -> object:
        """Record one call; it must not raise."""
