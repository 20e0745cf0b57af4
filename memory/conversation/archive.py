"""Recall of what observations replaced: a catalogue with one line per archived group, and the messages of a group by page.

Observed and reflected content is never deleted; this module reads it back.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from memory.conversation.format import Observations, one_line, parse, with_unit
from memory.conversation.situation_format import is_failure, milestone_ids, milestones_in
from memory.conversation.view import message_text
from memory.errors import UnknownMemory
from memory.observations import observation
from memory.store.conversation_record import Chunk, Message
from memory.store.conversations import ConversationStore
from memory.tokens import tokens

CATALOGUE_TOKENS: Final = 2_000  # tokens
MAX_CONTENT: Final = 160  # characters of the content of one group


def catalogue(archived: Sequence[Chunk], room: int = CATALOGUE_TOKENS) -> str:
    """Return one line for each group of observations, oldest first, in at most `room` tokens; '' when nothing fits.

    A line has the id, the time span and the content: milestones first, then failures, then the rest. When there are too
    many groups, the oldest share one line.
    """
    rows = [_row(each) for each in archived]
    left, start = room, len(rows)
    while start and (left := left - tokens(rows[start - 1] + "\n")) >= 0:
        start -= 1
    # The common line of the older groups needs room as well.
    while start and tokens(_text(archived[:start], rows[start:])) > room:
        start += 1
        if start > len(rows):
            return ""
    return _text(archived[:start], rows[start:])


def _text(older: Sequence[Chunk], rows: Sequence[str]) -> str:
    if older:
        first, last = group_id(older[0]), group_id(older[-1])
        rows = (f"* {first} to {last}: {len(older)} older groups", *rows)
    return "\n".join(rows)


def _row(archived: Chunk) -> str:
    observations = parse(archived.text)
    count = with_unit(len(observations), "line")
    about = one_line("; ".join(_content_of(observations)), MAX_CONTENT)
    return f"* {group_id(archived)} ({_time_span(observations)}, {count}): {about}"


def _content_of(observations: Observations) -> Iterator[str]:
    if reached := milestones_in(observations):
        yield f"reached {', '.join(reached)}"
    rest = [each.line for each in observations if not milestone_ids(each.line)]
    yield from (line.text for line in sorted(rest, key=is_failure, reverse=True))


def _time_span(observations: Observations) -> str:
    dates = sorted({each.date.isoformat() for each in observations if each.date is not None})
    ticks = [each.line.moment.tick for each in observations if each.line.moment.tick is not None]
    spans = [" to ".join(dict.fromkeys((dates[0], dates[-1])))] if dates else []
    if ticks:
        spans.append(f"ticks {min(ticks)} to {max(ticks)}")
    return ", ".join(spans) or "no date"


PAGE_TOKENS: Final = 2_000  # tokens
SHORT_MESSAGE: Final = 160  # characters of a shortened message
_PREFIX: Final = "group-"


class Page(NamedTuple):
    """One page of messages, counted from 1; `pages` is the number of pages."""

    text: str
    number: int
    pages: int


def group_id(chunk: Chunk) -> str:
    """Return the id under which the messages of a chunk are recalled."""
    return f"{_PREFIX}{chunk.id}"


@dataclass(frozen=True, slots=True)
class MessageRecall:
    """Recalls the messages of one conversation; a page has at most `room` tokens by `estimate`."""

    store: ConversationStore
    owner: str
    estimate: Callable[[str], int]
    room: int = PAGE_TOKENS

    def recall(self, group: str, page: int = 1, *, in_full: bool = False) -> Page:
        """Return a page of the messages of one group of observations, shortened or `in_full`; beyond the last, the last.

        Raises UnknownMemory when the conversation has no such group.
        """
        chunks = self.store.chunks(self.owner)
        found = next((each for each in chunks if group_id(each) == group), None)
        if found is None:
            raise UnknownMemory(f"there is no group {group!r}; use a group id from the catalogue.")
        messages = self.store.messages(self.owner, after=found.from_seq - 1, upto=found.to_seq)
        pages = list(self._pages([_line(each, in_full=in_full) for each in messages]))
        number = min(max(page, 1), len(pages))
        return Page(pages[number - 1], number, len(pages))

    def _pages(self, lines: Sequence[str]) -> Iterator[str]:
        page: list[str] = []
        for piece in (piece for line in lines for piece in self._pieces(line)):
            if page and self.estimate("\n".join((*page, piece))) > self.room:
                yield "\n".join(page)
                page = []
            page.append(piece)
        yield "\n".join(page)

    def _pieces(self, line: str) -> Iterator[str]:
        """Yield a line in pieces that each fit on a page."""
        size = self.estimate(line)
        length = len(line) if size <= self.room else max(1, self.room * len(line) // size)
        for start in range(0, len(line), max(1, length)):
            yield line[start : start + length]


def _line(message: Message, *, in_full: bool) -> str:
    text = message_text(message)
    if not in_full:
        text = observation.line(text, SHORT_MESSAGE)
    return f"tick {message.tick}, {message.role}: {text}"
