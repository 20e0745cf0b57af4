"""The memory of the agent: one blackboard, three tiers, two SQLite files. Independent of the emulator and of the agent."""

from memory.agent_memory import AgentMemory, Recall, open_memory
from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import BlackboardEvent, Entry, scope_name
from memory.codec import Json, as_json
from memory.errors import BusyStore, CorruptStore, Faults, MalformedRecord, MemoryFault, StoreError
from memory.hooks.hooks import Call, ErrorMode, Hooks, hookable
from memory.hooks.producers import Produced, Producers
from memory.observations.observation import Observed
from memory.recall.actions import MemoryActions
from memory.recall.query import RECOLLECTION, MemoryQuery
from memory.store.checkpoints import Checkpoint, CheckpointInfo
from memory.store.files import file_fault
from memory.store.items import MemoryItem
from memory.store.knowledge_store import KnowledgeStore, open_knowledge_store
from memory.store.lasting import read_knowledge_store
from memory.store.record import Branching, EventRow, StepRow, TrailRow, VitalsRow
from memory.store.run_folder import RunFolder, create_run, open_run, read_run
from memory.store.run_store import RunReader, RunStore, open_run_store, read_run_store
from memory.tiers.encounters import (
    MILESTONE_TIME,
    BlockedSquare,
    ShopStockSeen,
    TalkOutcome,
    milestones_of,
)
from memory.tiers.knowledge import MistakeRecord, SuccessfulStrategy
from memory.tiers.lessons import BLACKOUT
from memory.tiers.observer import ACTION
from memory.tiers.strategist import BATTLE, BattleRecord, SessionObjective
