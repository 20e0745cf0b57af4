"""The story of a cartridge, read from TOML: places, gates, tasks, milestones."""

from agent.story.facts import FactKind, RamFact, outcome, required, told
from agent.story.interactions import InteractionContext, TalkTo
from agent.story.milestones import Milestone, MilestoneLedger, ReachedMilestone, Witness
from agent.story.places import Land, Place, PlaceAccess, Square
from agent.story.story import Ambition, Clerk, Errand, FieldMove, Healer, Story, Task

__all__ = [
    "Ambition",
    "Clerk",
    "Errand",
    "FactKind",
    "FieldMove",
    "Healer",
    "InteractionContext",
    "Land",
    "Milestone",
    "MilestoneLedger",
    "Place",
    "PlaceAccess",
    "RamFact",
    "ReachedMilestone",
    "Square",
    "Story",
    "TalkTo",
    "Task",
    "Witness",
    "outcome",
    "required",
    "told",
]
