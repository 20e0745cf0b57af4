"""How things are done: generators that yield steps. Only the loop lets time pass."""

from agent.skills.boot import boot
from agent.skills.chores import buy, swap, use_item
from agent.skills.fight import Attack, Commander, Flee, Order, Switch, fight
from agent.skills.look import look_at
from agent.skills.menu import choose
from agent.skills.press import read_on, tap, wait
from agent.skills.roam import roam
from agent.skills.route import Obstacles
from agent.skills.skill import Course, Outcome, Skill, once
from agent.skills.talk import examine, talk
from agent.skills.terrain import Hazard, Terrain
from agent.skills.travel import Destination, travel
from agent.skills.watchers import Watcher, watchers

__all__ = [
    "Attack",
    "Commander",
    "Course",
    "Destination",
    "Flee",
    "Hazard",
    "Obstacles",
    "Order",
    "Outcome",
    "Skill",
    "Switch",
    "Terrain",
    "Watcher",
    "boot",
    "buy",
    "choose",
    "examine",
    "fight",
    "look_at",
    "once",
    "read_on",
    "roam",
    "swap",
    "talk",
    "tap",
    "travel",
    "use_item",
    "wait",
    "watchers",
]
