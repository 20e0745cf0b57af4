"""What the agent can do, one topic a file."""

from agent.capabilities.capability import Capability, Deed, Reflex, Sensor, domain_of, sense
from agent.capabilities.dialogue import dialogue
from agent.capabilities.ledger import Ledger, Milestone, Reached
from agent.capabilities.opening import opening
from agent.capabilities.story import Story, story_telling
from agent.capabilities.travel import travelling

__all__ = [
    "Capability",
    "Deed",
    "Ledger",
    "Milestone",
    "Reached",
    "Reflex",
    "Sensor",
    "Story",
    "dialogue",
    "domain_of",
    "opening",
    "sense",
    "story_telling",
    "travelling",
]
