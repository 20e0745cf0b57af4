"""A conversation as text for whoever observes it: who said what and when, and where time went by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.thread.format import clock_words
from memory.thread.gaps import gap_between
from memory.thread.message import Origin
from memory.thread.said import Call, Result, Text, date_of, moment_of, pieces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.thread.message import Message
    from memory.thread.said import Piece


def transcript(messages: Iterable[Message]) -> str:
    """Return what was said in `messages`, '' where nothing was: nothing that was injected is shown as said.

    Ten minutes or more between two messages, of play or by the clock, are marked between them.
    """
    rows: list[str] = []
    tools: dict[str, str] = {}
    earlier: Message | None = None
    for message in messages:
        said = [_words(piece, tools) for piece in pieces(message)]
        if not said:
            continue
        if earlier is not None and (gap := gap_between(earlier, message)):
            rows.append(gap)
        rows.extend((f"{_when(message)} {_who(message)}:", *said))
        earlier = message
    return "\n".join(rows)


def _who(message: Message) -> str:
    return "adviser" if message.origin is Origin.MODEL else "program"


def _when(message: Message) -> str:
    moment = moment_of(message)
    date = date_of(message)
    wall = f"{date.isoformat()} {moment.clock}, " if date is not None else ""
    return f"[{wall}game {clock_words(message.game_s)}, tick {message.tick}]"


def _words(piece: Piece, tools: dict[str, str]) -> str:
    match piece:
        case Text(text):
            return text
        case Call(id, tool, given):
            tools[id] = tool
            return f"calls {tool}: {given}"
        case Result(id, text, is_error):
            kind = "error" if is_error else "result"
            return f"{kind} of {tools.get(id, 'an earlier call')}: {text}"
