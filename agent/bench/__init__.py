"""What play costs beside the emulator, measured while playing; and what the readers of the screen are worth."""

from agent.bench.figures import Figures
from agent.bench.measure import measure
from agent.bench.page import Row, page, rows

__all__ = ["Figures", "Row", "measure", "page", "rows"]
