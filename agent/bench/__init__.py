"""What play costs beside the emulator, what the readers of the screen are worth, and how much battles are won by thinking."""

from agent.bench.battle_page import HEAD, battle_json, battle_page, battle_rows
from agent.bench.battles import Pair, fight_pairs
from agent.bench.figures import Figures
from agent.bench.measure import measure
from agent.bench.page import Row, page, rows

__all__ = [
    "HEAD",
    "Figures",
    "Pair",
    "Row",
    "battle_json",
    "battle_page",
    "battle_rows",
    "fight_pairs",
    "measure",
    "page",
    "rows",
]
