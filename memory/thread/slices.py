"""Has messages observed a bearable piece at a time, also where one of them is more than that by itself. Touches no file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memory.codec import encode
from memory.thread.message import Origin
from memory.thread.port import Distilled, DistillingFailed

# Before what is left of a row: what stands behind a bar must not come to stand at the beginning of one, and be believed.
TORN: Final = "… "

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memory.thread.message import Block, Message
    from memory.thread.port import Observer

    Estimate = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Slicing:
    """How much an observer is given at a time: `limit` tokens as `estimate` has them."""

    limit: int
    estimate: Estimate

    def observe(self, observer: Observer, messages: Sequence[Message], known: str) -> Distilled:
        """Return what `observer` makes of what was really said in `messages`; of nothing it is not asked.

        Raises:
            DistillingFailed: when it fails for any slice, or says more than it was told.
        """
        told = [each for each in messages if each.origin is not Origin.INJECTED]
        found: list[Distilled] = []
        for piece in self.slices(told):
            before = found[-1].observations if found else known
            found.append(observer.observe(piece, before))
        joined = _joined(found)
        if self.estimate(joined.observations) > sum(each.tokens for each in told) + self.limit // 8:
            message = "more was observed than was said; the messages are kept, and observed later."
            raise DistillingFailed(message)
        return joined

    def slices(self, messages: Sequence[Message]) -> Iterator[list[Message]]:
        """Yield all of `messages` in their order, at most `limit` tokens at a time."""
        piece: list[Message] = []
        tokens = 0
        for message in messages:
            for part in self._parts(message):
                if piece and tokens + part.tokens > self.limit:
                    yield piece
                    piece, tokens = [], 0
                piece.append(part)
                tokens += part.tokens
        if piece:
            yield piece

    def _parts(self, message: Message) -> Iterator[Message]:
        """Yield the message, or as many with a share of its blocks as it takes."""
        if message.tokens <= self.limit:
            yield message
            return
        for block in message.blocks:
            for piece in self._pieces(block):
                yield replace(message, blocks=(piece,), tokens=self.estimate(encode(dict(piece))))

    def _pieces(self, block: Block) -> Iterator[Block]:
        name, text = _longest(block)
        tokens = self.estimate(text)
        length = len(text) if tokens <= self.limit else max(1, self.limit * len(text) // tokens)
        if length >= len(text):
            yield block
            return
        start = 0
        while start < len(text):
            end = _end(text, start, length) if name == "text" else start + length
            is_torn = name == "text" and start > 0 and text[start - 1] != "\n"
            yield {**block, name: (TORN if is_torn else "") + text[start:end]}
            start = end


def _end(text: str, start: int, length: int) -> int:
    """Return where a piece of `length` at most ends: with a row, where one ends in it."""
    end = start + length
    row = text.rfind("\n", start, end) + 1
    return row if row > start and end < len(text) else end


def _longest(block: Block) -> tuple[str, str]:
    """Return what is long in a block, and as which field."""
    match block.get("type"):
        case "text":
            return "text", str(block.get("text", ""))
        case "tool_use":
            return "input", encode(block.get("input"))
        case _:
            content = block.get("content", "")
            return "content", content if isinstance(content, str) else encode(content)


def _joined(found: Sequence[Distilled]) -> Distilled:
    last = found[-1] if found else Distilled("")
    text = "\n".join(each.observations for each in found if each.observations.strip())
    return Distilled(text, last.current_task, last.suggested_response)
