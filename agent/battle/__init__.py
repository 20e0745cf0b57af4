"""Exact odds of battle, and the policy that plays them."""

from agent.battle.effects import HM_MOVES
from agent.battle.learn_move import SLOTS, offered, room_for, slot_to_forget
from agent.battle.matchups import chance_to_beat
from agent.battle.options import BattleGoals
from agent.battle.policy import BattlePolicy, catch_chance

__all__ = [
    "HM_MOVES",
    "SLOTS",
    "BattleGoals",
    "BattlePolicy",
    "catch_chance",
    "chance_to_beat",
    "offered",
    "room_for",
    "slot_to_forget",
]
