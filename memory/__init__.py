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
    BusyStore,
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
from memory.faults import Faults
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
from memory.inspection import Repaired, check_file, repair_file
from memory.letting_go import let_go_of, name_of
from memory.looking import Delivered, Look, Match, looking_at, weights_of
from memory.merging import Merged
from memory.observations.block import observations_block
from memory.observations.capture import Capture
from memory.observations.extractors import Extract, Extractors, Result, Table
from memory.observations.observation import Observation, ObservationQuery, Observed
from memory.observations.section import Section, Telling
from memory.observations.tools import TOOL_SECTIONS, TOOLS
from memory.recall.actions import MemoryActions
from memory.recall.context import Context, gather_context
from memory.recall.port import BlackboardRecall, Recall
from memory.recall.query import RECOLLECTION, UPKEEP, MemoryQuery
from memory.recall.ranking import Found, Score, Searched, Weights, explain
from memory.recall.recollection import Recollection, is_open, recollection_of, watch_actions
from memory.recall.stats import MemoryStats
from memory.sharing import MemoryManagementAgent
from memory.store.aside import move_aside, put_back, sync
from memory.store.calls import Call as CallRow
from memory.store.calls import CallState
from memory.store.checks.finding import Finding
from memory.store.items import Item, Totals
from memory.store.knowledge_reader import KnowledgeReader
from memory.store.knowledge_store import (
    KnowledgeStore,
    KnowledgeUpkeep,
    open_knowledge_store,
    read_knowledge_store,
)
from memory.store.provenance import Provenance
from memory.store.run_folder import RunFolder, create_run, open_run, own, read_run
from memory.store.run_reader import RunReader
from memory.store.run_rows import (
    BranchedBy,
    Branching,
    Checkpoint,
    CheckpointMark,
    EventRow,
    OutboxRow,
    StepRow,
    Team,
    TrailRow,
    VitalsRow,
    Why,
)
from memory.store.run_store import RunStore, open_run_store, read_run_store
from memory.store.salvage import Salvaged, salvage
from memory.store.sound import flaw_in
from memory.tiers.acquaintances import ACQUAINTANCE, Acquaintance
from memory.tiers.belongings import BELONGING, Belonging
from memory.tiers.consolidator import CONSOLIDATION, Consolidation, MemoryConsolidator
from memory.tiers.edges import BLACKOUT, SESSION
from memory.tiers.encounters import (
    BARRED,
    ENCOUNTERS,
    HEARD,
    SHELF,
    PersonHeard,
    ShelfSeen,
    WayBarred,
)
from memory.tiers.journeys import WAYPOINT, milestones_of
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
    TEAM,
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
    "ACQUAINTANCE",
    "ACTION",
    "BARRED",
    "BATTLE",
    "BELONGING",
    "BLACKOUT",
    "COLLECTIVE",
    "CONSOLIDATION",
    "ENCOUNTERS",
    "HEARD",
    "LOCATION",
    "OBJECTIVE",
    "RECOLLECTION",
    "RESOURCES",
    "SENSORY_INPUT",
    "SESSION",
    "SHELF",
    "TEAM",
    "TICK_STATE",
    "TOOLS",
    "TOOL_SECTIONS",
    "UPKEEP",
    "WAYPOINT",
    "Acquaintance",
    "ActionRecord",
    "AgentMemory",
    "AllOf",
    "AnyOf",
    "BattleRecord",
    "Belonging",
    "Blackboard",
    "BlackboardEvent",
    "BlackboardRecall",
    "BranchedBy",
    "Branching",
    "BusyStore",
    "Call",
    "CallRow",
    "CallState",
    "Capture",
    "Checkpoint",
    "CheckpointMark",
    "Conflict",
    "Consolidation",
    "ConsolidationConfig",
    "Context",
    "CorruptStore",
    "Delivered",
    "Derived",
    "Edge",
    "Entry",
    "EntryStore",
    "ErrorMode",
    "EventRow",
    "Extract",
    "Extractor",
    "Extractors",
    "Faults",
    "Filtering",
    "Finding",
    "Flows",
    "ForbiddenWrite",
    "ForeignStore",
    "Found",
    "Fullness",
    "Handler",
    "Hooks",
    "Item",
    "Json",
    "Kind",
    "Knowledge",
    "KnowledgeReader",
    "KnowledgeStore",
    "KnowledgeUpkeep",
    "LearnedPattern",
    "Listener",
    "LocationVisited",
    "Look",
    "Maintenance",
    "MalformedRecord",
    "Match",
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
    "Observation",
    "ObservationQuery",
    "Observed",
    "ObserverMemory",
    "OnDemand",
    "OutboxRow",
    "Part",
    "Periodic",
    "PersonHeard",
    "PlayerPreference",
    "Pointcut",
    "Proceed",
    "Produced",
    "Producers",
    "Provenance",
    "Recall",
    "Recollection",
    "Registration",
    "Repaired",
    "ResourceSnapshot",
    "Result",
    "RunFolder",
    "RunFolderError",
    "RunReader",
    "RunStore",
    "Salvaged",
    "Scope",
    "ScopeMap",
    "Score",
    "Searched",
    "Section",
    "SensoryInput",
    "SessionObjective",
    "SessionTotals",
    "ShelfSeen",
    "StepRow",
    "StoreError",
    "StrategistMemory",
    "SuccessfulStrategy",
    "Summarizing",
    "Table",
    "TacticianMemory",
    "TagFilter",
    "Team",
    "Telling",
    "Threshold",
    "TickState",
    "Totals",
    "TrailRow",
    "Transaction",
    "UnknownMemory",
    "UnknownScope",
    "Upkeep",
    "View",
    "VitalsRow",
    "WayBarred",
    "Weights",
    "Why",
    "as_json",
    "check_file",
    "create_run",
    "explain",
    "flaw_in",
    "gather_context",
    "hookable",
    "identity",
    "is_open",
    "let_go_of",
    "looking_at",
    "memory_map",
    "milestones_of",
    "move_aside",
    "name_of",
    "observations_block",
    "of_kinds",
    "open_knowledge_store",
    "open_memory",
    "open_run",
    "open_run_store",
    "own",
    "put_back",
    "read_knowledge_store",
    "read_run",
    "read_run_store",
    "recollection_of",
    "repair_file",
    "salvage",
    "scope_name",
    "sync",
    "team_scope",
    "watch_actions",
    "weights_of",
]
