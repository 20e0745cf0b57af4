"""One memory, three tiers, two files. Knows nothing of the game's machine nor of who plays it."""

from memory.agent_memory import AgentMemory, open_memory
from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import BlackboardEvent, Entry, EntryStore, Part
from memory.blackboard.kinds import Kind
from memory.blackboard.listeners import Listener
from memory.blackboard.scopes import COLLECTIVE, Scope, scope_name, team_scope
from memory.blackboard.transaction import Transaction
from memory.blackboard.view import View
from memory.codec import Json, as_json
from memory.errors import (
    Conflict,
    CorruptStore,
    ForbiddenWrite,
    ForeignStore,
    MalformedRecord,
    MemoryFault,
    MissingCheckpoint,
    MissingStore,
    NewerStore,
    NotHookable,
    RunFolderError,
    StoreError,
    UnknownMemory,
    UnknownScope,
)
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance, Upkeep
from memory.flow.memory_map import Edge, MemoryMap, ScopeMap, memory_map
from memory.flow.subscription import Derived, MemorySubscription, TagFilter, of_kinds
from memory.flow.transformers import Filtering, Summarizing, identity
from memory.flow.triggers import AllOf, AnyOf, Fullness, OnDemand, Periodic, Threshold
from memory.hooks.hookable import hookable
from memory.hooks.hooks import Hooks
from memory.hooks.pointcut import Pointcut
from memory.hooks.producers import Extractor, Produced, Producers
from memory.hooks.registration import Call, ErrorMode, Handler, Registration
from memory.hooks.wrapping import Proceed
from memory.merging import Merged
from memory.recall.actions import MemoryActions
from memory.recall.context import Context, gather_context
from memory.recall.port import BlackboardRecall, Recall
from memory.recall.query import RECOLLECTION, UPKEEP, MemoryQuery
from memory.recall.ranking import Found, Score, Searched, Weights, explain
from memory.recall.recollection import Recollection, is_open, recollection_of, watch_actions
from memory.recall.stats import MemoryStats
from memory.sharing import MemoryManagementAgent
from memory.store.knowledge_reader import KnowledgeReader
from memory.store.knowledge_store import (
    KnowledgeStore,
    KnowledgeUpkeep,
    open_knowledge_store,
    read_knowledge_store,
)
from memory.store.provenance import Provenance
from memory.store.run_folder import RunFolder, create_run, open_run, read_run
from memory.store.run_reader import RunReader
from memory.store.run_rows import Checkpoint, EventRow, OutboxRow, StepRow
from memory.store.run_store import RunStore, open_run_store, read_run_store
from memory.tiers.consolidator import CONSOLIDATION, Consolidation, MemoryConsolidator
from memory.tiers.edges import SESSION, WAYPOINT
from memory.tiers.knowledge import (
    Knowledge,
    LearnedPattern,
    MistakeRecord,
    PlayerPreference,
    SuccessfulStrategy,
)
from memory.tiers.observer import (
    ACTION,
    SENSORY_INPUT,
    TICK_STATE,
    ActionRecord,
    ObserverMemory,
    SensoryInput,
    TickState,
)
from memory.tiers.session_records import (
    BATTLE,
    LOCATION,
    OBJECTIVE,
    RESOURCES,
    BattleRecord,
    LocationVisited,
    ResourceSnapshot,
    SessionObjective,
    SessionTotals,
)
from memory.tiers.settings import ConsolidationConfig
from memory.tiers.strategist import StrategistMemory
from memory.tiers.tactician import TacticianMemory

__all__ = [
    "ACTION",
    "BATTLE",
    "COLLECTIVE",
    "CONSOLIDATION",
    "LOCATION",
    "OBJECTIVE",
    "RECOLLECTION",
    "RESOURCES",
    "SENSORY_INPUT",
    "SESSION",
    "TICK_STATE",
    "UPKEEP",
    "WAYPOINT",
    "ActionRecord",
    "AgentMemory",
    "AllOf",
    "AnyOf",
    "BattleRecord",
    "Blackboard",
    "BlackboardEvent",
    "BlackboardRecall",
    "Call",
    "Checkpoint",
    "Conflict",
    "Consolidation",
    "ConsolidationConfig",
    "Context",
    "CorruptStore",
    "Derived",
    "Edge",
    "Entry",
    "EntryStore",
    "ErrorMode",
    "EventRow",
    "Extractor",
    "Filtering",
    "Flows",
    "ForbiddenWrite",
    "ForeignStore",
    "Found",
    "Fullness",
    "Handler",
    "Hooks",
    "Json",
    "Kind",
    "Knowledge",
    "KnowledgeReader",
    "KnowledgeStore",
    "KnowledgeUpkeep",
    "LearnedPattern",
    "Listener",
    "LocationVisited",
    "Maintenance",
    "MalformedRecord",
    "MemoryActions",
    "MemoryConsolidator",
    "MemoryFault",
    "MemoryManagementAgent",
    "MemoryMap",
    "MemoryQuery",
    "MemoryStats",
    "MemorySubscription",
    "Merged",
    "MissingCheckpoint",
    "MissingStore",
    "MistakeRecord",
    "NewerStore",
    "NotHookable",
    "ObserverMemory",
    "OnDemand",
    "OutboxRow",
    "Part",
    "Periodic",
    "PlayerPreference",
    "Pointcut",
    "Proceed",
    "Produced",
    "Producers",
    "Provenance",
    "Recall",
    "Recollection",
    "Registration",
    "ResourceSnapshot",
    "RunFolder",
    "RunFolderError",
    "RunReader",
    "RunStore",
    "Scope",
    "ScopeMap",
    "Score",
    "Searched",
    "SensoryInput",
    "SessionObjective",
    "SessionTotals",
    "StepRow",
    "StoreError",
    "StrategistMemory",
    "SuccessfulStrategy",
    "Summarizing",
    "TacticianMemory",
    "TagFilter",
    "Threshold",
    "TickState",
    "Transaction",
    "UnknownMemory",
    "UnknownScope",
    "Upkeep",
    "View",
    "Weights",
    "as_json",
    "create_run",
    "explain",
    "gather_context",
    "hookable",
    "identity",
    "is_open",
    "memory_map",
    "of_kinds",
    "open_knowledge_store",
    "open_memory",
    "open_run",
    "open_run_store",
    "read_knowledge_store",
    "read_run",
    "read_run_store",
    "recollection_of",
    "scope_name",
    "team_scope",
    "watch_actions",
]
