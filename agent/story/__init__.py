"""The story of a cartridge, read from TOML: places, gates, tasks, milestones."""

from agent.story.interactions import InteractionContext, TalkTo
from agent.story.milestones import Milestone, MilestoneLedger, ReachedMilestone, Witness
from agent.story.places import Place
from agent.story.story import Story

__all__ = [
    "InteractionContext",
    "Milestone",
    "MilestoneLedger",
    "Place",
    "ReachedMilestone",
    "Story",
    "TalkTo",
    "Witness",
]
