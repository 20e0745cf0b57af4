"""The three tiers (observer, strategist, tactician) as views of the blackboard, and the edges between them."""

from memory.tiers.consolidator import MemoryConsolidator
from memory.tiers.encounters import (
    BLOCKED_SQUARE,
    ENCOUNTERS,
    OPPONENT_MET,
    SHOP_STOCK,
    TALK_OUTCOME,
)
from memory.tiers.integrations import MemoryAIIntegration, SectionName
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.lessons import MOVE_ORDER
from memory.tiers.observer import (
    LATEST_INPUTS,
    UNPLANNED,
    ActionRecord,
    ObserverMemory,
    SensoryInput,
    TextReading,
    TickState,
)
from memory.tiers.strategist import (
    LOCATION,
    TEAM,
    LocationVisited,
    ResourceSnapshot,
    StrategistMemory,
)
