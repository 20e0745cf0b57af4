"""How what was found is put in order, and why one entry came before another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from memory.blackboard.entry import Entry
    from memory.recall.query import MemoryQuery


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part counts for in a score; they add up to 1.

    After `half_s` game seconds an entry counts half as recent as a new one, after twice that a third.
    """

    words: float = 0.35
    recency: float = 0.15
    importance: float = 0.2
    utility: float = 0.15
    match: float = 0.15
    half_s: float = 600.0


class Score(NamedTuple):
    """The parts of a score, each in 0..1, and their weighted sum.

    `words` is 1 for the best match of the text among the candidates and 0 for none; `match` is the share of
    place and subject, of those asked for, that the entry is about.
    """

    total: float
    words: float
    recency: float
    importance: float
    utility: float
    match: float


class Found(NamedTuple):
    """An entry, and how well it answers."""

    entry: Entry
    score: Score


class Searched(Protocol):
    """Where entries are found and ranked."""

    def find(self, query: MemoryQuery, *, now_s: float) -> list[Found]:
        """Return what answers `query` at `now_s`, the best first."""

    def tags(self, scope_glob: str = "*") -> dict[str, int]:
        """Return how many entries carry each tag."""


def explain(found: Found, weights: Weights | None = None) -> str:
    """Return in words and numbers how the score of `found` comes about."""
    entry, score = found
    each = weights or Weights()
    parts = (
        ("words", score.words, each.words),
        ("recency", score.recency, each.recency),
        ("importance", score.importance, each.importance),
        ("utility", score.utility, each.utility),
        ("place and subject", score.match, each.match),
    )
    terms = " + ".join(f"{name} {part:.2f} x {weight:.2f}" for name, part, weight in parts)
    return f"{entry.key} scores {score.total:.3f}: {terms}"
