"""What of a reply goes into the conversation: nothing that the service would refuse when it is sent again."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from agent.advisor.model import Reply
from agent.advisor.turns import text
from memory.thread.message import Message

_WORD: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_THOUGHT: Final = {
    "thinking",
    "redacted_thinking",
}  # goes back with the calls that came of it, as it is


def words_of(reply: Reply) -> str:
    """Return all text of a reply."""
    return "".join(each["text"] for each in reply.blocks if each["type"] == "text")


def kept_text(reply: Reply, mask: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the text of a reply as a block to keep; none where it is empty."""
    words = mask(words_of(reply))
    return [text(words)] if words.strip() else []


def kept_calls(
    reply: Reply, taken: Collection[str], mask: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return the blocks of a reply that calls tools, with ids that are none of those `taken`."""
    ids, kept = set(taken), []
    for block in reply.blocks:
        match block["type"]:
            case "text" if block["text"].strip():
                kept.append(text(mask(block["text"])))
            case "tool_use":
                name = "_".join(_WORD.findall(mask(block["name"]))) or "unnamed"
                call = {"type": "tool_use", "id": _free(mask(block["id"]), ids), "name": name[:64]}
                ids.add(call["id"])
                # It is kept here, and by whatever tool is called with it.
                kept.append(call | {"input": masked(block["input"], mask)})
            case kind if kind in _THOUGHT:
                kept.append(dict(block))
            case _:
                pass
    return kept


def masked(value: Any, mask: Callable[[str], str]) -> Any:  # noqa: ANN401 -- JSON, and its shape stays
    """Return JSON with every text in it masked, names of fields too."""
    match value:
        case str():
            return mask(value)
        case Mapping():
            return {mask(name): masked(each, mask) for name, each in value.items()}
        case list() | tuple():
            return [masked(each, mask) for each in value]
        case _:
            return value


def calls_in(blocks: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the blocks that call a tool."""
    return [each for each in blocks if each["type"] == "tool_use"]


def ids_in(messages: Iterable[Message]) -> set[str]:
    """Return the ids of all calls in `messages`."""
    return {call["id"] for message in messages for call in calls_in(message.blocks)}


def _free(name: str, taken: Collection[str]) -> str:
    """Return an id that the service takes, and that is not taken: two alike would spoil every later request."""
    if _WORD.fullmatch(name) and name not in taken:
        return name
    count = len(taken)
    while f"call_{count}" in taken:
        count += 1
    return f"call_{count}"
