"""Skills: generators that yield steps and receive the state after each step.

`Skills` holds those that carry out actions; a model of the game has others with the same signatures.
"""

from agent.skills import errands
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


class Skills:
    """What an action can do, each a generator of steps; `is_drawn` says whether a frame shows what RAM says."""

    is_drawn = True
    buy = staticmethod(buy)
    collect = staticmethod(errands.collect)
    examine = staticmethod(examine)
    fight = staticmethod(fight)
    fly = staticmethod(fly)
    hand_in = staticmethod(errands.hand_in)
    leave_map = staticmethod(leave_map)
    pick_up = staticmethod(errands.pick_up)
    push_boulders = staticmethod(push_boulders)
    roam = staticmethod(roam)
    say_yes = staticmethod(errands.say_yes)
    search = staticmethod(errands.search)
    sell = staticmethod(sell)
    show_menu = staticmethod(show_menu)
    swap = staticmethod(swap)
    talk = staticmethod(talk)
    teach = staticmethod(teach)
    toss = staticmethod(toss)
    travel = staticmethod(travel)
    use_at = staticmethod(errands.use_at)
    use_field_move = staticmethod(use_field_move)
    use_item = staticmethod(use_item)
    vend = staticmethod(errands.vend)
