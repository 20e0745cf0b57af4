"""The world of one cartridge, decoded when asked for and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from emulator.cartridge import Cartridge
from emulator.errors import CartridgeError
from emulator.ram.map import Position
from emulator.world.dungeon_warps import DungeonWarp, read_dungeon_warps
from emulator.world.game_map import GameMap, make_map
from emulator.world.ground import Ground, read_ground
from emulator.world.header import BANKS, COUNT, Connection, read_header
from emulator.world.layout import lay_out
from emulator.world.rom import Rom
from emulator.world.tileset import Tileset, read_tileset


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Every map of a cartridge; `World.of(cartridge)` decodes each only once a process."""

    rom: Rom = field(repr=False)
    ground: Ground = field(repr=False)
    _tilesets: dict[int, Tileset] = field(default_factory=dict, repr=False)
    _maps: dict[int, GameMap] = field(default_factory=dict, repr=False)

    @staticmethod
    @lru_cache(maxsize=4)
    def of(cartridge: Cartridge) -> World:
        """Return the world of a cartridge."""
        rom = Rom(cartridge.rom)
        return World(rom, read_ground(rom))

    @staticmethod
    def empty() -> World:
        """Return the world of an empty slot: maps without anything on them."""
        return World(Rom(b""), Ground(frozenset(), {}))

    @property
    def map_ids(self) -> range:
        """Every id that a map may have, used or not."""
        return range(COUNT)

    @property
    def maps(self) -> tuple[GameMap, ...]:
        """Every map; to ask for them is to decode those that nobody has asked for yet."""
        return tuple([self.map(map_id) for map_id in self.map_ids])

    @property
    def dungeon_warps(self) -> tuple[DungeonWarp, ...]:
        """Where the holes of all maps lead."""
        return read_dungeon_warps(self.rom)

    def map(self, map_id: int) -> GameMap:
        """Return a map."""
        if map_id not in self.map_ids:
            message = f"no map has id {map_id}; ids are 0 to {COUNT - 1}"
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

    def _read(self, map_id: int) -> GameMap:
        header = read_header(self.rom, map_id)
        tileset = self.tileset(header.tileset_id)
        layout = lay_out(header, tileset, self._strip)
        return make_map(header, tileset, layout, self.ground)

    def _strip(self, connection: Connection, size: int) -> bytes:
        bank = self.rom.byte(BANKS[0], BANKS[1] + connection.map_id)
        return self.rom.span(bank, connection.strip, size)
