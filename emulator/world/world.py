"""All maps of one cartridge, decoded on request and cached, with the changes that RAM shows.

Scripts open doors and gates by changing blocks of the map in RAM, and the cartridge does not show which. Nor does
it show which maps are elevators: the story files list those.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from emulator.cartridge import Cartridge, Rom
from emulator.errors import CartridgeError
from emulator.profile import table
from emulator.ram.map import MapPosition, Position
from emulator.ram.state import State
from emulator.world.game_map import LAST_MAP, GameMap, Warp, make_map
from emulator.world.header import FIRST_INDOOR_MAP, MAP_BANKS, MAP_COUNT, Connection, read_header
from emulator.world.layout import LIVE_BLOCKS, lay_out
from emulator.world.map_objects import MapObjectKind, SightLine, read_sight_lines
from emulator.world.tileset import Ground, Obstacle, Tileset, read_ground, read_tileset

HOLE_TARGETS: Final = table("DungeonWarpList")  # map, number
HOLE_LANDINGS: Final = table("DungeonWarpData")  # view pointer, Y, X, their lowest bits
HOLE_TARGET_SIZE: Final = 2
HOLE_LANDING_SIZE: Final = 6
HOLE_COUNT: Final = 12


class DungeonWarp(NamedTuple):
    """The landing of a hole; `number` distinguishes the landings on one map (wWhichDungeonWarp)."""

    map_id: int
    number: int
    x: int
    y: int


def read_dungeon_warps(rom: Rom) -> tuple[DungeonWarp, ...]:
    """Return every landing, in the order of the cartridge."""
    targets = rom.rows(*HOLE_TARGETS, HOLE_TARGET_SIZE)[:HOLE_COUNT]
    landings = rom.table(HOLE_LANDINGS, HOLE_LANDING_SIZE, len(targets))
    pairs = zip(targets, landings, strict=True)
    return tuple([DungeonWarp(id_, number, row[3], row[2]) for (id_, number), row in pairs])


class Floor(NamedTuple):
    """The exit of an elevator on one floor; `row` is its row in the list of floors, from 0."""

    row: int
    map_id: int
    warp_index: int


class Lift(NamedTuple):
    """An elevator: the square of its panel, read from below, the floors it lists, and the facts that it requires."""

    panel: tuple[int, int]
    floors: tuple[Floor, ...]
    needs: tuple[str, ...] = ()


Changes: TypeAlias = tuple[tuple[int, bytes], ...]
MapSquare: TypeAlias = tuple[int, int, int]  # map id, x and y

# A copy of a map that nothing leads to may lead into a room; two maps without a way back make an elevator.
OTHER_FLOORS: Final = 2
FIGHTERS: Final = (MapObjectKind.TRAINER, MapObjectKind.MON)


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Every map of a cartridge; `World.of(cartridge)` decodes each once per process.

    A world is immutable. When blocks change, `seen` returns another world that shares all other maps with it. `passes`
    are the obstacles that the player can pass, none on the cartridge's own world; `carries` maps squares at which a
    script moves the player to the squares where it ends; `lifts` are the elevators by the map id of their car.
    """

    rom: Rom = field(repr=False)
    ground: Ground = field(repr=False)
    _tilesets: dict[int, Tileset] = field(default_factory=dict, repr=False)
    _maps: dict[int, GameMap] = field(default_factory=dict, repr=False)
    _plain: "World | None" = field(default=None, repr=False)  # as on the cartridge
    _changed: Mapping[int, GameMap] = field(default_factory=dict, repr=False)
    passes: frozenset[Obstacle] = frozenset()
    carries: Mapping[MapSquare, MapSquare] = field(default_factory=dict, repr=False)
    lifts: Mapping[int, Lift] = field(default_factory=dict, repr=False)

    @staticmethod
    @lru_cache(maxsize=4)
    def of(cartridge: Cartridge) -> "World":
        """Return the world of a cartridge."""
        rom = Rom(cartridge.rom)
        return World(rom, read_ground(rom))

    @staticmethod
    def empty() -> "World":
        """Return the world without a cartridge: maps with nothing on them."""
        return World(Rom(b""), Ground(frozenset(), {}))

    @property
    def map_ids(self) -> range:
        """Every possible map id, used or not."""
        return range(MAP_COUNT)

    @property
    def maps(self) -> tuple[GameMap, ...]:
        """Every map; this decodes the maps that were not requested before."""
        return tuple([self.map(map_id) for map_id in self.map_ids])

    @property
    def dungeon_warps(self) -> tuple[DungeonWarp, ...]:
        """The landings of all holes."""
        return read_dungeon_warps(self.rom)

    def map(self, map_id: int) -> GameMap:
        """Return a map."""
        if map_id in self._changed:
            return self._changed[map_id]
        if map_id not in self.map_ids:
            raise CartridgeError(f"no map has id {map_id}; ids are 0 to {MAP_COUNT - 1}")
        if map_id not in self._maps:
            self._maps[map_id] = self._read(map_id)
        return self._maps[map_id]

    def tileset(self, tileset_id: int) -> Tileset:
        """Return a tileset."""
        if tileset_id not in self._tilesets:
            self._tilesets[tileset_id] = read_tileset(self.rom, tileset_id)
        return self._tilesets[tileset_id]

    def arrival(self, map_id: int, warp_index: int) -> Position:
        """Return the square at which a warp to this map and warp index ends."""
        warps = self.map(map_id).warps
        if warp_index >= len(warps):
            message = f"map {map_id} has {len(warps)} warps, none with index {warp_index}"
            raise CartridgeError(message)
        return warps[warp_index].position

    def end_of(self, map_id: int, warp: Warp) -> MapPosition | None:
        """Return where a warp of a map leads, or None where the cartridge does not say.

        A script sets the end of an elevator's warps to the floor of entry. So no warp leads into an elevator that is
        not in `lifts`: from its car, the player would only come back.
        """
        there = self._outside(map_id, warp) if warp.map_id == LAST_MAP else warp.map_id
        if there not in self.map_ids or warp.warp_index >= len(self.map(there).warps):
            return None
        if there not in self.lifts and there in _cars(self.plain):
            return None
        return MapPosition(there, *self.arrival(there, warp.warp_index))

    def _outside(self, map_id: int, warp: Warp) -> int:
        """Return the outdoor map that a 0xFF warp leads to, LAST_MAP if there is none.

        It is the map whose warp leads back; of two, as at a gate, the one whose warp leads back to the same side.
        Scripts of tunnels and gates set wLastMap to it, whatever map the player came from.
        """
        doors = _doors(self.plain).get((map_id, warp.warp_index), ())
        sides = [(self._steps_between(map_id, back, warp), there) for there, back in doors]
        return min(sides, default=(0, LAST_MAP))[1]

    def _steps_between(self, map_id: int, back: int, warp: Warp) -> int:
        x, y = self.arrival(map_id, back)
        return abs(x - warp.x) + abs(y - warp.y)

    @property
    def plain(self) -> "World":
        """The world as on the cartridge."""
        return self._plain or self

    @property
    def changed(self) -> dict[int, bytes]:
        """The blocks, border included, of the maps that differ from the cartridge."""
        return {map_id: game_map.layout.blocks for map_id, game_map in self._changed.items()}

    def differs_around(self, map_id: int) -> bool:
        """Return whether this map or a connected one differs from the cartridge."""
        changed = self._changed
        joined = self.map(map_id).header.connections
        return map_id in changed or any(each.map_id in changed for each in joined)

    def with_blocks(self, changed: Mapping[int, bytes]) -> "World":
        """Return the cartridge's world with these blocks, border included, on some of its maps.

        Maps that are not in `changed` are as on the cartridge. The same blocks give the same object while it is in the
        cache, and no change gives the cartridge's own world. The obstacles that the player can pass stay the same.
        """
        plain = self.plain
        changes = [
            (map_id, blocks)
            for map_id, blocks in sorted(changed.items())
            if blocks != plain.map(map_id).layout.blocks
        ]
        return _variant(plain, tuple(changes), self.passes)

    def passing(self, passes: frozenset[Obstacle]) -> "World":
        """Return this world for a player who can pass exactly these obstacles."""
        if passes == self.passes:
            return self
        return _variant(self.plain, tuple(sorted(self.changed.items())), passes)

    def moving(self, carries: Mapping[MapSquare, MapSquare], lifts: Mapping[int, Lift]) -> "World":
        """Return this world with scripts that move the player between squares, and with these elevators."""
        if (carries, lifts) == (self.carries, self.lifts):
            return self
        moves = tuple(sorted(carries.items())), tuple(sorted(lifts.items()))
        plain = _with_moves(self.plain, *moves)
        return _variant(plain, tuple(sorted(self.changed.items())), self.passes)

    @lru_cache(maxsize=4096)  # noqa: B019  # asked for every spot of a map
    def simplest_equal(self, map_id: int) -> "World":
        """Return the simplest world that is equal on this map and its connected maps."""
        if self is self.plain or self.differs_around(map_id):
            return self
        around = (map_id, *(each.map_id for each in self.map(map_id).header.connections))
        if any(_obstacles(self.plain, each) & self.passes for each in around):
            return self.with_blocks({})
        return self.plain

    def live_map(self, state: State) -> GameMap | None:
        """Return the player's map with its current blocks in RAM; None when RAM may not hold them.

        Without control wOverworldMap can hold other data: pictures are unpacked there. Even with control a
        map may still be loading, as after a step over the edge of another.
        """
        here = state.map
        if not state.in_control or here.map_id not in self.map_ids:
            return None
        known = self.map(here.map_id)
        size = len(known.layout.blocks)
        if (here.width, here.height) != (known.header.width, known.header.height):
            return None
        live = state.ram.span(LIVE_BLOCKS, size)
        same = known.layout.has_same_blocks(live)
        return known if same else _changed_map(self.plain, here.map_id, live)

    def seen(self, state: State) -> "World":
        """Return this world with the current blocks of the player's map, if the screen confirms them.

        Return this same object when nothing has changed or the screen cannot confirm it.
        """
        live = self.live_map(state)
        if live is None or live is self.map(live.map_id):
            return self
        shown = state.tiles_in_sight
        if shown is None or live.count_differences(shown):
            return self
        return self.with_blocks({**self.changed, live.map_id: live.layout.blocks})

    def sight_lines(self, state: State) -> Mapping[int, SightLine]:
        """Return the sight of the trainers on the player's map by sprite slot, including overworld Pokemon."""
        here = state.map.map_id
        fighters = [each.slot for each in self.map(here).people if each.kind in FIGHTERS]
        if not fighters:
            return {}
        bank = self.rom.byte(MAP_BANKS[0], MAP_BANKS[1] + here)
        return read_sight_lines(self.rom, bank, state.ram, fighters)

    def _read(self, map_id: int) -> GameMap:
        header = read_header(self.rom, map_id)
        tileset = self.tileset(header.tileset_id)
        layout = lay_out(header, tileset, self._strip)
        return make_map(header, tileset, layout, self.ground)

    def _strip(self, connection: Connection, size: int) -> bytes:
        bank = self.rom.byte(MAP_BANKS[0], MAP_BANKS[1] + connection.map_id)
        return self.rom.span(bank, connection.strip, size)


