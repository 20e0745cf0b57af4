"""What the agent can do, one topic a file."""

from agent.capabilities.battle import battling
from agent.capabilities.capability import (
    PEACE,
    Capability,
    Deed,
    Reflex,
    Sensor,
    domain_of,
    sense,
)
from agent.capabilities.dialogue import dialogue
from agent.capabilities.escape import escape
from agent.capabilities.heal import healing, hp_percent
from agent.capabilities.ledger import Ledger, Milestone, Reached, Witness
from agent.capabilities.opening import opening
from agent.capabilities.story import Story
from agent.capabilities.telling import reached, story_telling
from agent.capabilities.travel import Place, travelling

__all__ = [
    "PEACE",
    "Capability",
    "Deed",
    "Ledger",
    "Milestone",
    "Place",
    "Reached",
    "Reflex",
    "Sensor",
    "Story",
    "Witness",
    "battling",
    "dialogue",
    "domain_of",
    "escape",
    "healing",
    "hp_percent",
    "opening",
    "reached",
    "sense",
    "story_telling",
    "travelling",
]
