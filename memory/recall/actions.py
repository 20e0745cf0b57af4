"""What an agent may do with its memory on purpose. Each takes no step of the game, and each can be watched."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from memory.blackboard.scopes import scope_name
from memory.errors import MalformedRecord
from memory.flow.memory_map import MemoryMap, memory_map
from memory.hooks.hookable import hookable
from memory.hooks.hooks import Hooks
from memory.recall.gaps import gaps
from memory.recall.notes import Note, refuse_lesser
from memory.recall.recollection import judge, learn_outcome
from memory.recall.stats import MemoryStats, stats

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from memory.blackboard.blackboard import Blackboard
    from memory.blackboard.entry import Entry
    from memory.codec import Json
    from memory.flow.flows import Flows
    from memory.flow.maintenance import Maintenance
    from memory.recall.query import MemoryQuery
    from memory.recall.ranking import Found, Searched


@dataclass(frozen=True, slots=True)
class MemoryActions:
    """The deeds of one agent upon its memory. Where no scope is named, all of its own are meant."""

    blackboard: Blackboard
    store: Searched
    hooks: Hooks
    flows: Flows
    maintenance: Maintenance
    agent_id: str

    def memory_recall(self, query: MemoryQuery, why: str = "") -> list[Entry]:
        """Return what answers `query`, the best first; `why` is kept with the recollection."""
        return [each.entry for each in self.memory_recall_with_scores(query, why)]

    @hookable
    def memory_recall_with_scores(self, query: MemoryQuery, why: str = "") -> list[Found]:
        """Return what answers `query` and how well, the best first."""
        return self.store.find(query, now_s=self.blackboard.game_s)

    @hookable
    def memory_learn_outcome(self, keys: Iterable[str], *, useful: bool) -> int:
        """Return how many entries count for more or less from now on, by how recalling them turned out."""
        return learn_outcome(self.blackboard, keys, useful=useful)

    @hookable
    def memory_judge(self, recollection: Entry, *, useful: bool) -> int:
        """Return how many entries count for more or less by what came of one recall, which is judged once."""
        return judge(self.blackboard, recollection, useful=useful)

    @hookable
    def memory_store(
        self,
        data: Mapping[str, Json],
        tags: Collection[str] = (),
        metadata: Mapping[str, Json] | None = None,
    ) -> str:
        """Return the key of the entry made of `data`; `metadata` are fields of a `Note`.

        Raises:
            MalformedRecord: when it claims more than whoever says so can know.
        """
        note = Note.of(metadata or {})
        scope = note.scope or scope_name(self.agent_id, "working")
        if note.key is not None:
            refuse_lesser(self.blackboard.get(scope, note.key), note)
        entry = self.blackboard.write(
            scope,
            note.kind,
            data,
            tick=self.blackboard.tick,
            game_s=self.blackboard.game_s,
            tags=tags,
            importance=note.importance,
            ttl_s=note.ttl_s,
            key=note.key,
            status=note.status,
            sources=note.sources,
            by=self.agent_id,
        )
        return entry.key

    @hookable
    def memory_forget(
        self,
        keys: Collection[str] = (),
        tags: Collection[str] = (),
        older_than_s: float | None = None,
        scope: str = "",
    ) -> int:
        """Return how many entries went: those of `keys`, with all `tags`, of more than an age.

        What was given must all hold, and something must be given. Entries of lasting kinds stay.
        """
        if not keys and not tags and older_than_s is None:
            message = "memory_forget would forget everything; name keys, tags or an age."
            raise MalformedRecord(message)
        now, wanted = self.blackboard.game_s, frozenset(tags)

        def is_meant(entry: Entry) -> bool:
            return (
                (not keys or entry.key in keys)
                and wanted <= entry.tags
                and (older_than_s is None or now - entry.game_s > older_than_s)
                and not self._lasts(entry)
            )

        return self._each(scope, lambda name: self._forget(name, is_meant))

    @hookable
    def memory_deduplicate(self, threshold: float = 0.95, scope: str = "") -> int:
        """Return how many entries became one with another that says the same."""
        return self._each(scope, lambda name: self.maintenance.deduplicate(name, threshold))

    @hookable
    def memory_prune(self, threshold: float = 0.1, scope: str = "") -> int:
        """Return how many entries went for having faded below `threshold`."""
        return self._each(scope, lambda name: self.maintenance.prune(name, threshold))

    @hookable
    def memory_transfer_raw(self, source: str, target: str, tags: Collection[str] = ()) -> int:
        """Return how many entries of scope `source` with all `tags` were copied to `target` as they are.

        Each keeps its key, which tells where it comes from, so that copying again changes nothing.
        """
        copied = 0
        for entry in self.blackboard.entries(source):
            there = self.blackboard.get(target, entry.key)
            if entry.closed or not frozenset(tags) <= entry.tags:
                continue
            if there is None or there.data != entry.data:
                self._copy(entry, target)
                copied += 1
        return copied

    @hookable
    def memory_ingest_now(self, *names: str) -> dict[str, int]:
        """Return how many entries of each kind came of carrying on what is pending, all or by edge."""
        return dict(self.flows.run(*names))

    @hookable
    def memory_list_tags(self, scope: str = "*") -> dict[str, int]:
        """Return every tag in the scopes that the glob names, and how many entries carry it."""
        return self.store.tags(scope)

    @hookable
    def memory_stats(self) -> MemoryStats:
        """Return how much there is, how far it is to be trusted, and what is waiting."""
        return stats(self.blackboard, self.flows)

    @hookable
    def memory_map(self, expected: Iterable[str] = ()) -> MemoryMap:
        """Return the whole layout of memory; scopes in `expected` are shown also when they are empty."""
        return memory_map(self.blackboard, self.flows, expected)

    @hookable
    def memory_gaps(self, expected: Iterable[str] = (), names: Iterable[str] = ()) -> list[str]:
        """Return what memory does not know: empty scopes and kinds, vain recalls, `names` never met."""
        known = self.memory_map(expected).gaps
        return [*known, *gaps(self.blackboard, self.store, names)]

    def _each(self, scope: str, deed: Callable[[str], int]) -> int:
        glob = scope or f"agent:{self.agent_id}:*"
        return sum(deed(name) for name in self.blackboard.scopes() if fnmatchcase(name, glob))

    def _forget(self, scope: str, is_meant: Callable[[Entry], bool]) -> int:
        keys = {each.key for each in self.blackboard.entries(scope) if is_meant(each)}
        return self.blackboard.forget(scope, keys=keys)

    def _lasts(self, entry: Entry) -> bool:
        policy = self.blackboard.kinds.get(entry.kind)
        return policy is not None and policy.lasting

    def _copy(self, entry: Entry, target: str) -> None:
        blackboard = self.blackboard
        copy = blackboard.write(
            target,
            entry.kind,
            entry.data,
            tick=blackboard.tick,
            game_s=blackboard.game_s,
            tags=entry.tags,
            importance=entry.importance,
            key=entry.key,
            status=entry.status,
            sources=(*entry.sources, f"tick:{entry.tick}"),
            by=self.agent_id,
        )
        blackboard.revise(copy, utility=entry.utility)
