"""The parts of messages that are observed, and a conversation as text for an observer.

Text between the tags of this module was injected by memory: it is not observed, and no other text can imitate it.
"""

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from string import Template
from typing import Any, Final, NamedTuple, TypeAlias

from memory.conversation.format import LineTime, clock_words, in_units
from memory.store.conversation_record import Message, MessageOrigin

MEMORY: Final = "observational-memory"
OBSERVATIONS: Final = "observations"
CURRENT_TASK: Final = "current-task"
SUGGESTED_RESPONSE: Final = "suggested-response"
OTHER_CONVERSATION: Final = "other-conversation"
REMINDER: Final = "system-reminder"
PREVIOUS: Final = "previous-observations"
CONVERSATION: Final = "conversation"
INSTRUCTIONS: Final = "instructions"  # instructions for an observer or a reflector

_MEMORY_TAGS: Final = (
    MEMORY,
    OBSERVATIONS,
    CURRENT_TASK,
    SUGGESTED_RESPONSE,
    OTHER_CONVERSATION,
    REMINDER,
    PREVIOUS,
    CONVERSATION,
    INSTRUCTIONS,
)
_TAG: Final = re.compile(rf"<(/?)({'|'.join(_MEMORY_TAGS)})(?:\s[^<>]*)?>", re.IGNORECASE)


def in_tags(tag: str, body: str, attributes: str = "") -> str:
    """Return `body` between `tag` tags, on lines of their own; `body` cannot close them."""
    opening = f"{tag} {attributes}" if attributes else tag
    return f"<{opening}>\n{escape_tags(body)}\n</{tag}>"


def escape_tags(text: str) -> str:
    """Return `text` with the brackets of all memory tags replaced, so that it stays readable but has no tags."""
    return _TAG.sub(lambda found: f"\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}{found[0][1:-1]}"
                    "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}", text)  # fmt: skip


def strip_injected(text: str) -> str:
    """Return `text` without anything between memory tags; an unclosed tag removes the rest."""
    said: list[str] = []
    open_tags: list[str] = []
    end = 0
    for found in _TAG.finditer(text):
        if not open_tags:
            said.append(text[end : found.start()])
        end = found.end()
        _track_tag(open_tags, found[2].lower(), closes=bool(found[1]))
    if not open_tags:
        said.append(text[end:])
    return "".join(said).strip()


def _track_tag(open_tags: list[str], tag: str, *, closes: bool) -> None:
    """Open or close `tag`; tags left open within it are closed with it."""
    if not closes:
        open_tags.append(tag)
    elif tag in open_tags:
        while open_tags.pop() != tag:
            pass


def prompt(name: str, **filled: str) -> str:
    """Return the prompt file `name`, filled. Raises KeyError when a placeholder has no value."""
    text = (files(__package__) / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(filled).rstrip("\n")


class TextPart(NamedTuple):
    """Text of the program or of the model."""

    text: str


class CallPart(NamedTuple):
    """A tool call of the model."""

    id: str
    tool: str
    arguments: str  # the only argument as text, or all arguments as JSON


class ResultPart(NamedTuple):
    """The result of a tool call."""

    id: str
    text: str
    is_error: bool


MessagePart: TypeAlias = TextPart | CallPart | ResultPart


def message_parts(message: Message) -> Iterator[MessagePart]:
    """Yield the parts of `message` in order, without injected and empty parts."""
    if message.origin is MessageOrigin.INJECTED or message.role == "system":
        return
    for block in message.blocks:
        if (piece := _piece(block)) is not None:
            yield piece


def _piece(block: Mapping[str, Any]) -> MessagePart | None:
    match block.get("type"):
        case "text" if text := strip_injected(str(block.get("text", ""))):
            return TextPart(text)
        case "tool_use":
            arguments = block.get("input") or ""
            if isinstance(arguments, dict) and len(arguments) == 1:
                (arguments,) = arguments.values()
            if not isinstance(arguments, str):
                arguments = json.dumps(arguments, ensure_ascii=False, sort_keys=True, default=str)
            return CallPart(str(block.get("id", "")), str(block.get("name", "")), arguments)
        case "tool_result":
            text = strip_injected(_content(block.get("content")))
            is_error = bool(block.get("is_error", False))
            return ResultPart(str(block.get("tool_use_id", "")), text, is_error)
        case _:
            return None


def moment_of(message: Message) -> LineTime:
    """Return the time of `message`; without the time of day when that is unknown."""
    when = _wall_time(message)
    clock = "" if when is None else f"{when:%H:%M}"
    return LineTime(clock, int(message.game_s), message.tick)


def date_of(message: Message) -> dt.date | None:
    """Return the day of `message` in UTC, or None when it is unknown."""
    when = _wall_time(message)
    return None if when is None else when.date()


def _wall_time(message: Message) -> dt.datetime | None:
    if message.created_ms <= 0:
        return None
    return dt.datetime.fromtimestamp(message.created_ms / 1000, tz=dt.UTC)


def _content(content: Any) -> str:  # noqa: ANN401  # a text, or a list of blocks
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, (list, tuple)) else ()
    texts = (each if isinstance(each, str) else str(each.get("text", "")) for each in blocks)
    return "\n".join(texts)


SHORTEST_GAP_S: Final = 600
_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def gap_between(earlier: Message, later: Message) -> str:
    """Return the line for the gap between two messages, '' when it is below ten minutes of play and of wall time.

    When the wall time is unknown, only play time counts.
    """
    spans = []
    if (played := later.game_s - earlier.game_s) >= SHORTEST_GAP_S:
        spans.append(f"{in_units(played, _UNITS)} of play")
    passed = (later.created_ms - earlier.created_ms) / 1_000
    if earlier.created_ms > 0 and passed >= SHORTEST_GAP_S:
        spans.append(in_units(passed, _UNITS))
    return f"[{', '.join(spans)} later]" if spans else ""


def transcript(messages: Iterable[Message]) -> str:
    """Return `messages` as text, '' when there is none; injected text is left out.

    A gap of ten minutes or more between two messages, in play or wall time, is marked.
    """
    rows: list[str] = []
    tools: dict[str, str] = {}
    earlier: Message | None = None
    for message in messages:
        said = [_words(piece, tools) for piece in message_parts(message)]
        if not said:
            continue
        if earlier is not None and (gap := gap_between(earlier, message)):
            rows.append(gap)
        when = _wall_time(message)
        wall = "" if when is None else f"{when:%Y-%m-%d %H:%M}, "
        speaker = "adviser" if message.origin is MessageOrigin.MODEL else "program"
        game = f"game {clock_words(message.game_s)}, tick {message.tick}"
        rows.extend((f"[{wall}{game}] {speaker}:", *said))
        earlier = message
    return "\n".join(rows)


def _words(piece: MessagePart, tools: dict[str, str]) -> str:
    match piece:
        case TextPart(text):
            return text
        case CallPart(id, tool, arguments):
            tools[id] = tool
            return f"calls {tool}: {arguments}"
        case ResultPart(id, text, is_error):
            kind = "error" if is_error else "result"
            return f"{kind} of {tools.get(id, 'an earlier call')}: {text}"
