"""Decisions: reflexes, the plan, recovery, advice; and what of them is observed."""

from agent.mind.advice import Advising, CurrentMoment, Describing, QuestionAnswered, QuestionContext
from agent.mind.advisor_tools import AdvisorTools
from agent.mind.battle_record import BattleWatch
from agent.mind.intent import ActionEnded, ActiveGoal, Intent, IntentSource
from agent.mind.mind import Mind
from agent.mind.observations import GAME_SECTIONS, game_table
from agent.mind.progress import Gains, Novelty, ProgressMonitor
from agent.mind.recovery import EpisodeTold, Ladder, StuckEpisode

__all__ = [
    "GAME_SECTIONS",
    "ActionEnded",
    "ActiveGoal",
    "Advising",
    "AdvisorTools",
    "BattleWatch",
    "CurrentMoment",
    "Describing",
    "EpisodeTold",
    "Gains",
    "Intent",
    "IntentSource",
    "Ladder",
    "Mind",
    "Novelty",
    "ProgressMonitor",
    "QuestionAnswered",
    "QuestionContext",
    "StuckEpisode",
    "game_table",
]
