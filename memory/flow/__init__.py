"""How the levels of memory feed each other, keep themselves tidy, and show what they hold."""

from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance, Upkeep
from memory.flow.memory_map import MemoryMap, memory_map
from memory.flow.subscription import (
    AllOf,
    AnyOf,
    Derived,
    Filtering,
    Fullness,
    MemorySubscription,
    OnDemand,
    Periodic,
    Summarizing,
    TagFilter,
    Threshold,
    identity,
)

__all__ = [
    "AllOf",
    "AnyOf",
    "Derived",
    "Filtering",
    "Flows",
    "Fullness",
    "Maintenance",
    "MemoryMap",
    "MemorySubscription",
    "OnDemand",
    "Periodic",
    "Summarizing",
    "TagFilter",
    "Threshold",
    "Upkeep",
    "identity",
    "memory_map",
]
