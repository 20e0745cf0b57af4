"""Fetching what lies far inside, where only so many steps may be taken."""

from agent.skills.agree import leave_saying_yes
from agent.skills.hops import Spot, spot_of
from agent.skills.route import find_route
from agent.skills.skill import Outcome, Skill
from agent.skills.talk import talk
from agent.skills.terrain import Terrain
from emulator import Facing, State, World


def fetch(slot: int, outside: int, terrain: Terrain, state: State) -> Skill:
    """Take what is in sprite slot `slot` of this map; where the steps that are left do not suffice, leave for map `outside`.

    BLOCKED where no way leads.
    """
    start = spot_of(state)
    steps = steps_to(slot, start.map_id, terrain.world(state), start)
    if steps is None:
        return Outcome.BLOCKED
    if steps >= state.safari.steps:
        return (yield from leave_saying_yes(terrain, outside, state))
    return (yield from talk(slot, terrain, state))


def steps_to(slot: int, map_id: int, world: World, start: Spot) -> int | None:
    """Return how many steps it is from a spot to beside what is in a sprite slot of a map; None where no way leads."""
    there = next((each for each in world.map(map_id).people if each.slot == slot), None)
    if there is None:
        return None
    target = start._replace(map_id=map_id, x=there.x, y=there.y)
    beside = {target.next_to(facing)[:3] for facing in Facing}
    way = find_route(world, start, lambda spot: spot[:3] in beside)
    return None if way is None else len(way)
