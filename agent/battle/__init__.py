"""Exact odds of battle, and the policy that plays them."""

from agent.battle.effects import HM_MOVES
from agent.battle.learn_move import SLOTS, room_for
from agent.battle.matchups import chance_to_beat
from agent.battle.options import BattleGoals
from agent.battle.policy import BattlePolicy

__all__ = [
    "HM_MOVES",
    "SLOTS",
    "BattleGoals",
    "BattlePolicy",
    "chance_to_beat",
    "room_for",
]
