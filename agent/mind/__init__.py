"""Decisions: reflexes, the plan, recovery, advice."""

from agent.mind.advice import Advising, CurrentMoment, Describing, QuestionAnswered, QuestionContext
from agent.mind.advisor_tools import AdvisorTools
from agent.mind.intent import ActionEnded, ActiveGoal, Intent, IntentSource
from agent.mind.mind import Mind
from agent.mind.progress import Gains, Novelty, ProgressMonitor
from agent.mind.recovery import EpisodeTold, Ladder, StuckEpisode

__all__ = [
    "ActionEnded",
    "ActiveGoal",
    "Advising",
    "AdvisorTools",
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
]
