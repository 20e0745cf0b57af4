"""The three tiers (observer, strategist, tactician) as views of the blackboard, and what moves between them."""

from memory.tiers.consolidator import CONSOLIDATION, MemoryConsolidator
from memory.tiers.encounters import ACQUAINTANCE, BARRED, BELONGING, ENCOUNTERS, HEARD, SHELF
from memory.tiers.knowledge import ConsolidationConfig, PlayerPreference
from memory.tiers.lessons import SESSION
from memory.tiers.observer import (
    SENSORY_INPUT,
    TICK_STATE,
    ActionRecord,
    ObserverMemory,
    SensoryInput,
    TickState,
)
from memory.tiers.strategist import (
    LOCATION,
    OBJECTIVE,
    RESOURCES,
    TEAM,
    LocationVisited,
    ResourceSnapshot,
    StrategistMemory,
)
from memory.tiers.tactician import TacticianMemory

__all__ = [
    "ACQUAINTANCE",
    "BARRED",
    "BELONGING",
    "CONSOLIDATION",
    "ENCOUNTERS",
    "HEARD",
    "LOCATION",
    "OBJECTIVE",
    "RESOURCES",
    "SENSORY_INPUT",
    "SESSION",
    "SHELF",
    "TEAM",
    "TICK_STATE",
    "ActionRecord",
    "ConsolidationConfig",
    "LocationVisited",
    "MemoryConsolidator",
    "ObserverMemory",
    "PlayerPreference",
    "ResourceSnapshot",
    "SensoryInput",
    "StrategistMemory",
    "TacticianMemory",
    "TickState",
]
