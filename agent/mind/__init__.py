"""What to do next: reflexes, then the plan; and what is remembered of it."""

from agent.mind.battles import BattleWatch
from agent.mind.intent import Intent, Source
from agent.mind.ladder import Episode, Ladder
from agent.mind.meetings import MeetingProducers
from agent.mind.mind import Mind
from agent.mind.observing import GAME_SECTIONS, game_table
from agent.mind.prices import Prices
from agent.mind.progress import Progress
from agent.mind.remembering import AGENT, PlayProducers, game_seconds

__all__ = [
    "AGENT",
    "GAME_SECTIONS",
    "BattleWatch",
    "Episode",
    "Intent",
    "Ladder",
    "MeetingProducers",
    "Mind",
    "PlayProducers",
    "Prices",
    "Progress",
    "Source",
    "game_seconds",
    "game_table",
]
