"""Decisions: reflexes, the plan, recovery, advice; and the producers of memory that watch them."""

from agent.mind.advice import Advising, Describing, QuestionContext
from agent.mind.advisor_tools import AdvisorTools
from agent.mind.battle_record import BattleWatch
from agent.mind.intent import Intent, IntentSource
from agent.mind.memory_producers import (
    AGENT,
    MeetingProducers,
    PlayProducers,
    game_seconds,
    watch_advice,
)
from agent.mind.mind import Mind
from agent.mind.observations import GAME_SECTIONS, game_table
from agent.mind.progress import Gains, Novelty, ProgressMonitor
from agent.mind.recovery import Ladder, StuckEpisode

__all__ = [
    "AGENT",
    "GAME_SECTIONS",
    "Advising",
    "AdvisorTools",
    "BattleWatch",
    "Describing",
    "Gains",
    "Intent",
    "IntentSource",
    "Ladder",
    "MeetingProducers",
    "Mind",
    "Novelty",
    "PlayProducers",
    "ProgressMonitor",
    "QuestionContext",
    "StuckEpisode",
    "game_seconds",
    "game_table",
    "watch_advice",
]
