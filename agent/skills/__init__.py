"""Skills: generators that yield steps and receive the state after each step."""

from agent.skills.bag import buy, swap, teach, toss, use_item
from agent.skills.boulders import BoulderGoal, push_boulders
from agent.skills.field_moves import CUT, FLASH, FLY, STRENGTH, SURF, fly, use_field_move
from agent.skills.fight import fight
from agent.skills.menu import boot, choose, look_at
from agent.skills.orders import (
    BALLS,
    SAFARI_BALL,
    Attack,
    Commander,
    Flee,
    Order,
    Switch,
    Throw,
    TriedOrders,
    UseItem,
    any_attack,
    first_able,
    is_allowed,
    usable_slots,
)
from agent.skills.press import read_on, tap, wait
from agent.skills.roam import leave_map, roam
from agent.skills.route import Obstacles, joins, spot_of
from agent.skills.skill import Outcome, Skill, SkillRun, broken_off, nothing, once, overseen
from agent.skills.talk import examine, hear_out, talk
from agent.skills.terrain import Hazard, Passage, Terrain, watchers
from agent.skills.walk import Destination, find_way, travel

__all__ = [
    "BALLS",
    "CUT",
    "FLASH",
    "FLY",
    "SAFARI_BALL",
    "STRENGTH",
    "SURF",
    "Attack",
    "BoulderGoal",
    "Commander",
    "Destination",
    "Flee",
    "Hazard",
    "Obstacles",
    "Order",
    "Outcome",
    "Passage",
    "Skill",
    "SkillRun",
    "Switch",
    "Terrain",
    "Throw",
    "TriedOrders",
    "UseItem",
    "any_attack",
    "boot",
    "broken_off",
    "buy",
    "choose",
    "examine",
    "fight",
    "find_way",
    "first_able",
    "fly",
    "hear_out",
    "is_allowed",
    "joins",
    "leave_map",
    "look_at",
    "nothing",
    "once",
    "overseen",
    "push_boulders",
    "read_on",
    "roam",
    "spot_of",
    "swap",
    "talk",
    "tap",
    "teach",
    "toss",
    "travel",
    "usable_slots",
    "use_field_move",
    "use_item",
    "wait",
    "watchers",
]
