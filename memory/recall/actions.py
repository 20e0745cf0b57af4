"""The actions of an agent on its memory, and the recollection that each recall writes.

Each action takes no step of the game and can be watched. The outcome of a recall is recorded on its recollection.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, cast

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import DEFAULT_IMPORTANCE, TRUST, Entry, scope_name
from memory.codec import Json, encode
from memory.errors import MalformedRecord
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.flow.memory_map import MemoryMap, memory_map
from memory.hooks.hooks import Call, Hooks, hookable
from memory.hooks.producers import Produced, Producers
from memory.recall.query import MAINTENANCE, RECOLLECTION, MemoryQuery, ScoredEntry, SearchableStore

UTILITY_MOMENTUM: Final = 0.9  # weight of the old utility in the moving average
RECOLLECTION_IMPORTANCE: Final = 2
JUDGED: Final = "judged"  # the tag of a recollection whose outcome is known


@dataclass(frozen=True, slots=True)
class Recollection:
    """One recall: the query and its reason, and the keys and scores of the results."""

    query: Mapping[str, Any]
    why: str
    keys: tuple[str, ...]
    scores: tuple[float, ...]


def recollection_of(entry: Entry) -> Recollection:
    """Return the recall that `entry` records."""
    data = cast("Mapping[str, Any]", entry.data)
    return Recollection(data["query"], data["why"], tuple(data["keys"]), tuple(data["scores"]))


def is_open(entry: Entry) -> bool:
    """Return whether the outcome of the recall in `entry` is still unknown."""
    return JUDGED not in entry.tags


def register_recall_producers(producers: Producers, agent_id: str) -> None:
    """Write each recall and each pruning of `agent_id` to its working memory."""
    working = scope_name(agent_id, "working")
    recall = MemoryActions.memory_recall_with_scores
    producers.register(recall, _recollection, scope=working, kind=RECOLLECTION)
    producers.register(
        MemoryActions.memory_prune,
        lambda call, pruned: _produced(call, {"pruned": pruned}),
        scope=working,
        kind=MAINTENANCE,
    )


def learn_outcome(blackboard: Blackboard, keys: Iterable[str], *, useful: bool) -> int:
    """Return the number of entries whose utility was updated with the outcome of recalling them."""
    updated = 0
    for key in dict.fromkeys(keys):
        for scope in blackboard.scopes():
            entry = blackboard.get(scope, key)
            if entry is not None:
                utility = UTILITY_MOMENTUM * entry.utility + (1.0 - UTILITY_MOMENTUM) * useful
                blackboard.revise(entry, utility=utility)
                updated += 1
    return updated


def _recollection(call: Call, found: Sequence[ScoredEntry]) -> Produced:
    arguments = dict(zip(("query", "why"), call.args, strict=False)) | dict(call.kwargs)
    data = {
        "query": arguments["query"].to_json(),
        "why": arguments.get("why", ""),
        "keys": [each.entry.key for each in found],
        "scores": [round(each.score.total, 6) for each in found],
    }
    return _produced(call, data)


def _produced(call: Call, data: Mapping[str, Json]) -> Produced:
    now: Blackboard = call.instance.blackboard
    return Produced(data, now.tick, now.game_s, importance=RECOLLECTION_IMPORTANCE)


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Counts of entries by scope and status, and the state of the edges.

    `fullness` is the used share of each scope's token budget, `pending` the number of entries pending at each edge, `faults`
    the number of listener failures.
    """

    scopes: Mapping[str, int]
    statuses: Mapping[str, int]
    closed: int
    fullness: Mapping[str, float]
    pending: Mapping[str, int]
    faults: int

    @property
    def count(self) -> int:
        """The number of entries."""
        return sum(self.scopes.values())


