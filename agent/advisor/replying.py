"""A reply out of the JSON of a message, checked as far as play relies on it."""

from collections.abc import Mapping
from typing import Any

from agent.advisor.model import FaultKind, ModelFault, Reply, Usage

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
            raw=message,
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
