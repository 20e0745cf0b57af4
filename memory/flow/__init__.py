"""How the levels of memory feed each other, keep themselves tidy, and show what they hold."""

from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.flow.memory_map import MemoryMap

__all__ = ["Flows", "Maintenance", "MemoryMap"]
