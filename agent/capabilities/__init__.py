"""What the agent can do, one topic a file; `registry` lists them in order."""

from agent.capabilities.capability import (
    PEACE,
    BoundAction,
    Capability,
    Reflex,
    Senses,
    domain_of,
)
from agent.capabilities.context import GameContext, SquareTried, TalkEnded, WaresSeen
from agent.capabilities.heal import hp_percent
from agent.capabilities.memory_actions import RecallJudge
from agent.capabilities.registry import Topic, capabilities_for
from agent.capabilities.story_tasks import reached
from agent.capabilities.unstuck import Inquiry, escape, inquiry

__all__ = [
    "PEACE",
    "BoundAction",
    "Capability",
    "GameContext",
    "Inquiry",
    "RecallJudge",
    "Reflex",
    "Senses",
    "SquareTried",
    "TalkEnded",
    "Topic",
    "WaresSeen",
    "capabilities_for",
    "domain_of",
    "escape",
    "hp_percent",
    "inquiry",
    "reached",
]
