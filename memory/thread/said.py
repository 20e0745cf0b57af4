"""What was really said in a message, in pieces; what memory or the program put in is not among them."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from memory.thread.format import Moment
from memory.thread.message import Origin
from memory.thread.tags import without_injected

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memory.thread.message import Message


class Text(NamedTuple):
    """Words of the program or of the model."""

    text: str


class Call(NamedTuple):
    """A call of a tool by the model."""

    id: str
    tool: str
    given: str  # the arguments in short, or as JSON where there are several


class Result(NamedTuple):
    """What a call came to."""

    id: str
    text: str
    is_error: bool


Piece: TypeAlias = Text | Call | Result


def pieces(message: Message) -> Iterator[Piece]:
    """Yield what was said in `message`, in its order: nothing of what was injected, and nothing empty."""
    if message.origin is Origin.INJECTED or message.role == "system":
        return
    for block in message.blocks:
        if (piece := _piece(block)) is not None:
            yield piece


def _piece(block: Mapping[str, Any]) -> Piece | None:
    match block.get("type"):
        case "text" if text := without_injected(str(block.get("text", ""))):
            return Text(text)
        case "tool_use":
            given = _arguments(block.get("input"))
            return Call(str(block.get("id", "")), str(block.get("name", "")), given)
        case "tool_result":
            text = without_injected(_content(block.get("content")))
            is_error = bool(block.get("is_error", False))
            return Result(str(block.get("tool_use_id", "")), text, is_error)
        case _:
            return None


def moment_of(message: Message) -> Moment:
    """Return when `message` was said; without the time of day where nobody noted it."""
    when = _when(message)
    clock = "" if when is None else f"{when:%H:%M}"
    return Moment(clock, int(message.game_s), message.tick)


def date_of(message: Message) -> dt.date | None:
    """Return the day on which `message` was said, in UTC, or None where nobody noted it."""
    when = _when(message)
    return None if when is None else when.date()


def _when(message: Message) -> dt.datetime | None:
    if message.created_ms <= 0:
        return None
    return dt.datetime.fromtimestamp(message.created_ms / 1000, tz=dt.UTC)


def _arguments(given: Any) -> str:  # noqa: ANN401  # whatever a model sends as the input of a tool
    if not given:
        return ""
    if isinstance(given, dict) and len(given) == 1:
        (given,) = given.values()
    return given if isinstance(given, str) else _json(given)


def _json(value: Any) -> str:  # noqa: ANN401  # as above
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _content(content: Any) -> str:  # noqa: ANN401  # a text, or a list of blocks
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        return "\n".join(_text_of(each) for each in content)
    return ""


def _text_of(block: str | Mapping[str, Any]) -> str:
    return block if isinstance(block, str) else str(block.get("text", ""))
