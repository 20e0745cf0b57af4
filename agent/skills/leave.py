"""Leaving a map by the nearest way out, wherever that leads."""

from agent.skills.crowd import Crowd
from agent.skills.hops import spot_of
from agent.skills.press import wait
from agent.skills.route import find_route
from agent.skills.skill import Outcome, Skill
from agent.skills.terrain import Terrain
from agent.skills.travel import follow
from emulator import State


def leave_map(terrain: Terrain, state: State, *, patience: int = 20) -> Skill:
    """Walk through the nearest warp or over the nearest edge; BLOCKED after `patience` plans."""
    left = state.map.map_id
    crowd = Crowd(terrain.world(state))
    for _ in range(patience):
        here = spot_of(state)
        if here.map_id != left:
            return Outcome.DONE
        route = find_route(
            terrain.world(state),
            here,
            lambda spot: spot.map_id != left,
            obstacles=crowd.obstacles(state),
        )
        if route is None:
            state = yield wait(20)
        else:
            state = yield from follow(route, state, crowd)
    return Outcome.DONE if state.map.map_id != left else Outcome.BLOCKED
