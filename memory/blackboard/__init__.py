"""What memory holds at the moment: entries in scopes, with an event for every change."""

from memory.blackboard.blackboard import Transaction
from memory.blackboard.entry import COLLECTIVE, CheckpointPart, EntryKind, Scope, team_scope

__all__ = [
    "COLLECTIVE",
    "CheckpointPart",
    "EntryKind",
    "Scope",
    "Transaction",
    "team_scope",
]
