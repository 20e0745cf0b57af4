"""The complete memory of one agent: a blackboard, the edges between its scopes, three tiers, and their persistence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import Entry, scope_name
from memory.codec import Json
from memory.errors import OnFault, UnknownMemory
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.flow.memory_map import MemoryMap, memory_map
from memory.hooks.hooks import Hooks
from memory.recall.actions import MemoryActions
from memory.recall.query import SearchableStore
from memory.store.outbox import OutboxWriter
from memory.store.run_store import RunReader, RunStore
from memory.tiers.approaches import approach_kind, situation_kind
from memory.tiers.claims import ClaimChecker
from memory.tiers.consolidator import MemoryConsolidator, consolidation_kind
from memory.tiers.encounters import encounter_kinds
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.lasting import entry_json
from memory.tiers.lessons import LessonTransformers, edges
from memory.tiers.observer import ObserverMemory, observer_kinds
from memory.tiers.strategist import (
    LOCATION,
    OBJECTIVE,
    SESSION_TOTALS,
    StrategistMemory,
    strategist_kinds,
)
from memory.tiers.tactician import TacticianMemory, tactician_kinds

LEVELS: Final = ("sensory", "working", "stm", "ltm:episodic", "ltm:semantic", "ltm:procedural")
SESSION_BEGUN: Final = "session_begun"
SESSION_ENDED: Final = "session_ended"


class Recall:
    """The queries of sensors on the memory of one run and the knowledge it started with; none changes memory."""

    def __init__(
        self,
        blackboard: Blackboard,
        observer: ObserverMemory,
        strategist: StrategistMemory,
        tactician: TacticianMemory,
    ) -> None:
        self._blackboard = blackboard
        self.recent_outcomes = observer.get_recent_outcomes
        self._strategist = strategist
        self.changes = blackboard.changes
        self.fullness = blackboard.fullness
        self.strategies = tactician.get_successful_strategies
        self.mistakes = tactician.get_mistakes_for_context
        self.patterns = tactician.get_relevant_patterns
        self.preference = tactician.get_preference
        self.objective_status = strategist.objective_status

    def recent(self, scope: str, kind: str, limit: int) -> Sequence[Entry]:
        """Return the newest entries of `kind` in `scope`, oldest first."""
        return self._blackboard.entries(scope, kind=kind, limit=limit)

    def visits(self, location_name: str) -> int:
        """Return the number of visits to the place in this session."""
        place = self._strategist.locations_visited.get(location_name)
        return 0 if place is None else place.visit_count


@dataclass(frozen=True, slots=True)
class AgentMemory:
    """The parts of one memory, which share one blackboard; built by `open_memory`."""

    agent_id: str
    blackboard: Blackboard
    flows: Flows
    maintenance: Maintenance
    observer: ObserverMemory
    strategist: StrategistMemory
    tactician: TacticianMemory
    claim_checker: ClaimChecker
    consolidator: MemoryConsolidator
    recall: Recall

    def inherit(self, earlier: Iterable[Entry]) -> None:
        """Write the entries of earlier runs, which have already delivered their lessons from them."""
        self.tactician.inherit(earlier)
        self.flows.skip_pending()

    def end_session(self, store: RunStore, tick: int) -> None:
        """Consolidate the session, save its checkpoint under its id, and begin the next session.

        Subscribers to short-term memory get the end event when nothing is pending any more.
        """
        session_id = self.strategist.session_id
        origin, _, number = session_id.partition("#")
        self.consolidator.consolidate(tick, reason="session_end")
        store.strategist_checkpoints.save(session_id, tick, self.strategist.to_json())
        _write_session_event(self.strategist, SESSION_ENDED, tick)
        next_session = f"{origin}#{int(number or 1) + 1}"
        # Objectives with their results, and places, stay known for the whole game.
        kept = {OBJECTIVE, LOCATION}
        self.strategist.clear_session(session_id=next_session, tick=tick, kept=kept)
        _write_session_event(self.strategist, SESSION_BEGUN, tick)

    def load_strategist_checkpoint(self, run: RunReader, session_id: str) -> StrategistMemory:
        """Return the strategist, restored to the end of the session with that id.

        Raises UnknownMemory when no checkpoint is stored under the id.
        """
        saved = run.strategist_checkpoints.load(session_id)
        if saved is None:
            message = f"no checkpoint of session {session_id!r}; name one that has ended."
            raise UnknownMemory(message)
        self.strategist.restore(cast("dict[str, Any]", saved))
        return self.strategist

    def actions(self, store: SearchableStore, hooks: Hooks) -> MemoryActions:
        """Return the memory actions that the agent can plan."""
        return MemoryActions(
            self.blackboard, store, hooks, self.flows, self.maintenance, self.agent_id
        )

    def map(self) -> MemoryMap:
        """Return the map of this memory, including its empty levels."""
        return memory_map(
            self.blackboard, self.flows, (scope_name(self.agent_id, each) for each in LEVELS)
        )


def open_memory(  # the parts of one agent's memory
    store: RunStore,
    agent_id: str,
    *,
    session_id: str,
    started_at: float,
    config: ConsolidationConfig | None = None,
    on_fault: OnFault | None = None,
) -> AgentMemory:
    """Return the memory in `store` as of its last checkpoint, or a new one.

    `started_at` is the epoch second at which the session began.
    """
    config = config or ConsolidationConfig()
    blackboard = Blackboard(
        store,
        (
            *observer_kinds(),
            *strategist_kinds(),
            *tactician_kinds(config),
            approach_kind(),
            situation_kind(),
            *encounter_kinds(),
            consolidation_kind(),
        ),
        on_fault,
    )
    outgoing = OutboxWriter(store.outbox.add, started_at)
    flows = Flows(blackboard, outgoing.deliver)
    store.attach("flows", flows)  # before there are any: what is pending is looked for once
    flows.add(*edges(agent_id, LessonTransformers(config, session_id, started_at)))

    def archive(entry: Entry, reason: str) -> None:
        """Write an entry that leaves the blackboard to the event log."""
        store.record.add_event(entry.tick, "archived", {**entry_json(entry), "reason": reason})

    maintenance = Maintenance(blackboard, reindex=store.reindex, archive=archive)
    store.attach("maintenance", maintenance)
    observer = ObserverMemory(blackboard, agent_id)
    is_new = not blackboard.entries(scope_name(agent_id, "stm"), kind=SESSION_TOTALS)
    strategist = StrategistMemory(blackboard, agent_id, session_id=session_id)
    if is_new:
        _write_session_event(strategist, SESSION_BEGUN, blackboard.tick)
    tactician = TacticianMemory(blackboard, agent_id)
    claim_checker = ClaimChecker(
        blackboard,
        config,
        semantic=tactician.semantic,
        episodic=tactician.episodic,
        on_closed=lambda entry: outgoing.close(entry, blackboard.game_s),
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
    return AgentMemory(
        agent_id,
        blackboard,
        flows,
        maintenance,
        observer,
        strategist,
        tactician,
        claim_checker,
        consolidator,
        Recall(blackboard, observer, strategist, tactician),
    )


def _write_session_event(strategist: StrategistMemory, kind: str, tick: int) -> None:
    session: dict[str, Json] = {"session_id": strategist.session_id}
    strategist.blackboard.write(strategist.stm, kind, session, tick=tick)
