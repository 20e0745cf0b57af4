"""The two SQLite files of memory: the record of one run, and the knowledge that outlives runs."""

from memory.store.calls import (
    Booking,
    CallLedger,
    CallOutcome,
    CallState,
    CallSums,
    ModelCall,
    Sums,
)
from memory.store.checkpoints import CheckpointReason
from memory.store.checks.finding import CheckFinding
from memory.store.conversation_record import Message, MessageOrigin
from memory.store.copies import quarantine, restore_copy
from memory.store.lasting import KnowledgeReader
from memory.store.record import BranchedBy
from memory.store.run_folder import (
    COPIES,
    MEMORY_AT_START,
    SETTINGS,
    STORE,
    has_played_nothing,
    own,
)
