"""What the actor sees of a conversation: what is observed, and the messages that are not."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memory.codec import encode
from memory.thread.cuts import paired
from memory.thread.injection import other_conversation
from memory.thread.message import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.thread.message import Block, Message
    from memory.thread.record import ObservationalMemoryRecord


class Sight(NamedTuple):
    """What a call of the model is made of, from what changes least to what changes most.

    `others` is what was said in other threads of the resource and is not observed yet, '' where there is none.
    """

    reflection: str
    observations: str
    current_task: str
    suggested_response: str
    others: str
    tail: tuple[Message, ...]


def sight_of(record: ObservationalMemoryRecord, messages: Sequence[Message], thread: str) -> Sight:
    """Return what `thread` sees, where `messages` are all that is not observed."""
    return Sight(
        record.reflection.text,
        record.appended,
        record.current_task,
        record.suggested_response,
        _others(each for each in messages if each.thread != thread),
        paired([each for each in messages if each.thread == thread]),
    )


def _others(messages: Iterable[Message]) -> str:
    threads: dict[str, list[str]] = defaultdict(list)
    for message in messages:
        if message.origin is not Origin.INJECTED:
            threads[message.thread].append(f"{message.role}: {spoken(message)}")
    return "\n".join(
        other_conversation(thread, "\n".join(lines)) for thread, lines in threads.items()
    )


def spoken(message: Message) -> str:
    """Return the text of a message, with its calls and results as text."""
    return " ".join(filter(None, (_words(each) for each in message.blocks)))


def _words(block: Block) -> str:
    match block.get("type"):
        case "text":
            return str(block.get("text", ""))
        case "tool_use":
            return f"[calls {block.get('name')} with {encode(block.get('input'))}]"
        case _:
            content = block.get("content", "")
            return f"[result: {content if isinstance(content, str) else encode(content)}]"
