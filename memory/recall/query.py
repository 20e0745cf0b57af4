"""Memory queries, and the parts of the score that ranks results. Knows nothing of how results are found."""

from dataclasses import dataclass, fields
from typing import Final, NamedTuple, Protocol

from memory.blackboard.entry import Entry
from memory.codec import Json
from memory.errors import MalformedRecord

MOST: Final = 100  # results of one query
# Scopes, kinds and tags of one query; SQLite limits the size of a condition.
MOST_FILTERS: Final = 100

RECOLLECTION: Final = "recollection"  # the entry that each recall writes
MAINTENANCE: Final = "maintenance"  # the entry that each pruning writes
# Found only by a query that names the kind; otherwise a recall would find the records of earlier recalls.
INTERNAL_KINDS: Final = (RECOLLECTION, MAINTENANCE)


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """A query on memory.

    `text`, `place` and `subject` are cues: an entry matches when it contains a word of the text, or happened at the place,
    or is about the subject; the more of the given cues match, the better. Sensory entries, and entries without tags and with
    the lowest importance, are not indexed by words. All other fields are filters: an entry must pass all of them, and the
    best `max_results` are returned. `scopes` are globs, `kinds` exact names, `key_pattern` a glob; an empty filter passes
    everything. `min_relevance` applies to the decayed relevance of an entry. Times are in game seconds.
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
            message = f"max_results {self.max_results!r} is not in 1..{MOST}; give a number in that range."
            raise MalformedRecord(message)
        if not 0.0 <= self.min_relevance <= 1.0:
            message = f"min_relevance {self.min_relevance!r} is not in 0..1; give a share."
            raise MalformedRecord(message)
        if self.max_age_s is not None and self.max_age_s < 0:
            raise MalformedRecord(f"max_age_s {self.max_age_s!r} is negative; give game seconds.")
        filters = (self.scopes, self.kinds, self.all_of, self.any_of, self.none_of)
        if (count := sum(map(len, filters))) > MOST_FILTERS:
            message = f"the query has {count} scopes, kinds and tags; give at most {MOST_FILTERS}."
            raise MalformedRecord(message)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of the text, without case and punctuation."""
        spaced = "".join(each if each.isalnum() else " " for each in self.text.casefold())
        return tuple(dict.fromkeys(spaced.split()))

    def earliest(self, now_s: float) -> float | None:
        """Return the earliest requested time, from `since_s` and `max_age_s`, or None."""
        by_age = None if self.max_age_s is None else now_s - self.max_age_s
        bounds = [each for each in (self.since_s, by_age) if each is not None]
        return max(bounds, default=None)

    def to_json(self) -> dict[str, Json]:
        """Return the fields that differ from their defaults."""
        given: dict[str, Json] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                given[field.name] = sorted(value) if isinstance(value, frozenset) else value
        return {name: list(v) if isinstance(v, tuple) else v for name, v in given.items()}


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each part of a score; they sum to 1.

    The recency of an entry is one half after `half_s` game seconds, one third after twice that.
    """

    words: float = 0.35
    recency: float = 0.15
    importance: float = 0.2
    utility: float = 0.15
    match: float = 0.15
    half_s: float = 600.0


class Score(NamedTuple):
    """The parts of a score, each in 0..1, and their weighted sum.

    `words` is 1 for the best text match among the candidates and 0 for none; `match` is the share of the given place and
    subject that the entry matches.
    """

    total: float
    words: float
    recency: float
    importance: float
    utility: float
    match: float


class ScoredEntry(NamedTuple):
    """An entry and its score."""

    entry: Entry
    score: Score


class SearchableStore(Protocol):
    """A search index of entries."""

    def find(self, query: MemoryQuery, *, now_s: float) -> list[ScoredEntry]:
        """Return the entries that match `query` at `now_s`, best first."""

    def tags(self, scope_glob: str = "*") -> dict[str, int]:
        """Return the number of entries with each tag."""
