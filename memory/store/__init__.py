"""The two files: what a run keeps of itself, and the knowledge that outlives runs."""

from memory.store.calls import CallState, ModelCall
from memory.store.checkpoints import Why
from memory.store.database import move_aside, put_back, sync
from memory.store.knowledge_store import KnowledgeReader
from memory.store.merge import Merged
from memory.store.record import BranchedBy
from memory.store.run_folder import own

__all__ = [
    "BranchedBy",
    "CallState",
    "KnowledgeReader",
    "Merged",
    "ModelCall",
    "Why",
    "move_aside",
    "own",
    "put_back",
    "sync",
]
