"""What play costs beside the emulator, how well battles are fought, and what memory and a model cost and gain."""

from agent.lab.bench.battle_results import BATTLE_HEAD, battle_json, battle_page, battle_rows
from agent.lab.bench.battles import BattlePair, fight_pairs
from agent.lab.bench.experience import Experiment, ExperimentPlan, experiment_json
from agent.lab.bench.experience_page import PAIRED_HEAD, experiment_page, paired_rows, use_rows
from agent.lab.bench.limits import HEAD, MemoryFigure, MemoryFigures, memory_page, memory_rows
from agent.lab.bench.memory import MemoryEffort, measure_memory
from agent.lab.bench.model import ModelEffort
from agent.lab.bench.model_games import CallTokens, ConversationTokens
from agent.lab.bench.speed import measure_speed, speed_page, speed_rows
from agent.lab.bench.trials import (
    EMPTY,
    TAUGHT,
    Arm,
    TaughtMemory,
    TrialGame,
    TrialOrder,
    Trials,
    arms,
    lessons_of,
    play_game,
    play_on,
    play_trials,
    teach,
)

__all__ = [
    "BATTLE_HEAD",
    "EMPTY",
    "HEAD",
    "PAIRED_HEAD",
    "TAUGHT",
    "Arm",
    "BattlePair",
    "CallTokens",
    "ConversationTokens",
    "Experiment",
    "ExperimentPlan",
    "MemoryEffort",
    "MemoryFigure",
    "MemoryFigures",
    "ModelEffort",
    "TaughtMemory",
    "TrialGame",
    "TrialOrder",
    "Trials",
    "arms",
    "battle_json",
    "battle_page",
    "battle_rows",
    "experiment_json",
    "experiment_page",
    "fight_pairs",
    "lessons_of",
    "measure_memory",
    "measure_speed",
    "memory_page",
    "memory_rows",
    "paired_rows",
    "play_game",
    "play_on",
    "play_trials",
    "speed_page",
    "speed_rows",
    "teach",
    "use_rows",
]
