"""The same games with what others taught, with an empty memory, and without each use of it. `plot` is apart: it loads slowly."""

from agent.bench.experience.arms import EMPTY, TAUGHT, Arm, arms
from agent.bench.experience.experiment import Experiment, Plan, experiment_json
from agent.bench.experience.games import Game, Order, play_game, play_on
from agent.bench.experience.lessons import Lessons, lessons_of, teach
from agent.bench.experience.page import experiment_page
from agent.bench.experience.tables import PAIRED_HEAD, paired_rows, use_rows
from agent.bench.experience.trials import Trials, play_trials

__all__ = [
    "EMPTY",
    "PAIRED_HEAD",
    "TAUGHT",
    "Arm",
    "Experiment",
    "Game",
    "Lessons",
    "Order",
    "Plan",
    "Trials",
    "arms",
    "experiment_json",
    "experiment_page",
    "lessons_of",
    "paired_rows",
    "play_game",
    "play_on",
    "play_trials",
    "teach",
    "use_rows",
]
