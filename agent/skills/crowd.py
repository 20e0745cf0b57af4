"""Who stands in the way: people as a layer of their own over the ground, which fades as they walk on."""

from collections.abc import Iterable, Iterator, Mapping
from math import pow
from typing import Final

from agent.skills.route import Obstacles
from emulator import FRAMES_PER_SECOND, Facing, MapSquare, Person, State, World, is_in_sight

HALF_LIFE: Final = 4.0  # game seconds; whoever wanders takes a step every one or two
NEARBY: Final = 8  # steps of detour that a walker seen just now is worth


class Crowd:
    """The people of one map: where they are, and where those who walk were seen last.

    Whoever is in sight is a wall on their square, and so are those who only stand there, in sight or not.
    Where a walker was a while ago, the squares around get dearer, by less and less; leaving the map
    forgets them all.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._map_id: int | None = None
        self._standing: frozenset[int] = frozenset()  # slots of those who never walk about
        self._traces: dict[MapSquare, int] = {}  # where a walker was, and the frame at that time

    def see(self, state: State) -> None:
        """Take note of where people are now."""
        here = state.map.map_id
        if here != self._map_id:
            self._map_id = here
            residents = self.world.map(here).people
            self._standing = frozenset(each.slot for each in residents if not each.walks)
            self._traces.clear()
        for person in state.people_present:
            if person.on_screen and person.slot not in self._standing:
                self._traces[here, person.x, person.y] = state.frame

    def obstacles(self, state: State) -> Obstacles:
        """Take note of where people are now, and return how they stand in the way."""
        self.see(state)
        walls = frozenset(self._walls(state, state.people_present))
        return Obstacles(walls, self._costs(state.frame, walls))

    def staying(self, state: State) -> Obstacles:
        """Return who will stand in the way however long one waits."""
        self.see(state)
        people = [each for each in state.people_present if each.slot in self._standing]
        return Obstacles(frozenset(self._walls(state, people)), {})

    def _walls(self, state: State, people: Iterable[Person]) -> Iterator[MapSquare]:
        for person in people:
            # Out of sight nobody is drawn. Who stands there all the same has not moved since.
            out_of_sight = not is_in_sight(state.position, person.position)
            if person.on_screen or (out_of_sight and person.slot in self._standing):
                yield state.map.map_id, person.x, person.y

    def _costs(self, frame: int, walls: frozenset[MapSquare]) -> Mapping[MapSquare, int]:
        costs: dict[MapSquare, int] = {}
        for square, seen in tuple(self._traces.items()):
            cost = _cost(frame - seen)
            if not cost:
                del self._traces[square]
            elif square not in walls:
                for each in _around(square):
                    costs[each] = max(cost, costs.get(each, 0))
        return costs


def _cost(frames: int) -> int:
    """What a walker is worth in steps who was seen so long ago."""
    return round(NEARBY * pow(0.5, frames / FRAMES_PER_SECOND / HALF_LIFE))


def _around(square: MapSquare) -> Iterator[MapSquare]:
    map_id, x, y = square
    yield square
    for facing in Facing:
        yield map_id, x + facing.dx, y + facing.dy
