"""Leaving a map by the nearest way out, wherever that leads."""

from agent.skills.clearing import still_closed
from agent.skills.crowd import Crowd
from agent.skills.hops import spot_of
from agent.skills.press import wait
from agent.skills.route import Obstacles, find_route
from agent.skills.skill import Outcome, Skill
from agent.skills.terrain import Terrain
from agent.skills.travel import follow
from emulator import State


def leave_map(terrain: Terrain, state: State, *, patience: int = 20) -> Skill:
    """Walk through the nearest warp or over the nearest edge; BLOCKED after `patience` plans."""
    left = state.map.map_id
    crowd, stuck = Crowd(terrain.world(state)), Obstacles.none()
    for _ in range(patience):
        here = spot_of(state)
        if here.map_id != left:
            return Outcome.DONE
        route = find_route(
            terrain.world(state),
            here,
            lambda spot: spot.map_id != left,
            obstacles=crowd.obstacles(state).and_also(stuck),
        )
        if route is None:
            state = yield wait(20)
        else:
            state = yield from follow(route, state, crowd)
            if spot_of(state) == here:
                stuck = stuck.and_also(still_closed(route[0], terrain.world(state)))
    return Outcome.DONE if state.map.map_id != left else Outcome.BLOCKED
