"""One memory, three tiers, two files. Knows nothing of the game's machine nor of who plays it."""

from memory.blackboard.blackboard import Blackboard, Subscription
from memory.blackboard.entry import BlackboardEvent, Entry, EntryStore, Part
from memory.blackboard.hooks import Call, Hooks, Registration, hookable
from memory.blackboard.producers import Extractor, Produced, Producers
from memory.blackboard.scopes import Scope, scope_name
from memory.codec import Json, as_json
from memory.errors import (
    CorruptStore,
    ForeignStore,
    MalformedRecord,
    MemoryFault,
    MissingCheckpoint,
    MissingStore,
    NewerStore,
    RunFolderError,
    StoreError,
    UnknownMemory,
    UnknownScope,
)
from memory.recall.port import BlackboardRecall, Recall
from memory.store.knowledge_store import (
    KnowledgeReader,
    KnowledgeStore,
    Provenance,
    open_knowledge_store,
    read_knowledge_store,
)
from memory.store.run_folder import RunFolder, create_run, open_run, read_run
from memory.store.run_reader import RunReader
from memory.store.run_rows import Checkpoint, EventRow, OutboxRow, StepRow
from memory.store.run_store import RunStore, open_run_store, read_run_store
from memory.tiers.consolidator import CONSOLIDATION, SESSION, Consolidation, MemoryConsolidator
from memory.tiers.observer import (
    ACTION,
    SENSORY_INPUT,
    TICK_STATE,
    ActionRecord,
    ObserverMemory,
    SensoryInput,
    TickState,
)
from memory.tiers.settings import ConsolidationConfig
from memory.tiers.strategist import (
    BATTLE,
    LOCATION,
    OBJECTIVE,
    RESOURCES,
    BattleRecord,
    LocationVisited,
    ResourceSnapshot,
    SessionObjective,
    StrategistMemory,
)
from memory.tiers.tactician import (
    LearnedPattern,
    MistakeRecord,
    PlayerPreference,
    SuccessfulStrategy,
    TacticianMemory,
)

__all__ = [
    "ACTION",
    "BATTLE",
    "CONSOLIDATION",
    "LOCATION",
    "OBJECTIVE",
    "RESOURCES",
    "SENSORY_INPUT",
    "SESSION",
    "TICK_STATE",
    "ActionRecord",
    "BattleRecord",
    "Blackboard",
    "BlackboardEvent",
    "BlackboardRecall",
    "Call",
    "Checkpoint",
    "Consolidation",
    "ConsolidationConfig",
    "CorruptStore",
    "Entry",
    "EntryStore",
    "EventRow",
    "Extractor",
    "ForeignStore",
    "Hooks",
    "Json",
    "KnowledgeReader",
    "KnowledgeStore",
    "LearnedPattern",
    "LocationVisited",
    "MalformedRecord",
    "MemoryConsolidator",
    "MemoryFault",
    "MissingCheckpoint",
    "MissingStore",
    "MistakeRecord",
    "NewerStore",
    "ObserverMemory",
    "OutboxRow",
    "Part",
    "PlayerPreference",
    "Produced",
    "Producers",
    "Provenance",
    "Recall",
    "Registration",
    "ResourceSnapshot",
    "RunFolder",
    "RunFolderError",
    "RunReader",
    "RunStore",
    "Scope",
    "SensoryInput",
    "SessionObjective",
    "StepRow",
    "StoreError",
    "StrategistMemory",
    "Subscription",
    "SuccessfulStrategy",
    "TacticianMemory",
    "TickState",
    "UnknownMemory",
    "UnknownScope",
    "as_json",
    "create_run",
    "hookable",
    "open_knowledge_store",
    "open_run",
    "open_run_store",
    "read_knowledge_store",
    "read_run",
    "read_run_store",
    "scope_name",
]
