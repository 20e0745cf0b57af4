"""How to get a boulder somewhere with the fewest pushes: a search over where boulders lie and where one can walk."""

import heapq
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Final, NamedTuple, TypeAlias

from agent.skills.hops import Spot, hops, is_step
from emulator import Facing, GameMap, World

Square: TypeAlias = tuple[int, int]
Boulders: TypeAlias = Mapping[int, Square]  # by sprite slot

STAIRS_OF_CAVES: Final = 0x15  # a tile that boulders refuse
MOST_SCENES: Final = 30_000


class Push(NamedTuple):
    """Whom to push and whither, and the square to stand on; one stays there while the boulder rolls a step."""

    slot: int
    stand: Square
    facing: Facing


@dataclass(frozen=True, slots=True)
class Room:
    """A map as one finds it: boulders, `walls` that keep oneself out, `taken` squares that keep boulders out.

    Even what is hidden or was picked up keeps its square from boulders.
    """

    world: World
    boulders: Boulders
    walls: frozenset[Square]
    taken: frozenset[Square]


def find_pushes(room: Room, here: Spot, slot: int, goal: Square) -> list[Push] | None:
    """Return the fewest pushes that bring the boulder in `slot` to `goal`; None when there are none, or no boulder.

    Other boulders are moved only where it does not work without.
    """
    if slot not in room.boulders:
        return None
    for movers in ({slot}, room.boulders.keys()):
        found = _Search(room, here, slot, goal).run(movers)
        if found is not None:
            return found
    return None


class _Scene(NamedTuple):
    """Where the boulders lie, in the order of their slots, and where one stands."""

    boulders: tuple[Square, ...]
    player: Square


class _Search:
    """One search: by pushes so far and those that are missing at least."""

    def __init__(self, room: Room, here: Spot, slot: int, goal: Square) -> None:
        self._room, self._here, self._goal = room, here, goal
        self._map: GameMap = room.world.map(here.map_id)
        self._slots = sorted(room.boulders)
        self._wanted = self._slots.index(slot)
        self._steps: dict[Square, tuple[Square, ...]] = {}

    def run(self, movers: Collection[int]) -> list[Push] | None:
        start = _Scene(
            tuple(self._room.boulders[slot] for slot in self._slots), (self._here.x, self._here.y)
        )
        order = count()
        frontier = [(self._missing(start), next(order), 0, start)]
        came: dict[_Scene, tuple[_Scene, Push]] = {}
        cost_of = {start: 0}
        closed: set[_Scene] = set()
        while frontier and len(closed) < MOST_SCENES:
            *_, so_far, scene = heapq.heappop(frontier)
            if scene.boulders[self._wanted] == self._goal:
                return _unwind(came, scene)
            reach = self._reach(scene)
            seen = _Scene(scene.boulders, min(reach))  # wherever one stands in there is the same
            if seen in closed:
                continue
            closed.add(seen)
            for push, after in self._pushes(scene, reach, movers):
                cost = so_far + 1
                if cost < cost_of.get(after, inf):
                    cost_of[after] = cost
                    came[after] = scene, push
                    item = (cost + self._missing(after), next(order), cost, after)
                    heapq.heappush(frontier, item)
        return None

    def _missing(self, scene: _Scene) -> int:
        x, y = scene.boulders[self._wanted]
        return abs(x - self._goal[0]) + abs(y - self._goal[1])

    def _reach(self, scene: _Scene) -> frozenset[Square]:
        """Return where one gets to without a push."""
        closed = self._room.walls.union(scene.boulders)
        reached, waiting = {scene.player}, [scene.player]
        while waiting:
            for square in self._next_to(waiting.pop()):
                if square not in reached and square not in closed:
                    reached.add(square)
                    waiting.append(square)
        return frozenset(reached)

    def _next_to(self, square: Square) -> tuple[Square, ...]:
        if square not in self._steps:
            spot = self._here._replace(x=square[0], y=square[1])
            ways = [hop.to for hop in hops(self._room.world, spot) if is_step(hop, spot)]
            self._steps[square] = tuple((to.x, to.y) for to in ways)
        return self._steps[square]

    def _pushes(
        self, scene: _Scene, reach: frozenset[Square], movers: Collection[int]
    ) -> Iterator[tuple[Push, _Scene]]:
        for number, (slot, (x, y)) in enumerate(zip(self._slots, scene.boulders, strict=True)):
            if slot not in movers:
                continue
            for facing in Facing:
                stand, to = (x - facing.dx, y - facing.dy), (x + facing.dx, y + facing.dy)
                if stand in reach and self._rolls(stand, to, scene):
                    moved = (*scene.boulders[:number], to, *scene.boulders[number + 1 :])
                    yield Push(slot, stand, facing), _Scene(moved, stand)

    def _rolls(self, stand: Square, to: Square, scene: _Scene) -> bool:
        """Say whether a boulder gets to the square behind it when one pushes from the one before."""
        here = self._map
        if to in self._room.taken or to in scene.boulders or not here.passable(*to):
            return False
        tile = here.tile(*to)
        return tile != STAIRS_OF_CAVES and here.tileset.joined(here.tile(*stand), tile)


def _unwind(came: dict[_Scene, tuple[_Scene, Push]], scene: _Scene) -> list[Push]:
    pushes = []
    while scene in came:
        scene, push = came[scene]
        pushes.append(push)
    return pushes[::-1]
