"""The known ground: changed maps, people in the way, squares in sight of trainers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import pow
from typing import Final, NamedTuple, TypeAlias

from agent.skills.distances import MapDistances
from agent.skills.route import Obstacles
from emulator import FRAMES_PER_SECOND, Facing, MapSquare, Obstacle, Person, State, World
from emulator.ram import is_in_sight
from emulator.world import Lift, MapObject, MapObjectKind, Opponent, SightLine
from memory import Json

HALF_LIFE: Final = 4.0  # game seconds; a walking person takes a step every one or two
NEARBY: Final = 8  # detour in steps around a walking person seen just now
Hazard: TypeAlias = Callable[[State], Obstacles]
Passage: TypeAlias = Callable[[State], frozenset[Obstacle]]
UsableLifts: TypeAlias = Callable[[State], Mapping[int, Lift]]


class Crowd:
    """The people of one map: their squares, and where walking people were seen last.

    A person in sight blocks their square; a person that never walks blocks it also out of sight. The squares
    around the last position of a walking person have an extra cost that decays with time. A map change clears all.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._map_id: int | None = None
        self._standing: frozenset[int] = frozenset()  # slots of people that never walk
        self._traces: dict[MapSquare, int] = {}  # where a walker was, and the frame at that time

    def see(self, state: State) -> None:
        """Record the positions of people."""
        here = state.map.map_id
        if here != self._map_id:
            self._map_id = here
            map_objects = self.world.map(here).people
            self._standing = frozenset(each.slot for each in map_objects if not each.walks)
            self._traces.clear()
        for person in state.people_present:
            if person.on_screen and person.slot not in self._standing:
                self._traces[here, person.x, person.y] = state.frame

    def obstacles(self, state: State) -> Obstacles:
        """Record the positions of people, and return them as obstacles."""
        self.see(state)
        walls = frozenset(self._walls(state, state.people_present))
        return Obstacles(walls, self._costs(state.frame, walls))

    def standing(self, state: State) -> Obstacles:
        """Return the people that never walk, as obstacles."""
        self.see(state)
        people = [each for each in state.people_present if each.slot in self._standing]
        return Obstacles(frozenset(self._walls(state, people)), {})

    def _walls(self, state: State, people: Iterable[Person]) -> Iterator[MapSquare]:
        for person in people:
            # The game does not draw or move people out of sight.
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


@lru_cache(maxsize=256)
def boulders_elsewhere(world: World, map_id: int, hidden: bytes) -> frozenset[MapSquare]:
    """Return where boulders lie on all other maps: each lies there again whenever its map is entered.

    Without them two maps may each seem to be the way past the other's boulder.
    """
    return frozenset(
        square
        for square, flag in _boulders(world)
        if square[0] != map_id and (flag is None or not hidden[flag >> 3] >> (flag & 7) & 1)
    )


@lru_cache(maxsize=256)
def boulders_on(world: World, map_id: int) -> frozenset[int]:
    """Return the sprite slots of the boulders of a map."""
    people = world.map(map_id).people
    return frozenset(each.slot for each in people if each.kind is MapObjectKind.BOULDER)


@lru_cache(maxsize=4)
def _boulders(world: World) -> tuple[tuple[MapSquare, int | None], ...]:
    """Return the squares of all boulders, each with the flag that hides it, if one does."""
    flags = {each.map_id: {t.slot: t.flag for t in each.header.toggles} for each in world.maps}
    return tuple(
        ((game_map.map_id, each.x, each.y), flags[game_map.map_id].get(each.slot))
        for game_map in world.maps
        for each in game_map.people
        if each.kind is MapObjectKind.BOULDER
    )


def _around(square: MapSquare) -> Iterator[MapSquare]:
    map_id, x, y = square
    yield square
    for facing in Facing:
        yield map_id, x + facing.dx, y + facing.dy


class TrainerSight(NamedTuple):
    """A trainer that attacks on sight, and the squares in sight, which walls and people do not limit."""

    slot: int
    opponent: Opponent
    squares: frozenset[MapSquare]


def watching_trainers(world: World, state: State) -> Iterator[TrainerSight]:
    """Yield the trainers of the player's map that are not beaten yet."""
    sight_lines = world.sight_lines(state)
    if not sight_lines:
        return
    present = {person.slot: person for person in state.people_present}
    for map_object in world.map(state.map.map_id).people:
        sight_line, person = sight_lines.get(map_object.slot), present.get(map_object.slot)
        if sight_line is None or person is None or map_object.opponent is None:
            continue
        if not state.flags.is_set(sight_line.event):
            squares = frozenset(_in_sight(state.map.map_id, map_object, person, sight_line))
            yield TrainerSight(map_object.slot, map_object.opponent, squares)


def _in_sight(
    map_id: int, map_object: MapObject, person: Person, sight_line: SightLine
) -> Iterator[MapSquare]:
    facing = map_object.facing or person.facing
    for steps in range(1, sight_line.sight + 1):
        yield map_id, person.x + steps * facing.dx, person.y + steps * facing.dy


class Terrain:
    """The known state of every map, with hazards and cleared obstacles.

    A door seen open counts as open until its map is seen again.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        # Distances between maps, without changed blocks.
        self.map_distances = MapDistances.of(world.plain)
        self._hazards: tuple[Hazard, ...] = ()
        self._passages: tuple[Passage, ...] = ()
        self._lifts: UsableLifts | None = None

    def set_hazards(self, hazards: Iterable[Hazard]) -> None:
        """Replace the hazards to avoid."""
        self._hazards = tuple(hazards)

    def set_passages(self, passages: Iterable[Passage]) -> None:
        """Replace the passages, which return the obstacles that can be cleared."""
        self._passages = tuple(passages)

    def set_forced_moves(self, carries: Mapping[MapSquare, MapSquare], lifts: UsableLifts) -> None:
        """Set the squares whose scripts move the player, and what returns the elevators that can be used."""
        self._world = self._world.moving(carries, {})
        self._lifts = lifts

    @property
    def plain(self) -> World:
        """The world as in the cartridge, without changed blocks."""
        return self._world.plain

    def hazards(self, state: State) -> Obstacles:
        """Return the hazards of this state as obstacles, and the boulders of other maps; without people."""
        here = state.map.map_id
        found = Obstacles(boulders_elsewhere(self.plain, here, state.flags.hidden))
        for hazard in self._hazards:
            found = found.plus(hazard(state))
        return found

    def world(self, state: State) -> World:
        """Return the known world after `state`; the same object while nothing changes."""
        self._world = self._world.seen(state)
        if self._passages:
            self._world = self._world.passing(self.passes(state))
        if self._lifts is not None and (lifts := self._lifts(state)) != self._world.lifts:
            self._world = self._world.moving(self._world.carries, lifts)
        return self._world

    def passes(self, state: State) -> frozenset[Obstacle]:
        """Return the obstacles that the team can clear in this state."""
        return frozenset[Obstacle]().union(*[passage(state) for passage in self._passages])

    def to_json(self) -> dict[str, str]:
        """Return the data for a checkpoint: the blocks of changed maps, in hexadecimal."""
        return {str(map_id): blocks.hex() for map_id, blocks in self._world.changed.items()}

    def restore(self, data: Mapping[str, Json]) -> None:
        """Restore the data that `to_json` returned."""
        changed = {int(map_id): bytes.fromhex(str(blocks)) for map_id, blocks in data.items()}
        self._world = self._world.with_blocks(changed)
