"""Where a conversation can be cut so that the rest can still be sent, and the slices that an observer gets at a time.

A tool call and its result belong together: the service rejects a request with only one of them. Pure functions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, NamedTuple

from memory.codec import encode
from memory.conversation.port import Condensed, CondensingFailed, Observer
from memory.store.conversation_record import Block, Message, MessageOrigin

MIN_REMAINING: Final = 1_000  # tokens of messages that should stay, when the floor is higher
OVERSHOOT: Final = 0.95  # of the floor: the maximum excess of a cut
# Marks a continued row: text from the middle of a row must not look like a row of its own and be trusted.
CONTINUED: Final = "… "


class CutFit(IntEnum):
    """How suitable a place is for a cut."""

    ANY = 0  # between a call and its result; the last resort
    CALLS_DONE = 1  # within a turn, but no call waits for its result
    TURN_END = 2  # after an answer that ends its turn


class Cut(NamedTuple):
    """The place after message `seq`; `tokens` is the sum over all messages up to it."""

    seq: int
    tokens: int
    fit: CutFit = CutFit.ANY


def boundary(cuts: Sequence[Cut], total: int, floor: int) -> Cut | None:
    """Return the cut up to which messages are removed so that about `floor` of `total` tokens stay; None without cuts.

    It is the first cut that removes enough, unless that removes far too much or leaves almost nothing; then it is the cut
    before. `cuts` are in order.
    """
    target = total - floor
    over = next((each for each in cuts if each.tokens >= target), None)
    under = next((each for each in reversed(cuts) if each.tokens < target), None)
    if over is None or under is None:
        return over or under
    least = min(MIN_REMAINING, floor)
    is_too_much = over.tokens - target > OVERSHOOT * floor or total - over.tokens < least
    return under if is_too_much else over


def cuts(messages: Sequence[Message]) -> Iterator[Cut]:
    """Yield the place after each message, in order.

    A call counts as finished when its thread continued without a result: the process that made it was killed.
    """
    threads: dict[str, set[str]] = {}
    tokens = 0
    for message in messages:
        tokens += message.tokens
        results = result_ids(message)
        left = threads.get(message.thread, set()) - results if results else set()
        threads[message.thread] = left | call_ids(message)
        if any(threads.values()):
            fit = CutFit.ANY
        elif message.role == "assistant":
            fit = CutFit.TURN_END
        else:
            fit = CutFit.CALLS_DONE if results else CutFit.ANY
        yield Cut(message.seq, tokens, fit)


def last_clean_cut(messages: Sequence[Message], at_least: int) -> int | None:
    """Return the seq of the last cut that separates no call from its result, with `at_least` tokens before it, or None.

    A turn is cut in the middle only when twice as many tokens have accumulated.
    """
    found = list(cuts(messages))
    for fit, wanted in ((CutFit.TURN_END, at_least), (CutFit.CALLS_DONE, 2 * at_least)):
        suitable = [each.seq for each in found if each.fit >= fit and each.tokens >= wanted]
        if suitable:
            return suitable[-1]
    return None


def cut_below(messages: Sequence[Message], *, floor: int, limit: int) -> int | None:
    """Return the seq of the cut after which less than `limit` tokens stay, about `floor` if possible, or None.

    A call is separated from its result only when both alone exceed the limit.
    """
    found = list(cuts(messages))
    total = sum(each.tokens for each in messages)
    for fit in reversed(CutFit):
        cut = boundary([each for each in found if each.fit >= fit], total, floor)
        if cut is not None and total - cut.tokens < limit:
            return cut.seq
    return found[-1].seq if found else None


def call_ids(message: Message) -> set[str]:
    """Return the ids of the tool calls in `message`."""
    return {str(each.get("id")) for each in message.blocks if each.get("type") == "tool_use"}


def result_ids(message: Message) -> set[str]:
    """Return the ids of the calls whose results are in `message`."""
    found = (each for each in message.blocks if each.get("type") == "tool_result")
    return {str(each.get("tool_use_id")) for each in found}


def with_pairs(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return messages of one thread that can be sent: a call or result without its counterpart becomes plain text.

    A call in the last message still waits for its result, and stays.
    """
    repaired = []
    for at, message in enumerate(messages):
        before = call_ids(messages[at - 1]) if at else set()
        is_last = at == len(messages) - 1
        after = call_ids(message) if is_last else result_ids(messages[at + 1])
        blocks = tuple(_without_counterpart(each, before, after) for each in message.blocks)
        repaired.append(message if blocks == message.blocks else replace(message, blocks=blocks))
    return tuple(repaired)


def _without_counterpart(block: Block, before: set[str], after: set[str]) -> Block:
    match block.get("type"):
        case "tool_use" if str(block.get("id")) not in after:
            arguments = encode(block.get("input"))
            text = f"[a call of {block.get('name')} with {arguments}, which was interrupted]"
        case "tool_result" if str(block.get("tool_use_id")) not in before:
            text = f"[the result of an earlier call] {content_text(block.get('content'))}"
        case _:
            return block
    return {"type": "text", "text": text}


def content_text(content: object) -> str:
    """Return the content of a result as one text."""
    return content if isinstance(content, str) else encode(content)  # type: ignore[arg-type]  # read from JSON


@dataclass(frozen=True, slots=True)
class Slicer:
    """Splits messages for an observer into slices of at most `limit` tokens by `estimate`."""

    limit: int
    estimate: Callable[[str], int]

    def observe(self, observer: Observer, messages: Sequence[Message], known: str) -> Condensed:
        """Return the observations of `observer` for the messages that were not injected; without any it is not called.

        Raises CondensingFailed when a slice fails, or when the observations are longer than the messages.
        """
        kept = [each for each in messages if each.origin is not MessageOrigin.INJECTED]
        found: list[Condensed] = []
        for piece in self.slices(kept):
            before = found[-1].observations if found else known
            found.append(observer.observe(piece, before))
        joined = _joined(found)
        if self.estimate(joined.observations) > sum(each.tokens for each in kept) + self.limit // 8:
            message = "the observations are longer than their messages, which are observed later."
            raise CondensingFailed(message)
        return joined

    def slices(self, messages: Sequence[Message]) -> Iterator[list[Message]]:
        """Yield all of `messages` in order, at most `limit` tokens at a time."""
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
        """Yield the message, or several parts of it that each fit the limit."""
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
            is_continued = name == "text" and start > 0 and text[start - 1] != "\n"
            yield {**block, name: (CONTINUED if is_continued else "") + text[start:end]}
            start = end


def _end(text: str, start: int, length: int) -> int:
    """Return the end of a piece of at most `length` characters: at the end of a row, if one ends in it."""
    end = start + length
    row = text.rfind("\n", start, end) + 1
    return row if row > start and end < len(text) else end


def _longest(block: Block) -> tuple[str, str]:
    """Return the field of a block that can be long, and its text."""
    match block.get("type"):
        case "text":
            return "text", str(block.get("text", ""))
        case "tool_use":
            return "input", encode(block.get("input"))
        case _:
            return "content", content_text(block.get("content", ""))


def _joined(found: Sequence[Condensed]) -> Condensed:
    last = found[-1] if found else Condensed("")
    text = "\n".join(each.observations for each in found if each.observations.strip())
    return Condensed(text, last.current_task, last.suggested_response)
