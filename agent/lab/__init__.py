"""Measurements of play: many games, speed, battles, memory, the model, and a memory exam. Nothing below knows it."""

from agent.lab.eval import (
    Committed,
    EvalGame,
    EvalResults,
    GameRow,
    committed,
    eval_page,
    game_of,
    write_csv,
    write_json,
)
from agent.lab.runner import EndedGame, Runner, play_command
from agent.lab.stats import (
    SpeedFigures,
    mean_gap_interval,
    mean_interval,
    median_interval,
    share_interval,
)

__all__ = [
    "Committed",
    "EndedGame",
    "EvalGame",
    "EvalResults",
    "GameRow",
    "Runner",
    "SpeedFigures",
    "committed",
    "eval_page",
    "game_of",
    "mean_gap_interval",
    "mean_interval",
    "median_interval",
    "play_command",
    "share_interval",
    "write_csv",
    "write_json",
]
