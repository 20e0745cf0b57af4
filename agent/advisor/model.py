"""The port of a model: one call with its request, reply, usage and faults, whichever model it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol


class FaultKind(Enum):
    """What can go wrong with a call."""

    TIMEOUT = "timeout"
    RATE_LIMIT = "rate_limit"  # 429
    OVERLOADED = "overloaded"  # 529
    SERVER = "server"  # any other 5xx
    CONNECTION = "connection"  # refused, or broken off
    BROKEN_STREAM = "broken_stream"  # ends before the message does
    TOO_LONG = "too_long"  # an answer of more bytes than anybody needs
    MALFORMED = "malformed"  # no JSON, or not of the shape of a message
    BAD_REQUEST = "bad_request"  # 400, 413: the request itself
    DENIED = "denied"  # 401, 403, 404: the key or the model


class ModelFault(Exception):  # an expected result of a call, told apart from errors of ours
    """A call that brought no message. `retry_after_s` is what the service asked for, if it did.

    `is_free` tells that the service did no work for it: it was never reached, or it refused at once.
    """

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
class Request:
    """What is sent; all in the shapes of the Messages API, cache marks included.

    `output_schema` is the JSON schema that the final answer must follow, if there is one. `previous_message_id` asks
    why the cache was missed since that message, '' where there is none yet; None does not ask.
    `attempt` counts from 1 and is noted with the record of the call.
    """

    model: str
    system: Sequence[Mapping[str, Any]]
    messages: Sequence[Mapping[str, Any]]
    max_tokens: int
    tools: Sequence[Mapping[str, Any]] = ()
    output_schema: Mapping[str, Any] | None = None
    previous_message_id: str | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a call, by kind."""

    input: int = 0  # neither read from the cache nor written to it
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A message that came back whole."""

    id: str
    model: str
    blocks: Sequence[Mapping[str, Any]]
    stop_reason: str
    usage: Usage
    cache_missed: str = ""  # why, where the service says so


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to make one call, booked at the most it can cost before it is made.

    `worst_nanos` is that cost in billionths of a dollar, `worst_tokens` input and output together.
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
        """Return how many tokens the service counts as input. Raises ModelFault."""


class CallRecorder(Protocol):
    """Takes note of a call that brought a message: what was sent and what came, as JSON."""

    def __call__(
        self,
        request: Mapping[str, Any],
        reply: Mapping[str, Any],
        *,
        duration_ns: int,
        meta: Mapping[str, Any],
    ) -> object:
        """Keep one call; it must not raise."""
