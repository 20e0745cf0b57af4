"""The memory of one agent, built: a blackboard, the edges between its scopes, three tiers, and how they are saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import EntryStore, scope_name
from memory.errors import UnknownMemory
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.flow.memory_map import MemoryMap, memory_map
from memory.recall.actions import MemoryActions
from memory.recall.port import BlackboardRecall
from memory.store.long_term import RUN, TABLE
from memory.tiers import lessons
from memory.tiers.approaches import approach_kind, situation_kind
from memory.tiers.claims import Truth
from memory.tiers.consolidator import MemoryConsolidator, consolidation_kind
from memory.tiers.encounters import (
    acquaintance_kind,
    belonging_kind,
    encounter_kinds,
    waypoint_kind,
)
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.lessons import Lessons, edges
from memory.tiers.observer import ObserverMemory, observer_kinds
from memory.tiers.strategist import OBJECTIVE, SESSION_TOTALS, StrategistMemory, strategist_kinds
from memory.tiers.tactician import TABLE_OF, TOTALS, TacticianMemory, tactician_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memory.blackboard.entry import Entry
    from memory.codec import Json
    from memory.errors import OnFault
    from memory.flow.subscription import Derived
    from memory.hooks.hooks import Hooks
    from memory.recall.query import Searched
    from memory.store.knowledge_store import KnowledgeReader, KnowledgeStore
    from memory.store.run_store import RunReader, RunStore
    from memory.tiers.knowledge import Knowledge


class MemoryDatabaseMixin:
    """Saves and loads the tiers of whoever has them.

    Play itself needs none of it: its entries are in the run's file, and lessons reach those to come by the outbox.
    It is for taking knowledge along by hand, and for looking at a session that has ended.
    """

    __slots__ = ()
    strategist: StrategistMemory
    tactician: TacticianMemory

    def save_tactician_memory(self, db: KnowledgeStore) -> None:
        """Make `db` hold what the tactician knows; what it has let go of goes to the archive there."""
        db.save_knowledge(self.tactician.knowledge())

    def load_tactician_memory(self, db: KnowledgeReader) -> TacticianMemory:
        """Return the tactician, who now knows what `db` holds as well."""
        self.tactician.take_over(db.load_knowledge(), origins=db.origins())
        return self.tactician

    def save_strategist_checkpoint(self, db: RunStore, session_id: str, *, tick: int) -> None:
        """Keep the session as it is now in `db`, under its name, at the next commit."""
        db.save_strategist_checkpoint(session_id, tick, self.strategist.to_json())

    def load_strategist_checkpoint(self, db: RunReader, session_id: str) -> StrategistMemory:
        """Return the strategist, who now is what `save_strategist_checkpoint` kept under that name.

        Raises:
            UnknownMemory: when nothing is kept under it.
        """
        kept = db.load_strategist_checkpoint(session_id)
        if kept is None:
            message = f"no checkpoint of session {session_id!r}; name one that has ended."
            raise UnknownMemory(message)
        self.strategist.restore(cast("dict[str, Any]", kept))
        return self.strategist


LEVELS: Final = ("sensory", "working", "stm", "ltm:episodic", "ltm:semantic", "ltm:procedural")
SESSION_BEGUN: Final = "session_begun"
SESSION_ENDED: Final = "session_ended"


class RunMemory(EntryStore, Protocol):
    """The file of a run, as memory needs it."""

    def enqueue(self, tick: int, kind: lessons.LessonKind, payload: Mapping[str, Json]) -> None:
        """Keep one lesson at the next commit."""

    def reindex(self) -> int:
        """Build the index of words anew."""

    def append_event(self, tick: int, kind: str, payload: Mapping[str, Json]) -> None:
        """Keep one event at the next commit."""


@dataclass(frozen=True, slots=True)
class AgentMemory(MemoryDatabaseMixin):
    """All the parts, which share one blackboard; built by `open_memory`."""

    agent_id: str
    blackboard: Blackboard
    flows: Flows
    maintenance: Maintenance
    observer: ObserverMemory
    strategist: StrategistMemory
    tactician: TacticianMemory
    truth: Truth
    consolidator: MemoryConsolidator
    recall: BlackboardRecall

    def take_over(
        self,
        known: Knowledge,
        entries: Iterable[Entry] = (),
        *,
        origins: Mapping[tuple[str, str], Sequence[str]] | None = None,
    ) -> None:
        """Write what earlier runs left, as known from the first moment, each with the runs it comes from."""
        self.tactician.take_over(known, origins=origins)
        for old in entries:
            known_again = self.blackboard.write(
                old.scope,
                old.kind,
                old.data,
                tick=0,
                game_s=0.0,
                tags=old.tags,
                importance=old.importance,
                key=old.key or None,
                status=old.status,
                sources=old.sources,
            )
            self.blackboard.revise(known_again, relevance=old.relevance, utility=old.utility)
        # What others have learnt is nothing to learn from once more.
        self.flows.skip_pending()

    def end_session(self, store: RunStore, tick: int) -> None:
        """Move up what the session taught, keep what it was under its name, and begin the next one.

        Whoever watches short-term memory hears of the end when nothing is pending any more.
        """
        session_id = self.strategist.session_id
        origin, _, number = session_id.partition("#")
        self.consolidator.consolidate(tick, reason="session_end")
        self.save_strategist_checkpoint(store, session_id, tick=tick)
        _tell_of_session(self.strategist, SESSION_ENDED, tick)
        following = f"{origin}#{int(number or 1) + 1}"
        # What the game was asked to reach, and has, stays known for as long as it goes on.
        self.strategist.clear_session(session_id=following, tick=tick, kept={OBJECTIVE})
        _tell_of_session(self.strategist, SESSION_BEGUN, tick)

    def actions(self, store: Searched, hooks: Hooks) -> MemoryActions:
        """Return what the agent may do with this memory on purpose."""
        return MemoryActions(
            self.blackboard, store, hooks, self.flows, self.maintenance, self.agent_id
        )

    def map(self) -> MemoryMap:
        """Return the map of this memory, its empty levels included."""
        return memory_map(
            self.blackboard, self.flows, (scope_name(self.agent_id, each) for each in LEVELS)
        )


def open_memory(  # what one agent's memory is made from
    store: RunMemory,
    agent_id: str,
    *,
    session_id: str,
    started_at: float,
    config: ConsolidationConfig | None = None,
    on_fault: OnFault | None = None,
) -> AgentMemory:
    """Return the memory in `store` as of its last checkpoint, or a new one.

    `started_at` is the epoch second that game second 0 stands for.
    """
    config = config or ConsolidationConfig()
    records = (*observer_kinds(), *strategist_kinds(), *tactician_kinds(config))
    learnt = (waypoint_kind(), acquaintance_kind(), belonging_kind(), *encounter_kinds())
    kinds = (*records, approach_kind(), situation_kind(), *learnt)
    blackboard = Blackboard(store, (*kinds, consolidation_kind()), on_fault)
    flows = Flows(blackboard, _delivery(store, started_at))
    flows.add(*edges(agent_id, Lessons(config, session_id, started_at)))
    store.attach("flows", flows)
    maintenance = Maintenance(blackboard, index=store, archive=_archive(store))
    store.attach("maintenance", maintenance)
    observer = ObserverMemory(blackboard, agent_id)
    is_new = not blackboard.entries(scope_name(agent_id, "stm"), kind=SESSION_TOTALS)
    strategist = StrategistMemory(blackboard, agent_id, session_id=session_id)
    if is_new:
        _tell_of_session(strategist, SESSION_BEGUN, blackboard.tick)
    tactician = TacticianMemory(blackboard, agent_id)
    truth = Truth(
        blackboard,
        config,
        semantic=tactician.semantic,
        episodic=tactician.episodic,
        tell=_closing(blackboard, store, started_at),
    )
    consolidator = MemoryConsolidator(
        config,
        observer,
        strategist,
        tactician,
        flows=flows,
        maintenance=maintenance,
        started_at=started_at,
    )
    recall = BlackboardRecall(blackboard, strategist, tactician)
    return AgentMemory(
        agent_id,
        blackboard,
        flows,
        maintenance,
        observer,
        strategist,
        tactician,
        truth,
        consolidator,
        recall,
    )


def _tell_of_session(strategist: StrategistMemory, kind: str, tick: int) -> None:
    blackboard, session = strategist.blackboard, {"session_id": strategist.session_id}
    blackboard.write(strategist.stm, kind, session, tick=tick, game_s=blackboard.game_s)


def _delivery(store: RunMemory, started_at: float) -> Any:  # noqa: ANN401  # what Flows calls Deliver
    def deliver(entry: Entry, derived: Derived) -> None:
        """Put what is new of a lesson in the outbox: totals as they are, records with what they rest on."""
        if derived.kind == TOTALS:
            store.enqueue(entry.tick, "totals", derived.data)
        elif derived.kind in TABLE_OF:
            evidence: dict[str, Json] = {"status": entry.status, "sources": list(derived.sources)}
            store.enqueue(entry.tick, derived.kind, {**derived.data, **evidence})  # type: ignore[arg-type]
        else:
            store.enqueue(entry.tick, "entry", {**_whole(entry), "at": started_at + entry.game_s})

    return deliver


def _closing(blackboard: Blackboard, store: RunMemory, started_at: float) -> Any:  # noqa: ANN401  # what Truth calls Tell
    def close(entry: Entry) -> None:
        """Tell those to come that a piece of knowledge no longer holds."""
        why: dict[str, Json] = {
            "reason": entry.closed,
            "evidence": list(entry.sources),
            "status": entry.status,
            "at": started_at + blackboard.game_s,
        }
        kind, _, memory_id = entry.key.partition(":")
        if kind in TABLE_OF:
            store.enqueue(entry.tick, "close", {"table": TABLE_OF[kind], "id": memory_id, **why})
            return
        origins = [each.removeprefix(RUN) for each in entry.sources if each.startswith(RUN)]
        for name in [f"{origin}/{entry.key}" for origin in origins] or [entry.key]:
            store.enqueue(entry.tick, "close", {"table": TABLE, "id": name, **why})

    return close


def _archive(store: RunMemory) -> Any:  # noqa: ANN401  # what Maintenance calls Archive
    def archive(entry: Entry, reason: str) -> None:
        """Keep in the event log what leaves the blackboard."""
        store.append_event(entry.tick, "archived", {**_whole(entry), "reason": reason})

    return archive


def _whole(entry: Entry) -> dict[str, Json]:
    return {
        "scope": entry.scope,
        "kind": entry.kind,
        "key": entry.key,
        "data": entry.data,
        "tags": sorted(entry.tags),
        "importance": entry.importance,
        "status": entry.status,
        "sources": list(entry.sources),
        "tick": entry.tick,
        "game_s": entry.game_s,
        "relevance": entry.relevance,
        "utility": entry.utility,
        "closed": entry.closed,
    }
