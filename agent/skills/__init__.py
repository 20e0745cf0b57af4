"""Skills: generators that yield steps and receive the state after each step."""

from agent.skills.bag import buy, sell, swap, teach, toss, use_item
from agent.skills.boulders import push_boulders
from agent.skills.field_moves import CUT, FLASH, FLY, STRENGTH, SURF, fly, use_field_move
from agent.skills.fight import fight
from agent.skills.menu import boot, choose, show_menu
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
from agent.skills.roam import leave_map, roam
from agent.skills.route import Obstacles, is_connected, spot_of
from agent.skills.skill import (
    Movement,
    Outcome,
    Skill,
    SkillRun,
    no_skill,
    observed,
    once,
    stopped_when,
    tap,
    turn_page,
    wait,
)
from agent.skills.talk import examine, read_text, talk
from agent.skills.terrain import Hazard, Passage, Terrain, watching_trainers
from agent.skills.walk import Destination, shortest_route, travel
