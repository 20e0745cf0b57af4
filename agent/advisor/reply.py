"""Replies of the Messages API: assembled from the events of a stream, then validated. Knows no SDK."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from agent.advisor.model import FaultKind, ModelFault, Reply, Usage
from agent.advisor.secrets import masked
from memory.codec import decode, encode

THINKING: Final = ("thinking", "redacted_thinking")
MAX_COUNT: Final = 1 << 53  # of tokens; far beyond what any call uses
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
    """Return the complete message of `events`, pairs of an event name and JSON text. Raises ModelFault."""
    partial = _PartialMessage()
    try:
        for name, data in events:
            if name != "ping" and data:
                partial.take(parse_json(data))
            if partial.is_complete:
                break  # some servers send a line of their own after it
        return partial.complete()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        # An event of another shape fails on one of its parts.
        detail = f"an event of the stream is malformed ({type(error).__name__})"
        raise ModelFault(FaultKind.MALFORMED, detail) from None


def parse_json(text: str) -> Any:  # noqa: ANN401  # JSON is of any shape
    """Return the JSON value in `text` within the limits of `decode`, with lone surrogates replaced; raises ValueError."""
    # Lone surrogates cannot be stored or sent.
    return masked(decode(text), lambda words: words.encode("utf-8", "replace").decode("utf-8"))


def without_secrets(message: Mapping[str, Any], mask: Callable[[str], str]) -> Mapping[str, Any]:
    """Return `message` with secrets masked. Raises ModelFault when that is not enough.

    That is when a secret is spread over several texts, or is in thinking, which is sent back unchanged or not at all.
    """
    clean: Mapping[str, Any] = masked(message, mask)
    joined = "".join(_texts(clean))
    if mask(joined) != joined or _thoughts(clean) != _thoughts(message):
        raise ModelFault(FaultKind.MALFORMED, "the reply repeats the key")
    return clean


def _thoughts(message: Mapping[str, Any]) -> list[object]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [each for each in blocks if isinstance(each, Mapping) and each.get("type") in THINKING]


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a JSON value, without the names of its fields and its types."""
    match value:
        case str():
            yield value
        case Mapping():
            for name, each in value.items():
                if name != "type":
                    yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)
        case _:
            pass


# The kind of block that a delta belongs to, and its field.
_DELTAS: Final = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("thinking", "signature"),
    "input_json_delta": ("tool_use", "partial_json"),
}


class _PartialMessage:
    """A message under assembly from the events of a stream."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[int, list[str]] = {}  # of text, or of the JSON of a tool's input
        self._is_output_counted = False
        self.is_complete = False

    def take(self, event: Mapping[str, Any]) -> None:
        match event["type"]:
            case "message_start":
                self._message = dict(event["message"])
            case "content_block_start":
                self._blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                self._append(event["index"], event["delta"])
            case "content_block_stop":
                self._close_block(event["index"])
            case "message_delta":
                self._update(event)
            case "message_stop":
                self.is_complete = bool(self._message)
            case "error":
                raise _fault(event["error"])
            case _:
                pass  # the service may add new kinds of events

    def _append(self, index: int, delta: Mapping[str, Any]) -> None:
        kind = delta["type"]
        if kind not in _DELTAS or self._blocks[index]["type"] != _DELTAS[kind][0]:
            return  # of a new kind, or astray: the input of a tool is no text
        piece = delta[_DELTAS[kind][1]]
        if kind == "signature_delta":
            self._blocks[index]["signature"] = piece
        else:
            self._pieces.setdefault(index, []).append(piece)

    def _close_block(self, index: int) -> None:
        block, joined = self._blocks[index], "".join(self._pieces.pop(index, []))
        match block["type"]:
            case "text" | "thinking" as name:
                block[name] = block.get(name, "") + joined
            case "tool_use" if joined:
                try:
                    block["input"] = parse_json(joined)
                except ValueError:
                    del self._blocks[index]  # an incomplete call cannot be run

    def _update(self, event: Mapping[str, Any]) -> None:
        self._message.update(event["delta"])
        usage = event.get("usage") or {}
        counted = {name: each for name, each in usage.items() if each is not None}
        self._is_output_counted |= "output_tokens" in counted
        self._message["usage"] = {**(self._message.get("usage") or {}), **counted}
        if event.get("diagnostics") is not None:
            self._message["diagnostics"] = event["diagnostics"]

    def complete(self) -> dict[str, Any]:
        if not self.is_complete or self._pieces:
            raise ModelFault(FaultKind.BROKEN_STREAM, "the stream ended before the message did")
        content = [self._blocks[at] for at in sorted(self._blocks)]
        usage = self._message.get("usage")
        if usage and not self._is_output_counted:
            # The count at the start is of the first tokens alone; a token has at least one byte.
            usage = {**usage, "output_tokens": len(encode(content).encode())}
        return {**self._message, "content": content, "usage": usage}


def _fault(error: Mapping[str, Any]) -> ModelFault:
    kind = _KINDS.get(error["type"], FaultKind.SERVER)
    return ModelFault(kind, "the service interrupted the stream")


_TEXTS = {"text": ("text",), "tool_use": ("id", "name")}  # string fields, by type of block


def reply_of(message: Mapping[str, Any]) -> Reply:
    """Return `message` as a Reply. Raises ModelFault when it is malformed."""
    try:
        usage = message.get("usage") or {}
        is_counted = None not in (usage.get("input_tokens"), usage.get("output_tokens"))
        return Reply(
            id=_text(message["id"]),
            model=_text(message["model"]),
            blocks=tuple(_block(each) for each in message["content"]),
            stop_reason=_text(message["stop_reason"]),
            usage=_usage(usage) if is_counted else Usage(),
            cache_missed=_cache_miss_reason(message.get("diagnostics")),
            is_counted=is_counted,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        detail = f"the reply is not a valid message ({type(error).__name__})"
        raise ModelFault(FaultKind.MALFORMED, detail) from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def _block(block: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in _TEXTS.get(_text(block["type"]), ()):
        _text(block[name])
    if block["type"] == "tool_use" and not isinstance(block["input"], Mapping):
        raise TypeError("the input of a tool must be an object")
    return block


def _count(value: object) -> int:
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_COUNT:
        raise TypeError("not a count")
    return value


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Return the tokens by kind; cache writes of unknown duration count as one hour, the higher price."""
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


def _cache_miss_reason(diagnostics: Mapping[str, Any] | None) -> str:
    """Return why the cache was missed, or '' when it was not or when the miss cost no tokens."""
    reason = (diagnostics or {}).get("cache_miss_reason") or {}
    return "" if reason.get("cache_missed_input_tokens") == 0 else _text(reason.get("type", ""))
