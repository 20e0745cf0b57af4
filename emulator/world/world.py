"""The world of one cartridge, decoded when asked for and kept, and as RAM shows it to have changed.

Scripts open doors and close gates by changing blocks of the map in RAM; the cartridge does not tell. Nor does it tell
which maps are the cars of lifts: that is the story's to say.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from emulator.cartridge import Cartridge, Rom
from emulator.errors import CartridgeError
from emulator.profile import table
from emulator.ram.map import Position
from emulator.ram.state import State
from emulator.world.game_map import GameMap, make_map
from emulator.world.header import MAP_BANKS, MAP_COUNT, Connection, read_header
from emulator.world.layout import LIVE_BLOCKS, lay_out
from emulator.world.residents import Lookout, ResidentKind, read_lookouts
from emulator.world.tileset import Ground, Obstacle, Tileset, read_ground, read_tileset

HOLE_TARGETS: Final = table("DungeonWarpList")  # map, number
HOLE_LANDINGS: Final = table("DungeonWarpData")  # view pointer, Y, X, their lowest bits
HOLE_TARGET_SIZE: Final = 2
HOLE_LANDING_SIZE: Final = 6
HOLE_COUNT: Final = 12


class DungeonWarp(NamedTuple):
    """Where a hole leads to; `number` tells the landings on one map apart (wWhichDungeonWarp)."""

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
    """Where one steps out of a lift; `row` is its place in the list of floors, from 0 on."""

    row: int
    map_id: int
    warp_index: int


class Lift(NamedTuple):
    """The panel of a car, which is read from below, and the floors that it lists."""

    panel: tuple[int, int]
    floors: tuple[Floor, ...]


Changes: TypeAlias = tuple[tuple[int, bytes], ...]
MapSquare: TypeAlias = tuple[int, int, int]  # a map, x and y

FIGHTERS: Final = (ResidentKind.TRAINER, ResidentKind.MON)


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Every map of a cartridge; `World.of(cartridge)` decodes each only once a process.

    It never changes. Where blocks do, `seen` returns another world, which shares all other maps with it.
    `passes` are the obstacles that the player gets past, none on the cartridge's own world; `carries` are
    the squares on which a script takes hold of who steps there, and where it lets go again; `lifts` are those
    whose cars are these maps.
    """

    rom: Rom = field(repr=False)
    ground: Ground = field(repr=False)
    _tilesets: dict[int, Tileset] = field(default_factory=dict, repr=False)
    _maps: dict[int, GameMap] = field(default_factory=dict, repr=False)
    _plain: "World | None" = field(default=None, repr=False)  # as the cartridge has it
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
        """Return the world of an empty slot: maps without anything on them."""
        return World(Rom(b""), Ground(frozenset(), {}))

    @property
    def map_ids(self) -> range:
        """Every id that a map may have, used or not."""
        return range(MAP_COUNT)

    @property
    def maps(self) -> tuple[GameMap, ...]:
        """Every map; to ask for them is to decode those that were not asked for yet."""
        return tuple([self.map(map_id) for map_id in self.map_ids])

    @property
    def dungeon_warps(self) -> tuple[DungeonWarp, ...]:
        """Where the holes of all maps lead."""
        return read_dungeon_warps(self.rom)

    def map(self, map_id: int) -> GameMap:
        """Return a map."""
        if map_id in self._changed:
            return self._changed[map_id]
        if map_id not in self.map_ids:
            message = f"no map has id {map_id}; ids are 0 to {MAP_COUNT - 1}"
            raise CartridgeError(message)
        if map_id not in self._maps:
            self._maps[map_id] = self._read(map_id)
        return self._maps[map_id]

    def tileset(self, tileset_id: int) -> Tileset:
        """Return a tileset."""
        if tileset_id not in self._tilesets:
            self._tilesets[tileset_id] = read_tileset(self.rom, tileset_id)
        return self._tilesets[tileset_id]

    def arrival(self, map_id: int, warp_index: int) -> Position:
        """Return the square on which a warp to this index of this map ends."""
        warps = self.map(map_id).warps
        if warp_index >= len(warps):
            message = f"map {map_id} has {len(warps)} warps, none with index {warp_index}"
            raise CartridgeError(message)
        return warps[warp_index].position

    @property
    def plain(self) -> "World":
        """The world as the cartridge lays it out."""
        return self._plain or self

    @property
    def changed(self) -> dict[int, bytes]:
        """The blocks, border included, of the maps that are not as the cartridge lays them out."""
        return {map_id: game_map.layout.blocks for map_id, game_map in self._changed.items()}

    def differs_around(self, map_id: int) -> bool:
        """Say whether this map or one that joins it is not as the cartridge lays it out."""
        changed = self._changed
        joined = self.map(map_id).header.connections
        return map_id in changed or any(each.map_id in changed for each in joined)

    def with_blocks(self, changed: Mapping[int, bytes]) -> "World":
        """Return the cartridge's world with these blocks, the border included, for some of its maps.

        Maps that are not in `changed` are as the cartridge lays them out. The same blocks give the
        same object as long as few others were asked for, and no change gives the cartridge's own. What is
        passed remains.
        """
        plain = self.plain
        changes = [
            (map_id, blocks)
            for map_id, blocks in sorted(changed.items())
            if blocks != plain.map(map_id).layout.blocks
        ]
        return _variant(plain, tuple(changes), self.passes)

    def passing(self, passes: frozenset[Obstacle]) -> "World":
        """Return this world for a player who gets past these obstacles, and no others."""
        if passes == self.passes:
            return self
        return _variant(self.plain, tuple(sorted(self.changed.items())), passes)

    def moving(self, carries: Mapping[MapSquare, MapSquare], lifts: Mapping[int, Lift]) -> "World":
        """Return this world with scripts that carry the player from some squares to others, and with these lifts."""
        if (carries, lifts) == (self.carries, self.lifts):
            return self
        moves = tuple(sorted(carries.items())), tuple(sorted(lifts.items()))
        plain = _with_moves(self.plain, *moves)
        return _variant(plain, tuple(sorted(self.changed.items())), self.passes)

    def alike(self, map_id: int) -> "World":
        """Return the plainest world that is no different on this map and on those that join it."""
        if self is self.plain or self.differs_around(map_id):
            return self
        around = (map_id, *(each.map_id for each in self.map(map_id).header.connections))
        if any(_obstacles(self.plain, each) & self.passes for each in around):
            return self.with_blocks({})
        return self.plain

    def live_map(self, state: State) -> GameMap | None:
        """Return the player's map with the blocks that RAM holds for it now; None where it may hold none.

        Without control wOverworldMap may be anything: pictures are unpacked there. Even with control a map
        may still be being loaded, as after a step over the edge of another.
        """
        here = state.map
        if not state.in_control or here.map_id not in self.map_ids:
            return None
        known = self.map(here.map_id)
        size = len(known.layout.blocks)
        if (here.width, here.height) != (known.header.width, known.header.height):
            return None
        live = state.ram.span(LIVE_BLOCKS, size)
        same = known.layout.agrees(live)
        return known if same else _changed_map(self.plain, here.map_id, live)

    def seen(self, state: State) -> "World":
        """Return this world with the player's map as RAM has it now, if the screen bears that out.

        That is this very object when nothing has changed, and when it cannot be told.
        """
        live = self.live_map(state)
        if live is None or live is self.map(live.map_id):
            return self
        shown = state.tiles_in_sight
        if shown is None or live.unlike(shown):
            return self
        return self.with_blocks({**self.changed, live.map_id: live.layout.blocks})

    def lookouts(self, state: State) -> Mapping[int, Lookout]:
        """Return how far the trainers of the player's map see, by sprite slot; those whose mons wait there too."""
        here = state.map.map_id
        watchers = [each.slot for each in self.map(here).people if each.kind in FIGHTERS]
        if not watchers:
            return {}
        bank = self.rom.byte(MAP_BANKS[0], MAP_BANKS[1] + here)
        return read_lookouts(self.rom, bank, state.ram, watchers)

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
    """Return the one object for these changes: routes are kept by the world they lead through."""
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


@lru_cache(maxsize=2 * MAP_COUNT)
def _obstacles(plain: World, map_id: int) -> frozenset[Obstacle]:
    return plain.map(map_id).obstacles if map_id in plain.map_ids else frozenset()
