"""Claude through the anthropic SDK; no other file imports the SDK.

Every reply is streamed, so that a long reply does not time out between two pieces. The SDK retries nothing: the caller
books the cost of each call.
"""

import json
import math
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from typing import Any, Final, TypeVar

import httpx2
from anthropic import Anthropic, AnthropicError, DefaultHttpxClient, Stream, Timeout

from agent.advisor.deadline import Patience, TimedCall
from agent.advisor.features import ServiceFeature, ServiceFeatures
from agent.advisor.model import CallRecorder, FaultKind, ModelFault, Reply, Request
from agent.advisor.reply import message_of, parse_json, reply_of, without_secrets
from agent.advisor.secrets import NO_KEY, Mask
from agent.errors import UsageError
from memory.tapes import is_made_up

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


def fault_of(error: Exception, mask: Mask) -> ModelFault:
    """Return `error` as a ModelFault; its message contains no secret."""
    response = getattr(error, "response", None)
    if isinstance(response, httpx2.Response):
        return _refusal(error, response, mask)
    is_raw = not isinstance(error, AnthropicError)
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
        case httpx2.DecodingError() | ValueError() | RecursionError():
            # For invalid JSON the SDK raises the parser's error.
            return ModelFault(FaultKind.MALFORMED, f"the reply cannot be read ({name})")
        case httpx2.HTTPError() | httpx2.StreamError():
            kind = FaultKind.BROKEN_STREAM if is_raw else FaultKind.CONNECTION
            return ModelFault(kind, f"the connection broke ({name})")
        case AnthropicError():
            return ModelFault(FaultKind.DENIED, f"no credentials ({name})", is_free=True)
        case _:
            return ModelFault(FaultKind.UNEXPECTED, name)


def _refusal(error: Exception, response: httpx2.Response, mask: Mask) -> ModelFault:
    status = response.status_code
    if response.is_success:
        return ModelFault(FaultKind.MALFORMED, f"the reply cannot be read ({type(error).__name__})")
    kind = _REFUSALS.get(status, FaultKind.SERVER if status >= 500 else FaultKind.BAD_REQUEST)
    # Mask before cutting: the mask does not recognise a short part of a secret.
    reason = mask(" ".join(str(getattr(error, "api_message", None) or "").split()))
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

_Answer = TypeVar("_Answer")


