"""What memory costs at full capacity, and how large it gets."""

from agent.bench.memory.figures import MemoryFigure, MemoryFigures
from agent.bench.memory.measure import Effort, measure_memory
from agent.bench.memory.page import HEAD, MemoryRow, memory_page, memory_rows

__all__ = [
    "HEAD",
    "Effort",
    "MemoryFigure",
    "MemoryFigures",
    "MemoryRow",
    "measure_memory",
    "memory_page",
    "memory_rows",
]
