"""STRENGTH puzzles: a search for the fewest pushes, and the skill that performs them.

When a boulder can no longer reach its square, the skill leaves and re-enters the map, which resets it.
"""

import heapq
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Final, NamedTuple, TypeAlias

from agent.skills.field_moves import STRENGTH, use_field_move
from agent.skills.roam import leave_map
from agent.skills.route import Hop, Spot, hops, is_step, spot_of
from agent.skills.skill import Movement, Outcome, Skill, until_ready, wait
from agent.skills.terrain import Crowd, Terrain
from agent.skills.walk import BUTTON, Destination, follow, travel, turn
from emulator import Facing, GameMap, State, Step, World
from emulator.world import MapObjectKind

Square: TypeAlias = tuple[int, int]
Boulders: TypeAlias = Mapping[int, Square]  # by sprite slot

STAIRS_OF_CAVES: Final = 0x15  # a tile that blocks boulders
MOST_LAYOUTS: Final = 30_000
STRENGTH_ON: Final = 0x01  # bit of wStatusFlags1; cleared on the next map
PUSH_HOLD: Final = 10  # the first press only sets a flag, the second moves the boulder
PUSH_SETTLE: Final = 40
PRESSES: Final = 3
PLANS: Final = 60  # plans before the skill gives up
RESETS: Final = 3


class Push(NamedTuple):
    """One push: boulder slot, direction, and the steps to the square to push from."""

    slot: int
    stand: Square
    facing: Facing
    way: tuple[Hop, ...] = ()


@dataclass(frozen=True, slots=True)
class BoulderRoom:
    """The state of a puzzle map: boulders, `walls` that block the player, `blocked` squares that block boulders.

    Hidden objects and collected items still block boulders.
    """

    world: World
    boulders: Boulders
    walls: frozenset[Square]
    blocked: frozenset[Square]


def find_pushes(room: BoulderRoom, here: Spot, slot: int, goal: Square) -> list[Push] | None:
    """Return the fewest pushes that bring the boulder in `slot` to `goal`, or None without a solution or boulder.

    Steps onto warp mats and moves of other boulders are used only if needed.
    """
    if slot not in room.boulders:
        return None
    ways = [_Search(room, here, slot, goal, over_mats=over_mats) for over_mats in (False, True)]
    for movers in ({slot}, room.boulders.keys()):
        for search in ways:
            found = search.run(movers)
            if found is not None:
                return found
    return None


class _Layout(NamedTuple):
    """The boulder squares in slot order, and the player's square."""

    boulders: tuple[Square, ...]
    player: Square


class _Search:
    """An A* search over pushes; the heuristic is the boulder's distance to the goal."""

    def __init__(
        self, room: BoulderRoom, here: Spot, slot: int, goal: Square, *, over_mats: bool
    ) -> None:
        self._room, self._here, self._goal, self._over_mats = room, here, goal, over_mats
        self._map: GameMap = room.world.map(here.map_id)
        self._slots = sorted(room.boulders)
        self._wanted = self._slots.index(slot)
        self._steps: dict[Square, tuple[Hop, ...]] = {}

    def run(self, movers: Collection[int]) -> list[Push] | None:
        squares = tuple(self._room.boulders[slot] for slot in self._slots)
        start = _Layout(squares, (self._here.x, self._here.y))
        order = count()
        frontier = [(self._distance(start), next(order), 0, start)]
        came: dict[_Layout, tuple[_Layout, Push]] = {}
        cost_of = {start: 0}
        closed: set[_Layout] = set()
        while frontier and len(closed) < MOST_LAYOUTS:
            *_, so_far, layout = heapq.heappop(frontier)
            if layout.boulders[self._wanted] == self._goal:
                return self._unwind(came, layout)
            reach = self._reach(layout)
            seen = _Layout(layout.boulders, min(reach))  # reachable player squares are equivalent
            if seen in closed:
                continue
            closed.add(seen)
            for push, after in self._pushes(layout, reach, movers):
                cost = so_far + 1
                if cost < cost_of.get(after, inf):
                    cost_of[after] = cost
                    came[after] = layout, push
                    item = (cost + self._distance(after), next(order), cost, after)
                    heapq.heappush(frontier, item)
        return None

    def _distance(self, layout: _Layout) -> int:
        x, y = layout.boulders[self._wanted]
        return abs(x - self._goal[0]) + abs(y - self._goal[1])

    def _reach(self, layout: _Layout) -> Mapping[Square, Hop | None]:
        """Return the squares reachable without a push, each with the step onto it."""
        closed = self._room.walls.union(layout.boulders)
        reached: dict[Square, Hop | None] = {layout.player: None}
        waiting = deque([layout.player])
        while waiting:
            for hop in self._steps_from(waiting.popleft()):
                square = hop.to.x, hop.to.y
                if square not in reached and square not in closed:
                    reached[square] = hop
                    waiting.append(square)
        return reached

    def _steps_from(self, square: Square) -> tuple[Hop, ...]:
        if square not in self._steps:
            spot = self._here._replace(x=square[0], y=square[1])
            steps = [hop for hop in hops(self._room.world, spot) if is_step(hop, spot)]
            if self._over_mats:
                steps += (Hop(facing, spot.next_to(facing)) for facing in self._onto_mats(square))
            self._steps[square] = tuple(steps)
        return self._steps[square]

    def _onto_mats(self, square: Square) -> Iterator[Facing]:
        """Yield the directions in which a short press steps onto a mat without triggering its warp."""
        x, y = square
        for facing in Facing:
            mat = self._map.warp_at(x + facing.dx, y + facing.dy)
            short = mat is not None and not mat.steps and facing in mat.press
            if short and self._map.can_step(square, facing):
                yield facing

    def _pushes(
        self, layout: _Layout, reach: Collection[Square], movers: Collection[int]
    ) -> Iterator[tuple[Push, _Layout]]:
        for number, (slot, (x, y)) in enumerate(zip(self._slots, layout.boulders, strict=True)):
            if slot not in movers:
                continue
            for facing in Facing:
                stand, to = (x - facing.dx, y - facing.dy), (x + facing.dx, y + facing.dy)
                if stand in reach and self._can_move(stand, to, layout):
                    moved = (*layout.boulders[:number], to, *layout.boulders[number + 1 :])
                    yield Push(slot, stand, facing), _Layout(moved, stand)

    def _can_move(self, stand: Square, to: Square, layout: _Layout) -> bool:
        """Return whether a boulder pushed from `stand` can move to `to`."""
        here = self._map
        if to in self._room.blocked or to in layout.boulders or not here.passable(*to):
            return False
        tile = here.tile(*to)
        return tile != STAIRS_OF_CAVES and here.tileset.joined(here.tile(*stand), tile)

    def _unwind(self, came: Mapping[_Layout, tuple[_Layout, Push]], layout: _Layout) -> list[Push]:
        pushes = []
        while layout in came:
            layout, push = came[layout]
            pushes.append(push._replace(way=_way(self._reach(layout), push.stand)))
        return pushes[::-1]


