"""What memory costs at full capacity, and how large it gets."""

from agent.bench.memory.figures import MemoryFigure, MemoryFigures
from agent.bench.memory.measure import Effort, measure_memory
from agent.bench.memory.page import HEAD, MemoryRow, figures_as_markdown, memory_page, memory_rows

__all__ = [
    "HEAD",
    "Effort",
    "MemoryFigure",
    "MemoryFigures",
    "MemoryRow",
    "figures_as_markdown",
    "measure_memory",
    "memory_page",
    "memory_rows",
]
