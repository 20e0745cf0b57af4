"""How an agent reads its memory and changes it on purpose: queries, their ranking, and actions."""

from memory.recall.actions import is_open, recollection_of, watch_actions
from memory.recall.context import gather_context
from memory.recall.query import UPKEEP, Weights

__all__ = ["UPKEEP", "Weights", "gather_context", "is_open", "recollection_of", "watch_actions"]
