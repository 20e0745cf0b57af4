"""What to do next: reflexes, then the plan; and what is remembered of it."""

from agent.mind.advising import Advising, Moment
from agent.mind.battles import BattleWatch
from agent.mind.counselled import watch_advice
from agent.mind.describing import Describing
from agent.mind.gains import Change, Gains
from agent.mind.intent import Intent, Source
from agent.mind.ladder import Episode, Ladder
from agent.mind.meetings import MeetingProducers
from agent.mind.mind import Mind
from agent.mind.observing import GAME_SECTIONS, game_table
from agent.mind.prices import Prices
from agent.mind.progress import Progress
from agent.mind.remembering import AGENT, PlayProducers, game_seconds
from agent.mind.tools import Tools

__all__ = [
    "AGENT",
    "GAME_SECTIONS",
    "Advising",
    "BattleWatch",
    "Change",
    "Describing",
    "Episode",
    "Gains",
    "Intent",
    "Ladder",
    "MeetingProducers",
    "Mind",
    "Moment",
    "PlayProducers",
    "Prices",
    "Progress",
    "Source",
    "Tools",
    "game_seconds",
    "game_table",
    "watch_advice",
]
