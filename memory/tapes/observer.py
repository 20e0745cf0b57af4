"""What is worth remembering of a recorded session, by rules alone: the same session always comes to the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory.tapes.extracting import EXTRACTORS, Seen
from memory.tapes.secrets import mask_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memory.tapes.entries import TapeEntry, TapeSession
    from memory.tapes.priorities import Priority


TIMES: Final = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class Noted:
    """One observation of a session. `at` is when it was first true, `count` how often it was."""

    priority: Priority
    text: str
    at: datetime | None
    count: int = 1

    def line(self, session: str) -> str:
        """Return it as the line of a list, with the 8 digits that its session is called by."""
        times = f" {TIMES}{self.count}" if self.count > 1 else ""
        return f"- [{self.priority.value}] {self.text}{times} (session: {session})"


def observe_session(session: TapeSession) -> tuple[Noted, ...]:
    """Return what `session` comes to, a thing once with its count: goal, errors, exceptions, files, notes, tokens."""
    seen = Seen(session, tuple(_distinct(session)))
    first: dict[tuple[Priority, str], datetime | None] = {}
    counts: Counter[tuple[Priority, str]] = Counter()
    for extract in EXTRACTORS:
        for found in extract(seen):
            key = (found.priority, mask_secrets(found.text))
            first.setdefault(key, found.at)
            counts[key] += 1
    return tuple(Noted(*key, at, counts[key]) for key, at in first.items())


def _distinct(session: TapeSession) -> Iterator[TapeEntry]:
    """Yield every entry once, without those that a sibling repeats.

    Tapes names a reply and its echo in the next request after two spellings of the model, which makes two nodes
    of one message.
    """
    yield from session.entries
    said: dict[str | None, list[TapeEntry]] = {}
    for entry in session.all_entries():
        said.setdefault(entry.parent_hash, []).append(entry)
    for branch in session.branches:
        fork = said[branch[0].parent_hash]
        is_echo = any(branch[0].says_the_same(each) for each in fork if each is not branch[0])
        yield from branch[1:] if is_echo else branch
