"""Many games of one cartridge: played side by side, counted, and drawn. `plots` is apart: it loads slowly."""

from agent.eval.committed import Committed, GameRow, committed
from agent.eval.files import write_csv, write_json
from agent.eval.game import Game, blackouts, game_of
from agent.eval.intervals import (
    Interval,
    mean_gap_interval,
    mean_interval,
    median_interval,
    share_interval,
)
from agent.eval.page import page
from agent.eval.results import Results
from agent.eval.runner import Ended, Runner, play_command

__all__ = [
    "Committed",
    "Ended",
    "Game",
    "GameRow",
    "Interval",
    "Results",
    "Runner",
    "blackouts",
    "committed",
    "game_of",
    "mean_gap_interval",
    "mean_interval",
    "median_interval",
    "page",
    "play_command",
    "share_interval",
    "write_csv",
    "write_json",
]
