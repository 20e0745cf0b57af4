"""What is known of the ground: changed maps, people in the way, squares that trainers watch."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import pow
from typing import Final, NamedTuple, TypeAlias

from agent.skills.distances import Nearness
from agent.skills.route import Obstacles
from emulator import FRAMES_PER_SECOND, Facing, MapSquare, Obstacle, Person, State, World
from emulator.ram.tile_map import is_in_sight
from emulator.world.residents import Lookout, Opponent, Resident
from emulator.world.world import Lift
from memory import Json

HALF_LIFE: Final = 4.0  # game seconds; a walking person takes a step every one or two
NEARBY: Final = 8  # steps of detour that a walker seen just now is worth
Hazard: TypeAlias = Callable[[State], Obstacles]
Passage: TypeAlias = Callable[[State], frozenset[Obstacle]]


class Crowd:
    """The people of one map: where they are, and where walking ones were seen last.

    A person in sight is a wall on their square, and so is one that never walks, in sight or not.
    Where a walker was a while ago, the squares around get dearer, by less and less; leaving the map
    forgets them all.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._map_id: int | None = None
        self._standing: frozenset[int] = frozenset()  # slots of people that never walk
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
        """Return the people that stay in the way however long the wait."""
        self.see(state)
        people = [each for each in state.people_present if each.slot in self._standing]
        return Obstacles(frozenset(self._walls(state, people)), {})

    def _walls(self, state: State, people: Iterable[Person]) -> Iterator[MapSquare]:
        for person in people:
            # Out of sight people are not drawn, and do not move.
            out_of_sight = not is_in_sight(state.position, person.position)
            if person.on_screen or (out_of_sight and person.slot in self._standing):
                yield state.map.map_id, person.x, person.y

    def _costs(self, frame: int, walls: frozenset[MapSquare]) -> Mapping[MapSquare, int]:
        costs: dict[MapSquare, int] = {}
        for square, seen in tuple(self._traces.items()):
            seconds = (frame - seen) / FRAMES_PER_SECOND
            cost = round(NEARBY * pow(0.5, seconds / HALF_LIFE))
            if not cost:
                del self._traces[square]
            elif square not in walls:
                for each in _around(square):
                    costs[each] = max(cost, costs.get(each, 0))
        return costs


def _around(square: MapSquare) -> Iterator[MapSquare]:
    map_id, x, y = square
    yield square
    for facing in Facing:
        yield map_id, x + facing.dx, y + facing.dy


class TrainerSight(NamedTuple):
    """A trainer that fights on sight, over walls and people alike, and the squares in sight."""

    slot: int
    opponent: Opponent
    squares: frozenset[MapSquare]


def watchers(world: World, state: State) -> Iterator[TrainerSight]:
    """Yield the trainers of the player's map that would still fight."""
    lookouts = world.lookouts(state)
    if not lookouts:
        return
    present = {person.slot: person for person in state.people_present}
    for resident in world.map(state.map.map_id).people:
        lookout, person = lookouts.get(resident.slot), present.get(resident.slot)
        if lookout is None or person is None or resident.opponent is None:
            continue
        if not state.flags.is_set(lookout.event):
            squares = frozenset(_in_sight(state.map.map_id, resident, person, lookout))
            yield TrainerSight(resident.slot, resident.opponent, squares)


def _in_sight(
    map_id: int, resident: Resident, person: Person, lookout: Lookout
) -> Iterator[MapSquare]:
    facing = resident.facing or person.facing
    for steps in range(1, lookout.sight + 1):
        yield map_id, person.x + steps * facing.dx, person.y + steps * facing.dy


class Terrain:
    """What is believed of every map, and what else keeps one from walking there.

    A door that was seen open stays open in what is believed of its map until that map is seen again.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        # How far maps are from one another, without changes.
        self.nearness = Nearness.of(world.plain)
        self._hazards: tuple[Hazard, ...] = ()
        self._passages: tuple[Passage, ...] = ()

    def beware(self, hazards: Iterable[Hazard]) -> None:
        """From now on keep clear of these and no others."""
        self._hazards = tuple(hazards)

    def open(self, passages: Iterable[Passage]) -> None:
        """From now on get past the obstacles that these tell of, and no others."""
        self._passages = tuple(passages)

    def carry(self, carries: Mapping[MapSquare, MapSquare], lifts: Mapping[int, Lift]) -> None:
        """From now on know squares whose scripts move the player to others, and maps that are lifts."""
        self._world = self._world.moving(carries, lifts)

    @property
    def plain(self) -> World:
        """The world as the cartridge lays it out."""
        return self._world.plain

    def hazards(self, state: State) -> Obstacles:
        """Return what to keep clear of at this moment, people not counted."""
        found = Obstacles()
        for hazard in self._hazards:
            found = found.and_also(hazard(state))
        return found

    def world(self, state: State) -> World:
        """Return the world as it is known now that `state` is seen; the same object while nothing new is."""
        self._world = self._world.seen(state)
        if self._passages:
            self._world = self._world.passing(self.passes(state))
        return self._world

    def passes(self, state: State) -> frozenset[Obstacle]:
        """Return the obstacles that the team gets past at this moment."""
        return frozenset[Obstacle]().union(*[tell(state) for tell in self._passages])

    def to_json(self) -> dict[str, str]:
        """Return what a checkpoint keeps: the blocks of the maps that have changed, in hexadecimal."""
        return {str(map_id): blocks.hex() for map_id, blocks in self._world.changed.items()}

    def restore(self, data: Mapping[str, Json]) -> None:
        """Take over what `to_json` returned."""
        changed = {int(map_id): bytes.fromhex(str(blocks)) for map_id, blocks in data.items()}
        self._world = self._world.with_blocks(changed)