class Claude:
    """The Messages API as a Model; the SDK reads the key from the environment.

    An answer may take `timeout_s`, from the connection to its last byte. `record` receives each call that returned a
    message. Without `base_url` the SDK uses the address of the environment or its default.
    """

    def __init__(
        self,
        timeout_s: float,
        *,
        patience: Patience,
        record: CallRecorder | None = None,
        base_url: str | None = None,
    ) -> None:
        self.is_made_up = False  # as far as is known
        self._timeout_s = timeout_s
        self._patience = patience
        self._record = record
        try:
            self._client = Anthropic(
                base_url=base_url,
                max_retries=0,
                timeout=Timeout(timeout_s, connect=min(CONNECT_S, timeout_s)),
                # A compressed reply could exceed the limits after unpacking.
                default_headers={"accept-encoding": "identity"},
                open_telemetry=False,
                http_client=DefaultHttpxClient(verify=_trusted()),
            )
        except (AnthropicError, httpx2.InvalidURL, ValueError) as error:
            raise UsageError(
                f"cannot use the settings for Claude ({type(error).__name__}): check ANTHROPIC_*"
            ) from None
        _require_key(self._client)
        if self._client.api_key and not self.is_billed:
            # The SDK sends a key as a bearer token; many other servers look for it here.
            headers = {"x-api-key": self._client.api_key}
            self._client = self._client.with_options(default_headers=headers)
        self._mask = Mask([self._client.api_key or "", self._client.auth_token or ""])
        self.features = ServiceFeatures(is_own=self.is_billed)

    @property
    def host(self) -> str:
        """The name of the server."""
        return self._client.base_url.host

    @property
    def is_billed(self) -> bool:
        """Whether the service is Anthropic's own: another server may cost nothing, or something else."""
        return self.host == "api.anthropic.com"

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def complete(self, request: Request) -> Reply:
        """Return the reply; what the server lacks is left out of the request. Raises ModelFault."""
        try:
            reply = self._complete(request)
        except ModelFault as fault:
            fault.asks_again = self.features.learn(fault, request.model)
            raise
        self.features.answered(request.model)
        return reply

    def _complete(self, request: Request) -> Reply:
        sent = _prompt_of(request) | {"max_tokens": request.settings.max_tokens, "stream": True}
        if request.previous_message_id is not None:
            sent["diagnostics"] = {"previous_message_id": request.previous_message_id or None}
        sent = self.features.without_missing(sent)
        headers = {_ATTEMPT: str(request.attempt - 1)}

        def ask(client: Anthropic) -> tuple[Mapping[str, Any], Reply]:
            create = client.messages.with_streaming_response.create
            with create(**sent, extra_headers=headers) as response:
                message = without_secrets(_message(response.http_response, self._mask), self._mask)
                return message, reply_of(message)

        started = self._patience.clock()
        message, reply = self._answer(ask)
        if self._record is not None:
            taken = round((self._patience.clock() - started) * 1e9)
            self._record(sent, message, duration_ns=taken, meta={"attempt": request.attempt})
        return reply

    def count_tokens(self, request: Request) -> int:
        """Return the number of input tokens that the service counts. Raises ModelFault."""
        if self.features.lacks(request.model, ServiceFeature.COUNTING):
            raise ModelFault(FaultKind.BAD_REQUEST, "the server counts no tokens", is_free=True)
        prompt = self.features.without_missing(_prompt_of(request))
        try:
            counted = self._answer(lambda client: client.messages.count_tokens(**prompt))
        except ModelFault as fault:
            self.features.learn_counting(fault, request.model)
            raise
        tokens = _number(counted, "input_tokens")
        if tokens is None:
            raise ModelFault(FaultKind.MALFORMED, "the service counted no tokens")
        return tokens

    def max_input_tokens(self, model: str) -> int | None:
        """Return the maximum input tokens of `model`, or None when the service does not say. Raises ModelFault.

        Also learn from the reply whether a stand-in serves it.
        """
        found = self._answer(lambda client: client.models.retrieve(model))
        self.is_made_up = is_made_up(str(getattr(found, "display_name", "")))
        return _number(found, "max_input_tokens")

    def _answer(self, ask: Callable[[Anthropic], _Answer]) -> _Answer:
        """Return what `ask` returns of a client that is used once: bytes after an answer belong to no other answer."""

        def work(hooks: Mapping[str, list[Callable[..., Any]]]) -> _Answer:
            # A redirect must not send the key to another host.
            http = DefaultHttpxClient(verify=_trusted(), event_hooks=hooks, follow_redirects=False)
            with closing(http), self._mapped_faults():
                return ask(self._client.with_options(http_client=http))

        return TimedCall(work, self._patience, self._timeout_s).answer()

    @contextmanager
    def _mapped_faults(self) -> Iterator[None]:
        try:
            yield
        except (ModelFault, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  # no answer and no defect of the SDK may end play
            raise fault_of(error, self._mask) from None


def _prompt_of(request: Request) -> dict[str, Any]:
    """Return the part of a call whose tokens count as input."""
    # A message that comes back from the conversation's file has its keys sorted: so a later request has the same bytes.
    # Not those of schemas: a model writes its answer in their order.
    messages = json.loads(json.dumps(list(request.messages), sort_keys=True))
    prompt: dict[str, Any] = {"model": request.model, "messages": messages}
    if request.system:
        prompt["system"] = request.system
    if request.tools:
        prompt["tools"] = request.tools
    if request.settings.thinking:
        prompt["thinking"] = {"type": request.settings.thinking}
    output: dict[str, Any] = {}
    if request.settings.effort:
        output["effort"] = request.settings.effort
    if request.output_schema is not None:
        output["format"] = {"type": "json_schema", "schema": request.output_schema}
    if output:
        prompt["output_config"] = output
    return prompt


def _message(response: httpx2.Response, mask: Mask) -> Mapping[str, Any]:
    """Return the message of a streamed or plain response. Raises ModelFault."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        return message_of((each.event, each.data) for each in Stream.raw_events(response))
    if kind != "application/json":  # a proxy may answer without streaming
        detail = f"the reply is not a message but {mask(kind)[:60] or 'unnamed'}"
        raise ModelFault(FaultKind.MALFORMED, detail)
    message = parse_json(response.read().decode("utf-8"))
    if not isinstance(message, Mapping):
        raise ModelFault(FaultKind.MALFORMED, "the reply is not a JSON object")
    return message


def _number(found: object, name: str) -> int | None:
    value = getattr(found, name, None)  # the SDK does not validate its values
    is_number = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if is_number else None


def _require_key(client: Anthropic) -> None:
    """Raise UsageError when there are no credentials, or a key that cannot be sent."""
    key = client.api_key or client.auth_token or ""
    if not key and client.credentials is None:
        raise UsageError(NO_KEY)
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError("the key for Claude has invalid characters: check ANTHROPIC_API_KEY")
