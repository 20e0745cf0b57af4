"""How an agent reads its memory and changes it on purpose: queries, their ranking, and actions."""

from memory.recall.actions import is_open, recollection_of, register_recall_producers
from memory.recall.query import MAINTENANCE, Weights
