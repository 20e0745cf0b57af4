"""The story of a cartridge, read from TOML: places, gates, tasks, milestones."""

from agent.story.facts import FactKind, RamFact, outcome, required, told
from agent.story.interactions import Clerk, Errand, Healer, Interaction, InteractionContext, Task
from agent.story.milestones import Milestone, MilestoneLedger, ReachedMilestone, Witness
from agent.story.places import Land, Place, PlaceAccess, Square
from agent.story.story import Ambition, FieldMove, Story

__all__ = [
    "Ambition",
    "Clerk",
    "Errand",
    "FactKind",
    "FieldMove",
    "Healer",
    "Interaction",
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
    "Task",
    "Witness",
    "outcome",
    "required",
    "told",
]
