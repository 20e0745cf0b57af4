"""What a blackboard holds: entries, the scopes they lie in and the policies of their kinds, and the events of change.

Every duration is in game seconds.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
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
    """A place for entries: how many, for how long, how they fade, and who may write."""

    name: str
    capacity: int
    ttl_s: float | None = None
    decay_per_min: float = 0.0  # relevance is multiplied by 1 - rate each minute
    prune_below: float = 0.1  # relevance under which maintenance lets an entry go
    similar: float = 0.95  # from which share of words in common on two entries are one
    tokens: int | None = None  # how much text it should hold
    writers: tuple[str, ...] = ("*",)  # globs of the agents that may write

    def admits(self, writer: str) -> bool:
        """Return whether `writer` may write here."""
        return any(fnmatchcase(writer, each) for each in self.writers)


# The design this is built on has working memory compacted at 8,000 tokens and an hour of short-term memory for a
# hundred entries. Ours holds a session's thousand events as well, whose kinds outlast that hour.
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
    """Return the name of one agent's level, such as `agent:play:sensory`."""
    return f"agent:{agent_id}:{level}"


def team_scope(team_id: str) -> str:
    """Return the name of what the agents of one team share."""
    return f"team:{team_id}"


def scope_of(name: str) -> Scope:
    """Return the scope called `name`, with the policies of its level."""
    owner, _, rest = name.partition(":")
    if name == COLLECTIVE or (owner == "team" and rest):
        return replace(_SHARED, name=name)
    agent_id, _, level = rest.partition(":")
    if owner != "agent" or not agent_id or level not in _LEVELS:
        message = (
            f"{name!r} is no scope; use scope_name(agent, one of {', '.join(_LEVELS)}), "
            f"team_scope(team) or {COLLECTIVE!r}."
        )
        raise UnknownScope(message)
    return replace(_LEVELS[level], name=name)


Change: TypeAlias = Literal["write", "revise", "forget", "clear", "expire", "evict"]
Status: TypeAlias = Literal["verified", "inferred", "claim"]

DEFAULT_IMPORTANCE = 3


class Entry(NamedTuple):
    """One thing remembered; `seq` grows with every write and never repeats within a lineage.

    `key` says what it is about and is unique in its scope: written again, it is a new version. A revision changes
    how an entry is judged and keeps its seq. A plain tuple, as events are, since several are made every tick.
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
    relevance: float = 1.0  # at game_s; it fades from there on
    utility: float = 0.5  # how useful it proved when it was recalled
    status: Status = "verified"  # cartridge facts are verified, rules infer, models claim
    sources: tuple[str, ...] = ()  # its evidence: keys of entries, "tick:12", "checkpoint:3"
    closed: str = ""  # why it no longer holds; "" while it does

    def rewritten(self, **changed: Any) -> dict[str, Any]:  # noqa: ANN401  # arguments of `write`
        """Return what `Blackboard.write` is given to write the same again, but for what is `changed`."""
        same = ("scope", "kind", "data", "tags", "importance", "key", "status", "sources")
        return {name: getattr(self, name) for name in same} | changed


class BlackboardEvent(NamedTuple):
    """One change of a blackboard."""

    action: Change
    entry: Entry


class CheckpointPart(Protocol):
    """Something whose state is saved with each checkpoint and comes back with it."""

    def to_json(self) -> Json:
        """Return the whole state."""

    def restore(self, data: Mapping[str, Json]) -> None:
        """Take over a state that `to_json` returned."""


class EntryStore(Protocol):
    """Where a blackboard leaves its entries; nothing is written before the store commits."""

    @property
    def run_id(self) -> str:
        """The name that keys made here begin with."""

    def live_entries(self) -> Iterable[Entry]:
        """Return the entries that were committed and not dropped since, by seq."""

    def put_entry(self, entry: Entry) -> None:
        """Keep `entry` at the next commit, in the place of one of its seq if there is one."""

    def drop_entry(self, seq: int) -> None:
        """Let go of the entry `seq` at the next commit."""

    def attach(self, name: str, part: CheckpointPart) -> None:
        """Save `part` with each checkpoint, and restore it from the last one, if there is one."""


@dataclass(frozen=True, slots=True)
class EntryKind:
    """The policies of one kind.

    `check` raises MalformedRecord for data of another shape. `key` names what an entry is about; a second entry
    of that name takes the place of the first, as `merge(old, new)` where there is one. `repeats` tells that an entry
    says the same as the newest of its kind, which then stays alone. Of each `group` there are at most `limit`, and
    those of the lowest `rank` go, or the oldest. One that is `lasting` neither expires nor is pruned, and is the last to make room.
    """

    name: str
    check: Callable[[Data], object] | None = None
    key: Callable[[Data], str] | None = None
    merge: Callable[[Data, Data], Data] | None = None
    repeats: Callable[[Data, Data], bool] | None = None
    limit: int | None = None
    group: Callable[[Data], object] | None = None
    rank: Callable[[Entry], tuple[float, ...]] | None = None
    lasting: bool = False

    def admit(self, data: Data) -> None:
        """Raise MalformedRecord where `data` is not what this kind promises."""
        if self.check is not None:
            self.check(data)

    def key_of(self, data: Data) -> str | None:
        """Return what `data` is about, or None where the kind has no names; MalformedRecord when it lacks one."""
        if self.key is None:
            return None
        try:
            return f"{self.name}:{self.key(data)}"
        except (KeyError, TypeError) as error:
            message = (
                f"{dict(data)!r} cannot be named as {self.name!r}: {error} is wrong or absent."
            )
            raise MalformedRecord(message) from error

    def group_of(self, data: Data) -> object:
        """Return the group whose members are limited together."""
        return None if self.group is None else self.group(data)

    def surplus(self, peers: Mapping[int, Entry]) -> list[Entry]:
        """Return those of one group, oldest first by seq, that are over the limit."""
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
    more: Callable[[Record, Record], Record] | None = None,
    **policies: Any,  # noqa: ANN401  # the other fields of EntryKind
) -> EntryKind:
    """Return the policies of a lasting kind whose data are `record`s, named by a field or by what `key` makes of them.

    `more` makes one of the known and the new.
    """

    def merge(known: Data, new: Data) -> Data:
        assert more is not None
        return as_json(more(from_json(record, known), from_json(record, new)))

    return EntryKind(
        name,
        check=lambda data: from_json(record, data),
        key=(lambda data: str(data[key])) if isinstance(key, str) else key,
        **({"merge": merge} if more else {}) | {"lasting": True} | policies,
    )
