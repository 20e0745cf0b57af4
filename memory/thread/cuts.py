"""Where a conversation can be cut, so that what stays can still be sent, and what cannot be helped is mended.

A call of a tool and its result belong together: a request with one of them alone is refused. Pure; knows no file.
"""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from memory.codec import encode
from memory.thread.chunks import Edge, boundary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.thread.message import Block, Message


class Seam(IntEnum):
    """How well a place is suited for a cut."""

    ANY = 0  # within what belongs together; only where nothing else helps
    SETTLED = 1  # in the middle of a turn, but no call waits for its result
    WHOLE = 2  # behind an answer that ends its turn


class Cut(NamedTuple):
    """The place behind message `seq`; `tokens` are those of all messages up to there."""

    seq: int
    tokens: int
    seam: Seam


def cuts(messages: Sequence[Message]) -> Iterator[Cut]:
    """Yield the place behind each message, in their order.

    A call that its thread went on without waits no more: whoever made it was killed.
    """
    threads: dict[str, set[str]] = {}
    tokens = 0
    for message in messages:
        tokens += message.tokens
        results = answered(message)
        left = threads.get(message.thread, set()) - results if results else set()
        threads[message.thread] = left | called(message)
        if any(threads.values()):
            seam = Seam.ANY
        elif message.role == "assistant":
            seam = Seam.WHOLE
        else:
            seam = Seam.SETTLED if results else Seam.ANY
        yield Cut(message.seq, tokens, seam)


def settled_until(messages: Sequence[Message], at_least: int) -> int | None:
    """Return the last place behind which nothing is torn, with `at_least` tokens before it, or None.

    A turn is cut in its middle only when twice as much has come together.
    """
    found = list(cuts(messages))
    for seam, wanted in ((Seam.WHOLE, at_least), (Seam.SETTLED, 2 * at_least)):
        fit = [each.seq for each in found if each.seam >= seam and each.tokens >= wanted]
        if fit:
            return fit[-1]
    return None


def cut_below(messages: Sequence[Message], *, floor: int, limit: int) -> int | None:
    """Return the place behind which less than `limit` tokens stay, about `floor` if it can be, or None without any.

    What belongs together is torn only when it alone is more than that.
    """
    found = list(cuts(messages))
    total = sum(each.tokens for each in messages)
    for seam in reversed(Seam):
        edges = [Edge(each.seq, each.tokens) for each in found if each.seam >= seam]
        edge = boundary(edges, total, floor)
        if edge is not None and total - edge.tokens < limit:
            return edge.seq
    return found[-1].seq if found else None


def called(message: Message) -> set[str]:
    """Return the names of the calls of tools in `message`."""
    return {str(each.get("id")) for each in message.blocks if each.get("type") == "tool_use"}


def answered(message: Message) -> set[str]:
    """Return the names of the calls whose results are in `message`."""
    found = (each for each in message.blocks if each.get("type") == "tool_result")
    return {str(each.get("tool_use_id")) for each in found}


def paired(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return messages of one thread as they can be sent: what lost its other half is told in plain text.

    A call that the last message makes still waits for its result, and stays.
    """
    mended = []
    for at, message in enumerate(messages):
        before = called(messages[at - 1]) if at else set()
        is_last = at == len(messages) - 1
        after = called(message) if is_last else answered(messages[at + 1])
        blocks = tuple(_mended(each, before, after) for each in message.blocks)
        mended.append(message if blocks == message.blocks else replace(message, blocks=blocks))
    return tuple(mended)


def _mended(block: Block, before: set[str], after: set[str]) -> Block:
    match block.get("type"):
        case "tool_use" if str(block.get("id")) not in after:
            said = encode(block.get("input"))
            text = f"[a call of {block.get('name')} with {said}, which was interrupted]"
        case "tool_result" if str(block.get("tool_use_id")) not in before:
            text = f"[the result of an earlier call] {_text(block.get('content'))}"
        case _:
            return block
    return {"type": "text", "text": text}


def _text(content: object) -> str:
    return content if isinstance(content, str) else encode(content)  # type: ignore[arg-type]  # it was JSON