@dataclass(frozen=True, slots=True)
class Note:
    """How to store an entry. Only cartridge facts are verified; a note is inferred or a claim."""

    scope: str = ""
    kind: str = "note"
    importance: int = DEFAULT_IMPORTANCE
    ttl_s: float | None = None
    key: str | None = None
    status: Literal["inferred", "claim"] = "claim"
    sources: tuple[str, ...] = ()

    @staticmethod
    def of(metadata: Mapping[str, Any]) -> "Note":
        """Return the note that `metadata` describes. Raises MalformedRecord for an unknown field."""
        unknown = sorted(metadata.keys() - {each.name for each in fields(Note)})
        if unknown:
            raise MalformedRecord(f"{unknown[0]!r} is not a field of a note; use fields of Note.")
        if metadata.get("status", "claim") not in ("inferred", "claim"):
            message = f"status {metadata['status']!r} is not for notes; use inferred or claim."
            raise MalformedRecord(message)
        return Note(**{**metadata, "sources": tuple(metadata.get("sources", ()))})


@dataclass(frozen=True, slots=True)
class MemoryActions:
    """The actions of one agent on its memory. Without a scope they apply to all scopes of the agent."""

    blackboard: Blackboard
    store: SearchableStore
    hooks: Hooks
    flows: Flows
    maintenance: Maintenance
    agent_id: str

    def memory_recall(self, query: MemoryQuery, why: str = "") -> list[Entry]:
        """Return the entries that match `query`, best first; `why` is stored with the recollection."""
        return [each.entry for each in self.memory_recall_with_scores(query, why)]

    @hookable
    def memory_recall_with_scores(self, query: MemoryQuery, why: str = "") -> list[ScoredEntry]:
        """Return the entries that match `query` with their scores, best first; `why` is stored with the recollection."""
        return self.store.find(query, now_s=self.blackboard.game_s)

    @hookable
    def memory_judge(self, recollection: Entry, *, useful: bool) -> int:
        """Return the number of entries whose utility was updated with the outcome of one recall; at most once."""
        if not is_open(recollection):
            return 0
        self.blackboard.revise(recollection, tags=recollection.tags | {JUDGED})
        return learn_outcome(self.blackboard, recollection_of(recollection).keys, useful=useful)

    @hookable
    def memory_store(
        self,
        data: Mapping[str, Json],
        tags: Collection[str] = (),
        metadata: Mapping[str, Json] | None = None,
    ) -> str:
        """Return the key of the entry made of `data`; `metadata` are fields of a `Note`.

        Raises MalformedRecord when it would replace an entry of a more trusted status.
        """
        note = Note.of(metadata or {})
        scope = note.scope or scope_name(self.agent_id, "working")
        if note.key is not None:
            existing = self.blackboard.get(scope, note.key)
            if existing and not existing.closed and TRUST[note.status] < TRUST[existing.status]:
                message = f"{existing.key!r} is {existing.status}; a note with status {note.status} cannot replace it."
                raise MalformedRecord(message)
        entry_fields = asdict(note) | {"scope": scope}
        return self.blackboard.write(**entry_fields, data=data, tags=tags, by=self.agent_id).key

    @hookable
    def memory_forget(
        self,
        keys: Collection[str] = (),
        tags: Collection[str] = (),
        older_than_s: float | None = None,
    ) -> int:
        """Return the number of entries removed: those in `keys`, with all `tags`, older than an age in game seconds.

        All given conditions must be met, and at least one is required. Entries of lasting kinds stay.
        """
        if not keys and not tags and older_than_s is None:
            message = "memory_forget would forget everything; name keys, tags or an age."
            raise MalformedRecord(message)
        now, wanted = self.blackboard.game_s, frozenset(tags)

        def matches(entry: Entry) -> bool:
            return (
                (not keys or entry.key in keys)
                and wanted <= entry.tags
                and (older_than_s is None or now - entry.game_s > older_than_s)
                and not ((kind := self.blackboard.kinds.get(entry.kind)) and kind.lasting)
            )

        def forget(name: str) -> int:
            keys = {each.key for each in self.blackboard.entries(name) if matches(each)}
            return self.blackboard.forget(name, keys=keys)

        return self._each("", forget)

    @hookable
    def memory_deduplicate(self, threshold: float = 0.95, scope: str = "") -> int:
        """Return the number of entries merged into a similar one."""
        return self._each(scope, lambda name: self.maintenance.deduplicate(name, threshold))

    @hookable
    def memory_prune(self, threshold: float = 0.1, scope: str = "") -> int:
        """Return the number of entries removed because their relevance was below `threshold`."""
        return self._each(scope, lambda name: self.maintenance.prune(name, threshold))

    @hookable
    def memory_transfer_raw(self, source: str, target: str, tags: Collection[str] = ()) -> int:
        """Return the number of entries of scope `source` with all `tags` that were copied unchanged to `target`.

        Each keeps its key, which names its origin, so copying again changes nothing.
        """
        copied = 0
        for entry in self.blackboard.entries(source):
            existing = self.blackboard.get(target, entry.key)
            if entry.closed or not frozenset(tags) <= entry.tags:
                continue
            if existing is None or existing.data != entry.data:
                sources = (*entry.sources, f"tick:{entry.tick}")
                entry_fields = entry.rewritten(scope=target, sources=sources, by=self.agent_id)
                self.blackboard.revise(self.blackboard.write(**entry_fields), utility=entry.utility)
                copied += 1
        return copied

    @hookable
    def memory_ingest_now(self, *names: str) -> dict[str, int]:
        """Return the number of entries of each kind written by carrying what is pending, at `names` or at all edges."""
        return dict(self.flows.run(*names))

    @hookable
    def memory_list_tags(self, scope: str = "*") -> dict[str, int]:
        """Return the number of entries for each tag in the scopes that match the glob."""
        return self.store.tags(scope)

    @hookable
    def memory_stats(self) -> MemoryStats:
        """Return counts of entries by scope and status, and what is pending."""
        blackboard = self.blackboard
        scopes = {name: blackboard.entries(name) for name in blackboard.scopes()}
        entries = [each for scope_entries in scopes.values() for each in scope_entries]
        return MemoryStats(
            scopes={name: len(scope_entries) for name, scope_entries in scopes.items()},
            statuses=Counter(each.status for each in entries),
            closed=sum(bool(each.closed) for each in entries),
            fullness={name: blackboard.fullness(name) for name in scopes},
            pending={name: len(self.flows.pending(name)) for name in self.flows.subscriptions},
            faults=sum(blackboard.faults.values()),
        )

    @hookable
    def memory_map(self, expected: Iterable[str] = ()) -> MemoryMap:
        """Return the map of memory; scopes in `expected` are included even when they are empty."""
        return memory_map(self.blackboard, self.flows, expected)

    @hookable
    def memory_gaps(self, expected: Iterable[str] = (), names: Iterable[str] = ()) -> list[str]:
        """Return the gaps of memory: empty scopes and kinds, recalls without results, `names` without entries."""
        found = list(self.memory_map(expected).gaps)
        empty: dict[str, bool] = {}
        for scope in self.blackboard.scopes():
            for entry in self.blackboard.entries(scope, kind=RECOLLECTION):
                recalled = recollection_of(entry)
                empty[encode(recalled.query)] = not recalled.keys  # the latest result counts
        found += [f"nothing was found for {query}" for query, is_empty in empty.items() if is_empty]
        for name in names:
            query = MemoryQuery(place=name, subject=name, max_results=1)
            if not self.store.find(query, now_s=self.blackboard.game_s):
                found.append(f"nothing is known of {name}")
        return found

    def _each(self, scope: str, action: Callable[[str], int]) -> int:
        glob = scope or f"agent:{self.agent_id}:*"
        return sum(action(name) for name in self.blackboard.scopes() if fnmatchcase(name, glob))
