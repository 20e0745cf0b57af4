"""A reply in the shapes of the Messages API: put together from the events of a stream, then checked. Knows no SDK."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn

from agent.advisor.model import FaultKind, ModelFault, Reply, Usage

DEEPEST: Final = 40  # nobody needs more; whatever writes it out again must not run out of stack
_KINDS: Final = {
    "overloaded_error": FaultKind.OVERLOADED,
    "rate_limit_error": FaultKind.RATE_LIMIT,
    "timeout_error": FaultKind.TIMEOUT,
    "invalid_request_error": FaultKind.BAD_REQUEST,
    "request_too_large": FaultKind.BAD_REQUEST,
    "authentication_error": FaultKind.DENIED,
    "permission_error": FaultKind.DENIED,
    "not_found_error": FaultKind.DENIED,
}


def message_of(events: Iterable[tuple[str | None, str]]) -> dict[str, Any]:
    """Return the whole message that `events`, pairs of a name and its JSON, bring. Raises ModelFault."""
    arriving = _Arriving()
    try:
        for name, data in events:
            if name != "ping" and data:
                arriving.take(plain_json(data))
        return arriving.whole()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        # Whatever does not have the shape of an event fails on one of its parts.
        detail = f"an event has not the shape of one ({type(error).__name__})"
        raise ModelFault(FaultKind.MALFORMED, detail) from None


def plain_json(text: str) -> Any:  # noqa: ANN401  # JSON is of any shape
    """Return what `text` says in JSON, with every string sound and no number that JSON does not have.

    Raises ValueError when it is no JSON, or nested too deep.
    """
    try:
        return _sound(json.loads(text, parse_constant=_refuse))
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(constant: str) -> NoReturn:
    message = f"{constant} is no number of JSON"
    raise ValueError(message)


def _sound(value: Any, depth: int = 0) -> Any:  # noqa: ANN401
    """Return `value` without lone surrogates, which neither a file nor the network takes."""
    if depth > DEEPEST:
        raise ValueError("nested too deep")
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case list():
            return [_sound(each, depth + 1) for each in value]
        case dict():
            return {_sound(name): _sound(each, depth + 1) for name, each in value.items()}
        case _:
            return value


class _Arriving:
    """What has come of a message so far."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[int, list[str]] = {}  # of text, or of the JSON of a tool's input
        self._is_whole = False

    def take(self, event: Mapping[str, Any]) -> None:
        match event["type"]:
            case "message_start":
                self._message = dict(event["message"])
            case "content_block_start":
                self._blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                self._grow(event["index"], event["delta"])
            case "content_block_stop":
                self._close(event["index"])
            case "message_delta":
                self._end(event)
            case "message_stop":
                self._is_whole = bool(self._message)
            case "error":
                raise _fault(event["error"])
            case _:
                pass  # the service may send kinds of events that came up later

    def _grow(self, index: int, delta: Mapping[str, Any]) -> None:
        match delta["type"]:
            case "text_delta" | "thinking_delta" as kind:
                piece = delta[kind.removesuffix("_delta")]
            case "input_json_delta":
                piece = delta["partial_json"]
            case "signature_delta":
                self._blocks[index]["signature"] = delta["signature"]
                return
            case _:
                return
        self._pieces.setdefault(index, []).append(piece)

    def _close(self, index: int) -> None:
        block, whole = self._blocks[index], "".join(self._pieces.pop(index, []))
        match block["type"]:
            case "text" | "thinking" as name:
                block[name] += whole
            case "tool_use" if whole:
                try:
                    block["input"] = plain_json(whole)
                except ValueError:
                    del self._blocks[index]  # a call that was cut off in the middle cannot be made

    def _end(self, event: Mapping[str, Any]) -> None:
        self._message.update(event["delta"])
        counted = {name: each for name, each in event["usage"].items() if each is not None}
        self._message["usage"] = {**self._message["usage"], **counted}
        if event.get("diagnostics") is not None:
            self._message["diagnostics"] = event["diagnostics"]

    def whole(self) -> dict[str, Any]:
        if not self._is_whole or self._pieces:
            raise ModelFault(FaultKind.BROKEN_STREAM, "the stream ended before the message did")
        return {**self._message, "content": [self._blocks[at] for at in sorted(self._blocks)]}


def _fault(error: Mapping[str, Any]) -> ModelFault:
    kind = _KINDS.get(error["type"], FaultKind.SERVER)
    return ModelFault(kind, f"the service broke off: {str(error['type'])[:60]}")


_TEXTS = {"text": ("text",), "tool_use": ("id", "name")}  # what must be text, by type of block


def reply_of(message: Mapping[str, Any]) -> Reply:
    """Return the reply that `message` is. Raises ModelFault."""
    try:
        return Reply(
            id=_text(message["id"]),
            model=_text(message["model"]),
            blocks=tuple(_block(each) for each in message["content"]),
            stop_reason=_text(message["stop_reason"]),
            usage=_usage(message["usage"]),
            cache_missed=_missed(message.get("diagnostics")),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        detail = f"the reply has not the shape of a message ({type(error).__name__})"
        raise ModelFault(FaultKind.MALFORMED, detail) from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _block(block: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in _TEXTS.get(_text(block["type"]), ()):
        _text(block[name])
    if block["type"] == "tool_use" and not isinstance(block["input"], Mapping):
        raise TypeError("the input of a tool is an object")
    return block


def _count(value: object) -> int:
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("no count")
    return value


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Return the tokens by kind; what is written to the cache without a word on how long is for an hour, the dearer."""
    written = _count(usage.get("cache_creation_input_tokens"))
    by_ttl = usage.get("cache_creation") or {}
    short = _count(by_ttl.get("ephemeral_5m_input_tokens"))
    long = _count(by_ttl.get("ephemeral_1h_input_tokens"))
    return Usage(
        input=_count(usage["input_tokens"]),
        output=_count(usage["output_tokens"]),
        cache_read=_count(usage.get("cache_read_input_tokens")),
        cache_write_5m=short,
        cache_write_1h=long + max(written - short - long, 0),
    )


def _missed(diagnostics: Mapping[str, Any] | None) -> str:
    """Return why the cache was missed; '' where it was not, or where it lost nothing by it."""
    reason = (diagnostics or {}).get("cache_miss_reason") or {}
    return "" if reason.get("cache_missed_input_tokens") == 0 else _text(reason.get("type", ""))
