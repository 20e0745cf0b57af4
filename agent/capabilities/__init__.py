"""What the agent can do, one topic a file: each offers a `capability(kit)`, and the registry finds it."""

from agent.capabilities.capability import (
    PEACE,
    Capability,
    Deed,
    Reflex,
    Senses,
    Sensor,
    domain_of,
)
from agent.capabilities.choices import Choices
from agent.capabilities.encounters import Encounters, Hearing
from agent.capabilities.escape import escape
from agent.capabilities.experience import EVERY_USE, Experience, Use
from agent.capabilities.health import hp_percent
from agent.capabilities.inquiry import Inquiry, inquiry
from agent.capabilities.kit import Kit
from agent.capabilities.ledger import Ledger, Milestone, Reached, Witness
from agent.capabilities.leftovers import found
from agent.capabilities.places import Place
from agent.capabilities.recollect import Hindsight
from agent.capabilities.registry import Topic, capabilities_for, topics
from agent.capabilities.story import Story
from agent.capabilities.telling import reached

__all__ = [
    "EVERY_USE",
    "PEACE",
    "Capability",
    "Choices",
    "Deed",
    "Encounters",
    "Experience",
    "Hearing",
    "Hindsight",
    "Inquiry",
    "Kit",
    "Ledger",
    "Milestone",
    "Place",
    "Reached",
    "Reflex",
    "Senses",
    "Sensor",
    "Story",
    "Topic",
    "Use",
    "Witness",
    "capabilities_for",
    "domain_of",
    "escape",
    "found",
    "hp_percent",
    "inquiry",
    "reached",
    "topics",
]
