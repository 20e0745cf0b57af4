"""Questions to memory, and the parts by which answers are ranked. Knows nothing of how they are found."""

from dataclasses import dataclass, fields
from typing import Final, NamedTuple, Protocol

from memory.blackboard.entry import Entry
from memory.codec import Json
from memory.errors import MalformedRecord

MOST: Final = 100  # results of one query

RECOLLECTION: Final = "recollection"  # what a recall leaves behind
UPKEEP: Final = "upkeep"  # and what tidying up does
# Found only by those who ask for them by kind: what was recalled would be recalled for having been recalled.
INWARD: Final = (RECOLLECTION, UPKEEP)


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """A question to memory.

    `text`, `place` and `subject` are cues: an entry answers when it has a word of the text, or happened at the place,
    or is about the subject; of those given, the more it answers the better. What the senses say, and what has no tags and
    the least importance, has no words. All the rest are filters: every one of
    them must hold, and the best `max_results` are taken of what passes them all. Scopes, kinds and the key are
    globs, exact names and a glob; an empty filter lets everything pass. `min_relevance` is of what is left of
    an entry's relevance by now. Times are in game seconds.
    """

    text: str = ""
    scopes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    all_of: frozenset[str] = frozenset()
    any_of: frozenset[str] = frozenset()
    none_of: frozenset[str] = frozenset()
    since_s: float | None = None
    until_s: float | None = None
    max_age_s: float | None = None
    key_pattern: str = ""
    place: str = ""
    subject: str = ""
    max_results: int = 10
    min_relevance: float = 0.0
    include_expired: bool = False
    include_closed: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.max_results <= MOST:
            message = f"max_results {self.max_results!r} is not in 1..{MOST}; ask for that many."
            raise MalformedRecord(message)
        if not 0.0 <= self.min_relevance <= 1.0:
            message = f"min_relevance {self.min_relevance!r} is not in 0..1; give a share."
            raise MalformedRecord(message)
        if self.max_age_s is not None and self.max_age_s < 0:
            message = f"max_age_s {self.max_age_s!r} is negative; give game seconds."
            raise MalformedRecord(message)

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the text, each once, without case and punctuation."""
        spaced = "".join(each if each.isalnum() else " " for each in self.text.casefold())
        return tuple(dict.fromkeys(spaced.split()))

    def earliest(self, now_s: float) -> float | None:
        """Return the earliest moment that is asked for, be it outright or by age."""
        by_age = None if self.max_age_s is None else now_s - self.max_age_s
        bounds = [each for each in (self.since_s, by_age) if each is not None]
        return max(bounds, default=None)

    def to_json(self) -> dict[str, Json]:
        """Return what was asked for, without what was left open."""
        asked: dict[str, Json] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                asked[field.name] = sorted(value) if isinstance(value, frozenset) else value
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asked.items()}


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
