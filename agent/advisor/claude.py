"""Claude through the anthropic SDK; no other file imports the SDK.

Every reply is streamed, so that a long reply does not time out between two pieces. Its bytes and its time are limited
before the SDK reads it. The SDK retries nothing: the caller books the cost of each call.
"""

import math
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import httpx2
from anthropic import (
    Anthropic,
    AnthropicError,
    APIRequest,
    CallNext,
    DefaultHttpxClient,
    Middleware,
    Stream,
    Timeout,
)

from agent.advisor.model import CallRecorder, FaultKind, ModelFault, Reply, Request
from agent.advisor.reply import message_of, parse_json, reply_of
from agent.errors import UsageError

_STARTED: Final = "agent.started"
MAX_BYTES: Final = 1_000_000  # of a reply


@dataclass(frozen=True, slots=True)
class ReplyLimits:
    """The longest time of a reply, besides `MAX_BYTES`; `clock` returns seconds since any fixed moment.

    The time is checked whenever a piece arrives. A reply that stops arriving therefore takes at most the client's own
    timeout for one piece longer.
    """

    timeout_s: float
    clock: Callable[[], float]

    @property
    def hooks(self) -> dict[str, list[Callable[..., Any]]]:
        """The event hooks for an httpx2 client."""
        return {"request": [self._start], "response": [self._limit]}

    def _start(self, request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, _STARTED: self.clock()}

    def _limit(self, response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            until = response.request.extensions[_STARTED] + self.timeout_s
            response.stream = _LimitedStream(response.stream, self, until)


@dataclass(frozen=True, slots=True)
class _LimitedStream(httpx2.SyncByteStream):
    """A byte stream that raises ModelFault when a limit is exceeded."""

    stream: httpx2.SyncByteStream
    limits: ReplyLimits
    until: float

    def __iter__(self) -> Iterator[bytes]:
        arrived = 0
        for piece in self.stream:
            arrived += len(piece)
            if arrived > MAX_BYTES:
                detail = f"the reply has more than {MAX_BYTES} bytes"
                raise ModelFault(FaultKind.TOO_LONG, detail)
            if self.limits.clock() > self.until:
                detail = f"the reply is not complete after {self.limits.timeout_s:g} seconds"
                raise ModelFault(FaultKind.TIMEOUT, detail)
            yield piece

    def close(self) -> None:
        self.stream.close()


MAX_DETAIL: Final = 200  # characters of a service's error message
_REFUSALS: Final = {
    401: FaultKind.DENIED,
    402: FaultKind.DENIED,
    403: FaultKind.DENIED,
    404: FaultKind.DENIED,
    408: FaultKind.TIMEOUT,
    429: FaultKind.RATE_LIMIT,
    529: FaultKind.OVERLOADED,
}


def fault_of(error: Exception, secret: str) -> ModelFault:
    """Return `error` as a ModelFault; its message does not contain `secret`."""
    response = getattr(error, "response", None)
    if isinstance(response, httpx2.Response):
        return _refusal(error, response, secret)
    is_raw = isinstance(error, httpx2.HTTPError | httpx2.StreamError | ValueError)
    cause = error if is_raw or error.__cause__ is None else error.__cause__
    name = type(cause).__name__
    match cause:
        case ModelFault():
            return cause
        case httpx2.ConnectTimeout():
            return ModelFault(FaultKind.TIMEOUT, "no answer at the address", is_free=True)
        case httpx2.TimeoutException():
            return ModelFault(FaultKind.TIMEOUT, "the service sent nothing for too long")
        case httpx2.ConnectError() | httpx2.UnsupportedProtocol() | httpx2.ProxyError():
            return ModelFault(FaultKind.CONNECTION, f"no connection ({name})", is_free=True)
        case httpx2.DecodingError() | ValueError():
            return ModelFault(FaultKind.MALFORMED, f"the reply cannot be read ({name})")
        case httpx2.HTTPError() | httpx2.StreamError():
            kind = FaultKind.BROKEN_STREAM if is_raw else FaultKind.CONNECTION
            return ModelFault(kind, f"the connection broke ({name})")
        case _:
            return ModelFault(FaultKind.DENIED, f"no credentials ({name})", is_free=True)


def _refusal(error: Exception, response: httpx2.Response, secret: str) -> ModelFault:
    status = response.status_code
    if response.is_success:
        return ModelFault(FaultKind.MALFORMED, f"the reply cannot be read ({type(error).__name__})")
    kind = _REFUSALS.get(status, FaultKind.SERVER if status >= 500 else FaultKind.BAD_REQUEST)
    reason = " ".join(str(getattr(error, "api_message", None) or "").split())
    if secret:
        reason = reason.replace(secret, "(key)")
    # Behind a gateway error the service may still produce a message and bill it; a refusal is free.
    is_free = (status < 500 and kind is not FaultKind.TIMEOUT) or kind is FaultKind.OVERLOADED
    detail = f"status {status}{': ' if reason else ''}{reason[:MAX_DETAIL]}"
    return ModelFault(kind, detail, _retry_after(response.headers), is_free=is_free)


def _retry_after(headers: Mapping[str, Any]) -> float | None:
    """Return the seconds that the service asks to wait, or None; a date is ignored, since it needs a clock."""
    for name, unit in (("retry-after-ms", 1_000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None


@cache
def _trusted() -> ssl.SSLContext:
    """Return the SDK's default certificates; cached, since reading them is the slowest part of a new client."""
    return httpx2.create_ssl_context()


CONNECT_S: Final = 5.0
_ATTEMPT: Final = "x-stainless-retry-count"  # the SDK's own header for the number of retries


class Claude:
    """The Messages API as a Model; the SDK reads the key from the environment.

    An answer may take `timeout_s`. `clock` returns seconds since any fixed moment. `record` receives each call that
    returned a message. Without `base_url` the SDK uses the address of the environment or its default.
    """

    def __init__(
        self,
        timeout_s: float,
        *,
        clock: Callable[[], float],
        record: CallRecorder | None = None,
        base_url: str | None = None,
    ) -> None:
        limits = ReplyLimits(timeout_s, clock)
        middleware = [] if record is None else [_Recording(record, clock)]
        try:
            self._client = Anthropic(
                base_url=base_url,
                max_retries=0,
                timeout=Timeout(timeout_s, connect=min(CONNECT_S, timeout_s)),
                # A redirect must not send the key to another host.
                http_client=DefaultHttpxClient(
                    verify=_trusted(), event_hooks=limits.hooks, follow_redirects=False
                ),
                # A compressed reply could exceed the limits after unpacking.
                default_headers={"accept-encoding": "identity"},
                middleware=middleware,
                open_telemetry=False,
            )
        except (AnthropicError, httpx2.InvalidURL, ValueError) as error:
            message = (
                f"cannot use the settings for Claude ({type(error).__name__}): check ANTHROPIC_*"
            )
            raise UsageError(message) from None
        self._secret = _usable_key(self._client)

    @property
    def is_billed(self) -> bool:
        """Whether the service is Anthropic's own: another server may cost nothing, or something else."""
        return self._client.base_url.host == "api.anthropic.com"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def complete(self, request: Request) -> Reply:
        """Return the reply. Raises ModelFault."""
        sent = _prompt_of(request) | {"max_tokens": request.max_tokens, "stream": True}
        if request.previous_message_id is not None:
            sent["diagnostics"] = {"previous_message_id": request.previous_message_id or None}
        headers = {_ATTEMPT: str(request.attempt - 1)}
        create = self._client.messages.with_streaming_response.create
        with self._mapped_faults(), create(**sent, extra_headers=headers) as response:
            return reply_of(_message(response.http_response))

    def count_tokens(self, request: Request) -> int:
        """Return the number of input tokens that the service counts. Raises ModelFault."""
        with self._mapped_faults():
            counted = self._client.messages.count_tokens(**_prompt_of(request))
        tokens = _number(counted, "input_tokens")
        if tokens is None:
            raise ModelFault(FaultKind.MALFORMED, "the service counted no tokens")
        return tokens

    def max_input_tokens(self, model: str) -> int | None:
        """Return the maximum input tokens of `model`, or None when the service does not say. Raises ModelFault."""
        with self._mapped_faults():
            found = self._client.models.retrieve(model)
        return _number(found, "max_input_tokens")

    @contextmanager
    def _mapped_faults(self) -> Iterator[None]:
        try:
            yield
        except ModelFault:
            raise
        # For invalid JSON the SDK raises the parser's ValueError.
        except (AnthropicError, httpx2.HTTPError, httpx2.StreamError, ValueError) as error:
            raise fault_of(error, self._secret) from None


class _Recording(Middleware):
    """Middleware that records each attempt that returned a complete message."""

    def __init__(self, record: CallRecorder, clock: Callable[[], float]) -> None:
        self._record = record
        self._clock = clock

    def handle(self, request: APIRequest, call_next: CallNext) -> Any:  # noqa: ANN401  # type of the SDK
        """Make the call and record its message."""
        started = self._clock()
        response = call_next(request)
        if request.url.split("?")[0] != "/v1/messages" or not response.http_response.is_success:
            return response
        response.http_response.read()  # buffered, so that the caller can read it again
        taken = self._clock() - started
        try:
            message = _message(response.http_response)
            reply_of(message)
        except (ModelFault, ValueError):
            return response  # the caller meets the same fault
        sent = request.json if isinstance(request.json, Mapping) else {}
        meta = {"attempt": int(str(request.headers.get(_ATTEMPT, "0"))) + 1}
        self._record(sent, message, duration_ns=round(taken * 1e9), meta=meta)
        return response


def _prompt_of(request: Request) -> dict[str, Any]:
    """Return the part of a call whose tokens count as input."""
    prompt: dict[str, Any] = {"model": request.model, "messages": request.messages}
    if request.system:
        prompt["system"] = request.system
    if request.tools:
        prompt["tools"] = request.tools
    if request.output_schema is not None:
        schema = {"type": "json_schema", "schema": request.output_schema}
        prompt["output_config"] = {"format": schema}
    return prompt


def _message(response: httpx2.Response) -> Mapping[str, Any]:
    """Return the message of a streamed or plain response. Raises ModelFault."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        return message_of((each.event, each.data) for each in Stream.raw_events(response))
    if kind != "application/json":  # a proxy may answer without streaming
        detail = f"the reply is not a message but {kind[:60] or 'unnamed'}"
        raise ModelFault(FaultKind.MALFORMED, detail)
    message = parse_json(response.read().decode("utf-8"))
    if not isinstance(message, Mapping):
        raise ModelFault(FaultKind.MALFORMED, "the reply is not a JSON object")
    return message


def _number(found: object, name: str) -> int | None:
    value = getattr(found, name, None)  # the SDK does not validate its values
    is_number = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if is_number else None


def _usable_key(client: Anthropic) -> str:
    """Return the key, or '' for other credentials. Raises UsageError when there is none or it cannot be sent."""
    key = client.api_key or client.auth_token or ""
    if not key and client.credentials is None:
        raise UsageError(
            "there is no key for Claude: set ANTHROPIC_API_KEY, or play without a model"
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError("the key for Claude has invalid characters: check ANTHROPIC_API_KEY")
    return key
