"""Claude through the anthropic SDK: the one file that knows it.

Every reply is streamed, so that a long one is not lost to a timeout between two of its words. What arrives is bounded in
bytes and in time before the SDK sees it. The SDK retries nothing: whoever asks knows what another call costs.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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

from agent.advisor.arriving import message_of, plain_json
from agent.advisor.bounded import Bounds
from agent.advisor.faults import fault_of
from agent.advisor.model import FaultKind, Limits, ModelFault, Record, Reply, Request
from agent.advisor.replying import reply_of
from agent.errors import UsageError

CONNECT_S: Final = 5.0
_ATTEMPT: Final = "x-stainless-retry-count"  # the header by which the SDK itself tells of retries


@dataclass(frozen=True, slots=True)
class Connection:
    """How the service is reached; without `base_url` the SDK takes it from the environment, or its own."""

    base_url: str | None = None
    timeout_s: float = 60.0
    max_bytes: int = 1_000_000


class Claude:
    """The Messages API as a Model; the key comes out of the environment by the SDK's own ways.

    `clock` gives seconds from any moment. `record` is told of each call that brought a message.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        clock: Callable[[], float],
        record: Record | None = None,
    ) -> None:
        bounds = Bounds(connection.max_bytes, connection.timeout_s, clock)
        middleware = [] if record is None else [_Recording(record, clock)]
        try:
            self._client = Anthropic(
                base_url=connection.base_url,
                max_retries=0,
                timeout=Timeout(connection.timeout_s, connect=min(CONNECT_S, connection.timeout_s)),
                # Another host that a reply points to must not be sent the key.
                http_client=DefaultHttpxClient(event_hooks=bounds.hooks, follow_redirects=False),
                # What is packed could grow out of its bounds when it is unpacked.
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
        with self._faults_told(), create(**sent, extra_headers=headers) as response:
            return reply_of(_message(response.http_response))

    def count_tokens(self, request: Request) -> int:
        """Return how many tokens the service counts as input. Raises ModelFault."""
        with self._faults_told():
            counted = self._client.messages.count_tokens(**_prompt_of(request))
        tokens = _number(counted, "input_tokens")
        if tokens is None:
            raise ModelFault(FaultKind.MALFORMED, "the service counted no tokens")
        return tokens

    def limits(self, model: str) -> Limits:
        """Return the most that `model` takes and gives, as the service says. Raises ModelFault."""
        with self._faults_told():
            found = self._client.models.retrieve(model)
        return Limits(_number(found, "max_input_tokens"), _number(found, "max_tokens"))

    @contextmanager
    def _faults_told(self) -> Iterator[None]:
        try:
            yield
        except ModelFault:
            raise
        # The SDK lets what is no JSON through as a ValueError of the parser.
        except (AnthropicError, httpx2.HTTPError, httpx2.StreamError, ValueError) as error:
            raise fault_of(error, self._secret) from None


class _Recording(Middleware):
    """Hands each call that brought a whole message on; it runs for every attempt."""

    def __init__(self, record: Record, clock: Callable[[], float]) -> None:
        self._record = record
        self._clock = clock

    def handle(self, request: APIRequest, call_next: CallNext) -> Any:  # noqa: ANN401  # as the SDK has it
        """Pass the call on, and take note of what came back."""
        started = self._clock()
        response = call_next(request)
        if request.url.split("?")[0] != "/v1/messages" or not response.http_response.is_success:
            return response
        response.http_response.read()  # is kept, and read again by whoever asked
        taken = self._clock() - started
        try:
            message = _message(response.http_response)
            reply_of(message)
        except (ModelFault, ValueError):
            return response  # whoever asked finds the same
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
    """Return the message that a response brings, streamed or plain. Raises ModelFault."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        return message_of((each.event, each.data) for each in Stream.raw_events(response))
    if kind != "application/json":  # which a proxy may send that does not stream
        detail = f"the reply is no message but {kind[:60] or 'unnamed'}"
        raise ModelFault(FaultKind.MALFORMED, detail)
    message = plain_json(response.read().decode("utf-8"))
    if not isinstance(message, Mapping):
        raise ModelFault(FaultKind.MALFORMED, "the reply is no object")
    return message


def _number(found: object, name: str) -> int | None:
    value = getattr(found, name, None)  # the SDK builds its values without looking at them
    is_number = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if is_number else None


def _usable_key(client: Anthropic) -> str:
    """Return the key, '' for credentials of another kind. Raises UsageError where there is none that can be sent."""
    key = client.api_key or client.auth_token or ""
    if not key and client.credentials is None:
        raise UsageError("there is no key for Claude: set ANTHROPIC_API_KEY, or play without it")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError(
            "the key for Claude has characters that no key has: look at ANTHROPIC_API_KEY"
        )
    return key
