"""Of what kind each part of a request must be, before anybody looks into it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Kinds = type | tuple[type, ...]
_NONE: Final = type(None)
_OBJECT: Final = (dict, _NONE)
_STRING: Final = (str, _NONE)

FIELDS: Final[Mapping[str, Kinds]] = {
    "cache_control": _OBJECT,
    "container": (str, dict, _NONE),
    "diagnostics": _OBJECT,
    "inference_geo": _STRING,
    "max_tokens": int,
    "messages": list,
    "metadata": dict,
    "model": str,
    "output_config": dict,
    "service_tier": str,
    "speed": _STRING,
    "stop_sequences": list,
    "stream": bool,
    "system": (str, list),
    "thinking": dict,
    "tool_choice": dict,
    "tools": list,
}
# The blocks that this server knows; the service knows many more.
_BLOCKS: Final[Mapping[str, Mapping[str, Kinds]]] = {
    "text": {"text": str},
    "image": {"source": dict},
    "thinking": {"thinking": str, "signature": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
}
_TAGGED: Final = {
    "thinking": ("adaptive", "between_tools", "disabled", "enabled"),
    "tool_choice": ("auto", "any", "tool", "none"),
    "cache_control": ("ephemeral",),
}
_ROLES: Final = ("user", "assistant", "system")


def misshapen(body: Mapping[str, Any], needed: Sequence[str]) -> Iterator[str]:
    """Yield what is missing, unknown or of the wrong kind; all but the first may follow from the first."""
    for name, value in body.items():
        if name not in FIELDS:
            yield f"{name}: Extra inputs are not permitted"
        elif not isinstance(value, FIELDS[name]) or (value is True and name == "max_tokens"):
            yield f"{name}: Input should be a valid {_said(FIELDS[name])}"
    for name in needed:
        if name not in body:
            yield f"{name}: Field required"
    yield from _inside(body)


def _inside(body: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(body.get("system"), list):
        yield from _blocks("system", body["system"])
    for at, tool in enumerate(body.get("tools", ())):
        yield from _has(f"tools.{at}.custom", tool, {"name": str, "input_schema": dict})
    for name, types in _TAGGED.items():
        if body.get(name) is not None and body[name].get("type") not in types:
            yield f"{name}.type: Input should be one of {', '.join(types)}"
    if not isinstance((body.get("diagnostics") or {}).get("previous_message_id"), _STRING):
        yield "diagnostics.previous_message_id: Input should be a valid str"
    for at, message in enumerate(body["messages"]):
        where = f"messages.{at}"
        yield from _has(where, message, {"role": str, "content": (str, list)})
        if message["role"] not in _ROLES:
            yield f"{where}.role: Input should be 'user', 'assistant' or 'system'"
        if isinstance(message["content"], list):
            yield from _blocks(f"{where}.content", message["content"])


def _blocks(where: str, found: Sequence[Any]) -> Iterator[str]:
    for at, block in enumerate(found):
        yield from _has(f"{where}.{at}", block, {"type": str})
        if block["type"] not in _BLOCKS:
            yield f"{where}.{at}: Input tag '{block['type']}' does not match any of the expected tags"
        yield from _has(f"{where}.{at}.{block['type']}", block, _BLOCKS[block["type"]])
        if isinstance(block.get("content"), list):
            yield from _blocks(f"{where}.{at}.content", block["content"])


def _has(where: str, value: object, kinds: Mapping[str, Kinds]) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where}: Input should be a valid object"
        return  # for mypy: nobody asks for more
    for name, kind in {**kinds, "cache_control": _OBJECT}.items():
        if name not in value and name != "cache_control":
            yield f"{where}.{name}: Field required"
        elif not isinstance(value.get(name), kind):
            yield f"{where}.{name}: Input should be a valid {_said(kind)}"


def _said(kinds: Kinds) -> str:
    names = [each.__name__ for each in (kinds if isinstance(kinds, tuple) else (kinds,))]
    return " or ".join(name for name in names if name != "NoneType")
