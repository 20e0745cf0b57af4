"""The three tiers (observer, strategist, tactician) as views of the blackboard, and what moves between them."""

from memory.tiers.encounters import ACQUAINTANCE, BARRED, BELONGING, ENCOUNTERS, HEARD, SHELF
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.observer import ActionRecord, SensoryInput, TickState
from memory.tiers.strategist import LOCATION, TEAM, LocationVisited, ResourceSnapshot

__all__ = [
    "ACQUAINTANCE",
    "BARRED",
    "BELONGING",
    "ENCOUNTERS",
    "HEARD",
    "LOCATION",
    "SHELF",
    "TEAM",
    "ActionRecord",
    "ConsolidationConfig",
    "LocationVisited",
    "ResourceSnapshot",
    "SensoryInput",
    "TickState",
]
