"""How things are done: generators that yield steps. Only the loop lets time pass."""

from agent.skills.boot import boot
from agent.skills.fight import Attack, Commander, Flee, Order, Switch, fight
from agent.skills.leave import leave_map
from agent.skills.look import look_at
from agent.skills.menu import choose
from agent.skills.press import read_on, tap, wait
from agent.skills.skill import Course, Outcome, Skill, once
from agent.skills.talk import examine, talk
from agent.skills.terrain import Terrain
from agent.skills.travel import Destination, travel

__all__ = [
    "Attack",
    "Commander",
    "Course",
    "Destination",
    "Flee",
    "Order",
    "Outcome",
    "Skill",
    "Switch",
    "Terrain",
    "boot",
    "choose",
    "examine",
    "fight",
    "leave_map",
    "look_at",
    "once",
    "read_on",
    "talk",
    "tap",
    "travel",
    "wait",
]
