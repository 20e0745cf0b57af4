"""Entries, scopes and the policies of entry kinds, and the events of a blackboard.

All durations are in game seconds.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

from memory.codec import Json, Record, as_json, from_json
from memory.errors import MalformedRecord, UnknownScope

Data: TypeAlias = Mapping[str, Json]


Level: TypeAlias = Literal[
    "sensory", "working", "stm", "ltm:episodic", "ltm:semantic", "ltm:procedural"
]

COLLECTIVE: Final = "collective"


@dataclass(frozen=True, slots=True)
class Scope:
    """A place for entries: capacity, time to live, decay, and allowed writers."""

    name: str
    capacity: int
    ttl_s: float | None = None
    decay_per_min: float = 0.0  # relevance is multiplied by 1 - rate each minute
    prune_below: float = 0.1  # relevance below which maintenance removes an entry
    similar: float = 0.95  # share of common words from which two entries are merged
    tokens: int | None = None  # budget for its text
    writers: tuple[str, ...] = ("*",)  # globs of the agents that may write


# The original design compacts working memory at 8,000 tokens and keeps 100 short-term entries for an hour.
# These scopes also hold the thousand events of a session, whose kinds do not expire after that hour.
_LEVELS: Final[Mapping[str, Scope]] = MappingProxyType(
    {
        "sensory": Scope("sensory", capacity=50, ttl_s=10.0),
        "working": Scope("working", capacity=2_000, decay_per_min=0.01, tokens=8_000),
        "stm": Scope("stm", capacity=2_000, ttl_s=3_600.0, decay_per_min=0.01),
        "ltm:episodic": Scope("ltm:episodic", capacity=1_000),
        "ltm:semantic": Scope("ltm:semantic", capacity=1_000),
        "ltm:procedural": Scope("ltm:procedural", capacity=1_000),
    }
)
_SHARED: Final = Scope("", capacity=5_000)


def scope_name(agent_id: str, level: Level) -> str:
    """Return the scope name of one level of an agent, such as `agent:play:sensory`."""
    return f"agent:{agent_id}:{level}"


def scope_of(name: str) -> Scope:
    """Return the scope `name` with the policies of its level."""
    owner, _, rest = name.partition(":")
    if name == COLLECTIVE or (owner == "team" and rest):
        return replace(_SHARED, name=name)
    agent_id, _, level = rest.partition(":")
    if owner != "agent" or not agent_id or level not in _LEVELS:
        message = (
            f"{name!r} is no scope; use scope_name(agent, one of {', '.join(_LEVELS)}), "
            f"team:NAME or {COLLECTIVE!r}."
        )
        raise UnknownScope(message)
    return replace(_LEVELS[level], name=name)


Change: TypeAlias = Literal["write", "revise", "forget", "clear", "expire", "evict"]
Status: TypeAlias = Literal["verified", "inferred", "claim"]

DEFAULT_IMPORTANCE = 3
TRUST: Final[Mapping[str, int]] = {"claim": 0, "inferred": 1, "verified": 2}


class Entry(NamedTuple):
    """One entry; `seq` grows with each write and never repeats within a lineage.

    `key` identifies the subject and is unique in its scope: writing it again makes a new version. A revision changes
    the assessment of an entry and keeps its seq. A plain tuple, because several are created each tick.
    """

    seq: int
    scope: str
    kind: str
    tick: int
    game_s: float
    data: Mapping[str, Json]
    tags: frozenset[str]
    importance: int  # 1 to 10
    expires_s: float | None
    key: str = ""
    version: int = 1
    relevance: float = 1.0  # at game_s; it decays from then on
    utility: float = 0.5  # learnt from the outcomes of recalls
    status: Status = "verified"  # cartridge facts are verified, rules infer, models claim
    sources: tuple[str, ...] = ()  # evidence: keys of entries, "tick:12", "checkpoint:3"
    closed: str = ""  # why it is no longer true; "" while it is

    def rewritten(self, **changed: Any) -> dict[str, Any]:  # noqa: ANN401  # arguments of `write`
        """Return the arguments of `Blackboard.write` that write this entry again, with `changed` replaced."""
        same = ("scope", "kind", "data", "tags", "importance", "key", "status", "sources")
        return {name: getattr(self, name) for name in same} | changed


class BlackboardEvent(NamedTuple):
    """One change of a blackboard."""

    action: Change
    entry: Entry


class CheckpointPart(Protocol):
    """An object whose state is saved with each checkpoint and restored from it."""

    def to_json(self) -> Json:
        """Return the complete state."""

    def restore(self, data: Mapping[str, Json]) -> None:
        """Restore a state that `to_json` returned."""


class EntryStore(Protocol):
    """The storage of a blackboard; nothing is written before the store commits."""

    @property
    def run_id(self) -> str:
        """The prefix of keys made in this run."""

    def live_entries(self) -> Iterable[Entry]:
        """Return the committed entries that were not dropped since, by seq."""

    def put_entry(self, entry: Entry) -> None:
        """Store `entry` at the next commit, replacing an entry with the same seq."""

    def drop_entry(self, seq: int) -> None:
        """Delete the entry `seq` at the next commit."""

    def attach(self, name: str, part: CheckpointPart) -> None:
        """Save `part` with each checkpoint, and restore it from the last one if there is one."""


@dataclass(frozen=True, slots=True)
class EntryKind:
    """The policies of one kind of entry.

    `check` raises MalformedRecord for invalid data. `key` names the subject of an entry; a second entry with the
    same key replaces the first, as `merge(old, new)` if given. `repeats` returns whether data equals the newest entry
    of the kind; then nothing is written. Each `group` has at most `limit` entries; those with the lowest `rank`, or the
    oldest, are evicted. A `lasting` kind neither expires nor is pruned, and is evicted last.
    """

    name: str
    check: Callable[[Data], object] = lambda _data: None
    key: Callable[[Data], str] | None = None
    merge: Callable[[Data, Data], Data] | None = None
    repeats: Callable[[Data, Data], bool] | None = None
    limit: int | None = None
    group: Callable[[Data], object] = lambda _data: None
    rank: Callable[[Entry], tuple[float, ...]] | None = None
    lasting: bool = False

    def key_of(self, data: Data) -> str | None:
        """Return the key of `data`, or None for a kind without keys; MalformedRecord when `data` lacks the key field."""
        if self.key is None:
            return None
        try:
            return f"{self.name}:{self.key(data)}"
        except (KeyError, TypeError) as error:
            raise MalformedRecord(
                f"{dict(data)!r} cannot be named as {self.name!r}: {error} is wrong or absent."
            ) from error

    def surplus(self, peers: Mapping[int, Entry]) -> list[Entry]:
        """Return the members of one group over the limit, to be evicted; `peers` are oldest first, by seq."""
        over = 0 if self.limit is None else len(peers) - self.limit
        if over <= 0:
            return []
        if self.rank is None:
            return list(islice(peers.values(), over))
        return nsmallest(over, peers.values(), key=self.rank)


def record_kind(
    name: str,
    record: type[Record],
    key: str | Callable[[Mapping[str, Any]], str],
    combine: Callable[[Record, Record], Record] | None = None,
    **policies: Any,  # noqa: ANN401  # the other fields of EntryKind
) -> EntryKind:
    """Return the policies of a lasting kind whose data are `record`s, keyed by a field name or by the function `key`.

    `combine` merges the known record and the new one.
    """
    merge = {} if combine is None else {"merge": merge_of(record, combine)}
    return EntryKind(
        name,
        check=lambda data: from_json(record, data),
        key=(lambda data: str(data[key])) if isinstance(key, str) else key,
        **merge | {"lasting": True} | policies,
    )


def merge_of(
    record: type[Record], combine: Callable[[Record, Record], Record]
) -> Callable[[Data, Data], Data]:
    """Return the function that merges the data of two `record`s as `combine` merges the records."""
    return lambda known, new: as_json(combine(from_json(record, known), from_json(record, new)))
