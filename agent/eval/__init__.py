"""Many games of one cartridge: played side by side, counted, and drawn. `plots` is apart: it loads slowly."""

from agent.eval.files import write_csv, write_json
from agent.eval.game import Game, game_of
from agent.eval.intervals import Interval, median_interval, share_interval
from agent.eval.page import page
from agent.eval.results import Results
from agent.eval.runner import Ended, Runner, play_command

__all__ = [
    "Ended",
    "Game",
    "Interval",
    "Results",
    "Runner",
    "game_of",
    "median_interval",
    "page",
    "play_command",
    "share_interval",
    "write_csv",
    "write_json",
]
