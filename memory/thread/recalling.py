"""What lies behind observations: the messages of a group of them as they were said, in short or in full, a page at a time.

Nothing that was observed or reflected upon is gone; this is how one gets at it.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from memory.errors import UnknownMemory
from memory.thread.catalogue import Archived
from memory.thread.sight import spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memory.thread.chunks import Chunk
    from memory.thread.message import Message
    from memory.thread.store import ThreadStore

PAGE: Final = 2_000  # tokens
SHORT: Final = 160  # characters of a message in short
_PREFIX: Final = "group-"


class Detail(Enum):
    """How much is told of a message."""

    LOW = "low"
    HIGH = "high"


class Page(NamedTuple):
    """One page of what was said, counted from 1; `pages` is how many there are."""

    text: str
    number: int
    pages: int


def archived(store: ThreadStore, owner: str, upto: int) -> tuple[Archived, ...]:
    """Return the groups of observations of messages up to number `upto`, oldest first; a catalogue is made of them."""
    chunks = store.chunks(owner)
    return tuple(Archived(group_id(each), each.text) for each in chunks if each.to_seq <= upto)


def group_id(chunk: Chunk) -> str:
    """Return the name under which the messages behind a chunk are recalled."""
    return f"{_PREFIX}{chunk.id}"


class Recalling:
    """Recalls what was said in one conversation; a page has `room` tokens as `estimate` has them."""

    def __init__(
        self, store: ThreadStore, owner: str, estimate: Callable[[str], int], room: int = PAGE
    ) -> None:
        self._store = store
        self._owner = owner
        self._estimate = estimate
        self._room = room

    def recall(self, group: str, detail: Detail = Detail.LOW, page: int = 1) -> Page:
        """Return a page of the messages behind a group of observations; beyond the last page, the last.

        Raises:
            UnknownMemory: for a group that this conversation does not have.
        """
        chunks = self._store.chunks(self._owner)
        found = next((each for each in chunks if group_id(each) == group), None)
        if found is None:
            message = f"there is no group {group!r}; take one that the catalogue names."
            raise UnknownMemory(message)
        messages = self._store.messages(self._owner, after=found.from_seq - 1, upto=found.to_seq)
        pages = list(self._pages([_line(each, detail) for each in messages]))
        number = min(max(page, 1), len(pages))
        return Page(pages[number - 1], number, len(pages))

    def _pages(self, lines: Sequence[str]) -> Iterator[str]:
        page: list[str] = []
        for piece in (piece for line in lines for piece in self._pieces(line)):
            if page and self._estimate("\n".join((*page, piece))) > self._room:
                yield "\n".join(page)
                page = []
            page.append(piece)
        yield "\n".join(page)

    def _pieces(self, line: str) -> Iterator[str]:
        """Yield a line in pieces that have room on a page."""
        size = self._estimate(line)
        length = len(line) if size <= self._room else max(1, self._room * len(line) // size)
        for start in range(0, len(line), max(1, length)):
            yield line[start : start + length]


def _line(message: Message, detail: Detail) -> str:
    words = spoken(message)
    if detail is Detail.LOW:
        words = " ".join(words.split())
        words = words if len(words) <= SHORT else f"{words[: SHORT - 1]}…"
    return f"tick {message.tick}, {message.role}: {words}"
