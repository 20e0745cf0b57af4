"""Getting past what closes a square: a field move, or the key for a door."""

from typing import Final

from agent.skills.field_moves import CUT, SURF, use_field_move
from agent.skills.hops import Hop
from agent.skills.press import Patience, tap, until_ready
from agent.skills.route import Obstacles
from agent.skills.skill import Movement
from agent.skills.stride import turn
from emulator import Button, MapSquare, Obstacle, State, World

MOVES: Final = {Obstacle.TREE: CUT, Obstacle.WATER: SURF}
PAGES: Final = 40  # presses that the text at a door may take


def clear(hop: Hop, state: State) -> Movement:
    """Face the obstacle of a hop and do what opens the way; whoever surfs is on the water then.

    Whether it helped only the ground can tell.
    """
    state = yield from turn(hop.facing, state)
    if hop.by in MOVES:
        return (yield from use_field_move(MOVES[hop.by], state))
    state = yield tap(Button.A, settle=16)
    return (yield from _read(state))


def still_closed(hop: Hop, world: World) -> Obstacles:
    """Return the square of a hop as a wall, if what one wanted to get past is there as before."""
    square: MapSquare = hop.to[:3]
    closed = hop.by is not None and world.map(hop.to.map_id).obstacle(hop.to.x, hop.to.y) is hop.by
    return Obstacles(frozenset({square}), {}) if closed else Obstacles.none()


def _read(state: State) -> Movement:
    patience = Patience()
    for _ in range(PAGES):
        if not state.dialogue.is_open:
            break
        state = yield patience.step(state)
    return (yield from until_ready(state))
