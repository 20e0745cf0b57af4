"""How battles are fought: what each turn is best used for, by the exact odds of both sides."""

from agent.capabilities.tactics.catching import catch_chance
from agent.capabilities.tactics.commander import Tactics
from agent.capabilities.tactics.effects import HM_MOVES
from agent.capabilities.tactics.learning import (
    SLOTS,
    Offer,
    Room,
    offered,
    room_for,
    slot_to_forget,
)
from agent.capabilities.tactics.policy import command
from agent.capabilities.tactics.teams import chance_to_beat
from agent.capabilities.tactics.wishes import Wishes

__all__ = [
    "HM_MOVES",
    "SLOTS",
    "Offer",
    "Room",
    "Tactics",
    "Wishes",
    "catch_chance",
    "chance_to_beat",
    "command",
    "offered",
    "room_for",
    "slot_to_forget",
]
