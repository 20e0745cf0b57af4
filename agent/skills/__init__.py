"""How things are done: generators that yield steps. Only the loop lets time pass."""

from agent.skills.boot import boot
from agent.skills.menu import choose
from agent.skills.press import tap, wait
from agent.skills.route import Spot
from agent.skills.skill import Course, Outcome, Skill, once
from agent.skills.talk import talk
from agent.skills.travel import travel

__all__ = [
    "Course",
    "Outcome",
    "Skill",
    "Spot",
    "boot",
    "choose",
    "once",
    "talk",
    "tap",
    "travel",
    "wait",
]
