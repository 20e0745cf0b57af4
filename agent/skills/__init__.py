"""How things are done: generators that yield steps. Only the loop lets time pass."""

from agent.skills.agree import agree_at, leave_saying_yes
from agent.skills.boot import boot
from agent.skills.chores import buy, swap, toss, use_item
from agent.skills.fetch import fetch, steps_to
from agent.skills.field_moves import (
    CUT,
    FLASH,
    FLY,
    STRENGTH,
    SURF,
    fly,
    use_field_move,
    who_knows,
)
from agent.skills.fight import fight
from agent.skills.fossils import collect, hand_in
from agent.skills.hops import spot_of
from agent.skills.leave import leave_map
from agent.skills.look import look_at
from agent.skills.menu import choose
from agent.skills.nearness import Nearness
from agent.skills.orders import (
    BALLS,
    SAFARI_BALL,
    Attack,
    Commander,
    Flee,
    Order,
    Switch,
    Throw,
    Tried,
    Use,
    any_attack,
    first_able,
    is_lawful,
    usable_slots,
)
from agent.skills.oversee import broken_off, overseen
from agent.skills.play_on import play_on
from agent.skills.press import read_on, tap, wait
from agent.skills.roam import roam
from agent.skills.route import Obstacles, joins
from agent.skills.search import search
from agent.skills.shove import Wish, push_boulders
from agent.skills.skill import Course, Outcome, Skill, nothing, once
from agent.skills.talk import examine, hear_out, talk
from agent.skills.teach import teach
from agent.skills.terrain import Hazard, Passage, Terrain
from agent.skills.travel import Destination, find_way, travel
from agent.skills.vend import vend
from agent.skills.watchers import Watcher, watchers

__all__ = [
    "BALLS",
    "CUT",
    "FLASH",
    "FLY",
    "SAFARI_BALL",
    "STRENGTH",
    "SURF",
    "Attack",
    "Commander",
    "Course",
    "Destination",
    "Flee",
    "Hazard",
    "Nearness",
    "Obstacles",
    "Order",
    "Outcome",
    "Passage",
    "Skill",
    "Switch",
    "Terrain",
    "Throw",
    "Tried",
    "Use",
    "Watcher",
    "Wish",
    "agree_at",
    "any_attack",
    "boot",
    "broken_off",
    "buy",
    "choose",
    "collect",
    "examine",
    "fetch",
    "fight",
    "find_way",
    "first_able",
    "fly",
    "hand_in",
    "hear_out",
    "is_lawful",
    "joins",
    "leave_map",
    "leave_saying_yes",
    "look_at",
    "nothing",
    "once",
    "overseen",
    "play_on",
    "push_boulders",
    "read_on",
    "roam",
    "search",
    "spot_of",
    "steps_to",
    "swap",
    "talk",
    "tap",
    "teach",
    "toss",
    "travel",
    "usable_slots",
    "use_field_move",
    "use_item",
    "vend",
    "wait",
    "watchers",
    "who_knows",
]
