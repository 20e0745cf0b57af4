"""The two SQLite files of memory: the record of one run, and the knowledge that outlives runs.

What only some runs need is loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

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
from memory.store.database import quarantine, restore_copy
from memory.store.knowledge_store import KnowledgeReader
from memory.store.record import BranchedBy
from memory.store.run_folder import (
    COPIES,
    MEMORY_AT_START,
    SETTINGS,
    STORE,
    has_played_nothing,
    own,
)

if TYPE_CHECKING:
    from memory.store.merge import MergeResult
else:
    LATER: Final = {"MergeResult": "memory.store.merge"}

    def __getattr__(name: str) -> object:
        """Return a name of LATER."""
        if name in LATER:
            return getattr(import_module(LATER[name]), name)
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