@lru_cache(maxsize=64)
def _variant(plain: World, changes: Changes, passes: frozenset[Obstacle]) -> World:
    """Return the single object for these changes: routes are cached per world object."""
    if not changes and not passes:
        return plain
    changed = {map_id: _changed_map(plain, map_id, blocks) for map_id, blocks in changes}
    return replace(plain, _plain=plain, _changed=changed, passes=passes)


@lru_cache(maxsize=4)
def _with_moves(
    plain: World,
    carries: tuple[tuple[MapSquare, MapSquare], ...],
    lifts: tuple[tuple[int, Lift], ...],
) -> World:
    return replace(plain, carries=dict(carries), lifts=dict(lifts))


@lru_cache(maxsize=MAP_COUNT)
def _changed_map(plain: World, map_id: int, blocks: bytes) -> GameMap:
    return plain.map(map_id).with_blocks(blocks)


@lru_cache(maxsize=4)
def _doors(plain: World) -> Mapping[tuple[int, int], list[tuple[int, int]]]:
    """Return the warps of outdoor maps by indoor map and index: the outdoor map, and the warp that it leads to."""
    doors: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for outdoor in map(plain.map, range(FIRST_INDOOR_MAP)):
        for warp in outdoor.warps:
            there = warp.map_id
            if there in plain.map_ids and warp.warp_index < len(plain.map(there).warps):
                doors[there, warp.index].append((outdoor.map_id, warp.warp_index))
    return doors


@lru_cache(maxsize=4)
def _cars(plain: World) -> frozenset[int]:
    """Return the elevators: all their warps lead to one map, but those of `OTHER_FLOORS` other maps lead in."""
    entered: defaultdict[int, set[int]] = defaultdict(set)
    for game_map in plain.maps:
        for warp in game_map.warps:
            entered[warp.map_id].add(game_map.map_id)
    ends = {each.map_id: {warp.map_id for warp in each.warps} for each in plain.maps}
    return frozenset(
        map_id
        for map_id, there in ends.items()
        if len(there) == 1
        and LAST_MAP not in there
        and len(entered[map_id] - there) >= OTHER_FLOORS
    )


@lru_cache(maxsize=2 * MAP_COUNT)
def _obstacles(plain: World, map_id: int) -> frozenset[Obstacle]:
    return plain.map(map_id).obstacles if map_id in plain.map_ids else frozenset()
