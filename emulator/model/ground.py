"""The player's map as RAM holds it: its squares, its people, and what is in sight."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from emulator.dex.wild import THRESHOLDS, Wild, WildSlot, WildTable
from emulator.model.ram import GameRam
from emulator.ram import control as warps
from emulator.ram import map as at
from emulator.ram.flags import HIDDEN, HIDDEN_SIZE
from emulator.ram.tile_map import TILE_MAP
from emulator.world.game_map import GameMap, Square
from emulator.world.header import FIRST_INDOOR_MAP
from emulator.world.layout import BORDER, LIVE_BLOCKS
from emulator.world.map_objects import TRAINER_HEADER_POINTER, MapObject, find_trainer_headers
from emulator.world.world import FIGHTERS, World

Squares: TypeAlias = frozenset[Square]

IN_SIGHT_X, IN_SIGHT_Y = range(-4, 6), range(-4, 5)
BLOCK_SIZE: Final = 16  # tiles of a block, row by row
CORNERS: Final = (4, 6, 12, 14)  # the bottom left tile of each of its squares


@dataclass(slots=True)
class MapInRam:
    """The map in a RAM that can be written."""

    ram: GameRam
    world: World

    @property
    def map_id(self) -> int:
        """The map that the player is on."""
        return self.ram.map_id

    def lay(self, map_id: int, x: int, y: int, opened: Squares) -> None:
        """Write a map as the game loads it, with its squares that are open, and the player on one."""
        header, ram = self.world.map(map_id).header, self.ram
        if self.map_id < FIRST_INDOOR_MAP <= map_id:
            ram.put_byte(warps.LAST_MAP, self.map_id)
        for address, value in {
            at.MAP: map_id,
            at.TILESET: header.tileset_id,
            at.HEIGHT: header.height,
            at.WIDTH: header.width,
            at.X: x,
            at.Y: y,
            warps.WARP_COUNT: 0,  # none is taken
        }.items():
            ram.put_byte(address, value)
        if map_id < at.FIRST_ROUTE:
            ram.put_visited(map_id)
        toggles = bytes(byte for each in header.toggles for byte in (each.slot, each.flag))
        ram.put(at.LIST, toggles + bytes([at.LIST_END]))
        for data in (at.DATA_1, at.DATA_2):
            ram.put(data + at.SLOT_SIZE, bytes(at.SLOT_SIZE * (at.SLOTS - 1)))
        for each in header.people:
            slot = at.SLOT_SIZE * each.slot
            ram.put_byte(at.DATA_1 + slot, each.picture)
            facing = each.facing or at.Facing.DOWN
            ram.put_byte(at.DATA_1 + slot + at.SPRITE_FACING, facing.value)
            ram.put_byte(at.DATA_2 + slot + at.MAP_Y, each.y + at.BORDER)
            ram.put_byte(at.DATA_2 + slot + at.MAP_X, each.x + at.BORDER)
        fighters = tuple(each.text_id for each in header.people if each.kind in FIGHTERS)
        pointer = find_trainer_headers(self.world.rom, header.bank, header.texts, fighters)
        ram.put(TRAINER_HEADER_POINTER, pointer.to_bytes(2, "big"))
        self.see(opened)

    def push(self, slot: int, facing: at.Facing) -> tuple[int, int]:
        """Move a boulder by one square, and return the square where it lies then."""
        start, view = at.DATA_2 + at.SLOT_SIZE * slot, self.ram.view
        x, y = view.byte(start + at.MAP_X) + facing.dx, view.byte(start + at.MAP_Y) + facing.dy
        self.ram.put_byte(start + at.MAP_X, x)
        self.ram.put_byte(start + at.MAP_Y, y)
        return x - at.BORDER, y - at.BORDER

    def see(self, opened: Squares) -> None:
        """Write the ground with its open squares, and who and what is in sight of the player."""
        x, y = self.ram.view.byte(at.X), self.ram.view.byte(at.Y)
        hidden = self.hidden_slots()
        for each in self.world.map(self.map_id).people:
            near = each.x - x in IN_SIGHT_X and each.y - y in IN_SIGHT_Y
            image = 0 if near and each.slot not in hidden else at.NOT_DRAWN
            self.ram.put_byte(at.DATA_1 + at.SLOT_SIZE * each.slot + at.IMAGE, image)
        ground = self.ground(opened)
        self.ram.put(LIVE_BLOCKS, ground.layout.blocks)
        shown = [ground.tile(*each) for each in at.squares_in_sight(at.Position(x, y))]
        rows = [shown[start:][: at.SQUARES_WIDE] for start in range(0, len(shown), at.SQUARES_WIDE)]
        tiles = (bytes([tile for each in row for tile in (each, each)]) for row in rows)
        self.ram.put(TILE_MAP, b"".join(2 * row for row in tiles))

    def ground(self, opened: Squares) -> GameMap:
        """Return the player's map with its squares that are open."""
        here = self.map_id
        return with_open(self.world, here, opened) if opened else self.world.map(here)

    def hidden_slots(self) -> frozenset[int]:
        """Return the sprite slots that toggles hide."""
        hidden = self.ram.view.span(HIDDEN, HIDDEN_SIZE)
        toggles = self.world.map(self.map_id).header.toggles
        return frozenset(t.slot for t in toggles if hidden[t.flag >> 3] >> (t.flag & 7) & 1)

    def people(self) -> Iterator[MapObject]:
        """Yield the people and things that are there."""
        hidden = self.hidden_slots()
        for each in self.world.map(self.map_id).people:
            if each.slot not in hidden:
                yield each