def _way(reach: Mapping[Square, Hop | None], to: Square) -> tuple[Hop, ...]:
    """Return the steps to a reachable square."""
    steps = []
    while (hop := reach[to]) is not None:
        steps.append(hop)
        to = hop.to.x - hop.facing.dx, hop.to.y - hop.facing.dy
    return tuple(reversed(steps))


def push_boulders(goals: Sequence[tuple[int, Square]], terrain: Terrain, state: State) -> Skill:
    """Push boulders of this map, by their sprite slots, to squares or holes; BLOCKED if no mon knows STRENGTH.

    If a goal is unreachable, leave and re-enter the map, which resets the boulders.
    """
    place = state.map.map_id
    plans, resets = PLANS, RESETS
    while plans and resets:
        plans -= 1
        if state.map.map_id != place:
            yield from travel(terrain, Destination(place), state)
            state = yield wait(1)
            if state.map.map_id != place:
                return Outcome.BLOCKED
        open_goals = unmet(goals, state)
        if not open_goals:
            return Outcome.DONE
        if not state.flags.status_1 & STRENGTH_ON:
            state = yield from use_field_move(STRENGTH, state)
            if not state.flags.status_1 & STRENGTH_ON:
                return Outcome.BLOCKED
        pushes = find_pushes(room_of(terrain, state), spot_of(state), *open_goals[0])
        if pushes is None:
            resets -= 1
            yield from leave_map(terrain, state)
            state = yield wait(1)
        else:
            state = yield from _carry_out(pushes, terrain, state)
    return Outcome.BLOCKED


def unmet(goals: Sequence[tuple[int, Square]], state: State) -> list[tuple[int, Square]]:
    """Return the goals whose boulders are elsewhere; one that fell into a hole is absent."""
    squares = {person.slot: person.position for person in state.people_present}
    return [(slot, to) for slot, to in goals if squares.get(slot, to) != to]


def room_of(terrain: Terrain, state: State) -> BoulderRoom:
    """Return the state of the puzzle of this map."""
    here = state.map.map_id
    world = terrain.world(state)
    kinds = {each.slot: each.kind for each in world.map(here).people}
    present = {person.slot: (person.x, person.y) for person in state.people_present}
    boulders = {
        slot: square for slot, square in present.items() if kinds.get(slot) is MapObjectKind.BOULDER
    }
    others = {square for slot, square in present.items() if slot not in boulders}
    avoided = {(x, y) for map_id, x, y in terrain.hazards(state).walls if map_id == here}
    blocked = {(each.x, each.y) for each in state.people if each.slot not in boulders}
    return BoulderRoom(world, boulders, frozenset(others | avoided), frozenset(blocked))


def _carry_out(pushes: Sequence[Push], terrain: Terrain, state: State) -> Movement:
    """Perform the pushes until one has another result than planned."""
    for push in pushes:
        if push.way:
            state = yield from follow(list(push.way), state, Crowd(terrain.world(state)))
        if tuple(state.position) != push.stand:
            break
        before = _square_of(push.slot, state)
        state = yield from _push(push, state)
        if _square_of(push.slot, state) == before:
            break
    return state


def _push(push: Push, state: State) -> Movement:
    before = _square_of(push.slot, state)
    state = yield from turn(push.facing, state)
    for _ in range(PRESSES):
        if _square_of(push.slot, state) != before or not state.in_control:
            break
        state = yield Step(BUTTON[push.facing], PUSH_HOLD, PUSH_SETTLE)
        state = yield from until_ready(state)
    return state


def _square_of(slot: int, state: State) -> Square | None:
    return next(((each.x, each.y) for each in state.people_present if each.slot == slot), None)