def wild_table(world: World, map_id: int, wild: Wild, square: Square) -> WildTable | None:
    """Return the encounters on a square of a map, or None where there are none."""
    game_map = world.map(map_id)
    if game_map.warp_at(*square) is not None:
        return None
    if not game_map.passable(*square):
        return wild.water
    in_grass = game_map.tile(*square) == game_map.tileset.grass
    return wild.grass if in_grass or is_wild_everywhere(world, map_id) else None


def slot_of(table: WildTable, byte: int) -> WildSlot:
    """Return the slot that a random byte selects."""
    slots = zip(table.slots, THRESHOLDS, strict=True)
    return next(slot for slot, most in slots if byte <= most)


@lru_cache(maxsize=512)
def is_wild_everywhere(world: World, map_id: int) -> bool:
    """Return whether any floor of a map may meet wild Pokemon: an indoor one without grass."""
    game_map = world.map(map_id)
    squares = ((x, y) for y in range(game_map.rows) for x in range(game_map.columns))
    grass = game_map.tileset.grass
    return map_id >= FIRST_INDOOR_MAP and all(game_map.tile(*each) != grass for each in squares)


@lru_cache(maxsize=512)
def with_open(world: World, map_id: int, squares: Squares) -> GameMap:
    """Return a map on which squares are open: with blocks of its tileset whose floor is as it should be."""
    game_map = world.map(map_id)
    width = game_map.header.width + 2 * BORDER
    blocks = bytearray(game_map.layout.blocks)
    for column, row in {(x // 2, y // 2) for x, y in squares}:
        parts = [(2 * column + dx, 2 * row + dy) for dy in (0, 1) for dx in (0, 1)]
        floor = tuple([part in squares or game_map.passable(*part) for part in parts])
        block = _block_with(game_map, floor)
        if block is not None:
            blocks[(row + BORDER) * width + column + BORDER] = block
    return game_map.with_blocks(bytes(blocks))


def _block_with(game_map: GameMap, floor: tuple[bool, ...]) -> int | None:
    """Return a block of a map's tileset whose four squares are floor or not as in `floor`."""
    tileset = game_map.tileset
    for number in range(len(tileset.blocks) // BLOCK_SIZE):
        shape = tileset.blocks[number * BLOCK_SIZE :][:BLOCK_SIZE]
        if tuple([shape[corner] in tileset.passable for corner in CORNERS]) == floor:
            return number
    return None
