"""Changed map blocks: read from the live block map, and compared with what the screen shows.

Sixteen moments of the real game hold live block maps, but no blocksets: those are in its ROM. The tiles of blocks
are read here from wSurroundingTiles, where the game draws the blocks around the player, and never stored.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from emulator import Facing, Position, Ram, State, World, read_state
from emulator.cartridge import Rom
from emulator.profile import symbol
from emulator.ram.map import collision_tiles, is_in_sight, squares_in_sight
from emulator.ram.tile_map import read_tiles
from emulator.world.game_map import make_map
from emulator.world.header import MapHeader
from emulator.world.layout import LIVE_BLOCKS, lay_out
from emulator.world.texts import TextTable
from emulator.world.tileset import BLOCK_SIZE, BLOCKS, TILES, Ground, Tileset

RED: Final = Path(__file__).resolve().parents[4] / "shared" / "red"
NAMES: Final = sorted(path.stem for path in (RED / "wram").glob("*.wram"))
with_images = pytest.mark.skipif(not NAMES, reason=f"no RAM images of the real game in {RED}/wram")

# In every other image wSurroundingTiles is complete. This one was saved as a battle began.
BROKEN: Final = {"rival_battle_sendout"}
# Where a text box covers part of the map, or the player is between two squares, no reader reports tiles.
UNREAD: Final = {"beat_champion", "blues_house_dialog", "pallet_town_walking", *BROKEN}
IN_SIGHT: Final = 90
ABOVE_TEXT: Final = 60
COMPARED: Final = {
    name: {
        "rival_battle_sendout": 0,
        "beat_champion": ABOVE_TEXT,
        "blues_house_dialog": ABOVE_TEXT,
    }.get(name, IN_SIGHT)
    for name in NAMES
}

Blocks: TypeAlias = dict[int, bytes]
UNSEEN: Final = bytes([0xFF]) * BLOCK_SIZE  # of a block that no image shows: not a tile of a map


@cache
def ram_of(name: str) -> Ram:
    path = RED / "wram" / f"{name}.wram"
    return Ram.of_image(path.read_bytes(), path.with_suffix(".hram").read_bytes())


@cache
def state_of(name: str) -> State:
    return read_state(ram_of(name), 0)


def blocks_around(name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the 30 blocks in wSurroundingTiles, each with its 16 tiles."""
    ram, stride = ram_of(name), state_of(name).map.width + 6
    drawn = ram.span(symbol("wSurroundingTiles"), 20 * 24)
    view = int.from_bytes(ram.span(symbol("wCurrentTileBlockMapViewPointer"), 2), "little")
    for row in range(5):
        for column in range(6):
            corner = 4 * row * 24 + 4 * column
            tiles = b"".join(drawn[corner + 24 * n :][:4] for n in range(4))
            yield ram.byte(view + row * stride + column), tiles


def blocksets() -> dict[int, Blocks]:
    """Return for each tileset the blocks that the images show; no block has two forms."""
    learnt: defaultdict[int, Blocks] = defaultdict(dict)
    for name in sorted(set(NAMES) - BROKEN):
        known = learnt[state_of(name).map.tileset]
        for block, tiles in blocks_around(name):
            assert known.setdefault(block, tiles) == tiles, (name, block)
    return learnt


@cache
def world() -> World:
    """Return the maps of all images as a cartridge of empty maps; blocks as the images show them."""
    facts = json.loads((RED / "maps.json").read_text(encoding="utf-8"))["maps"]
    sizes = {row["id"]: (row["w"], row["h"]) for row in facts if "w" in row}
    floors = json.loads((RED / "data" / "tilesets.json").read_text(encoding="utf-8"))["tilesets"]
    learnt, ground = blocksets(), Ground(frozenset(), {facing: frozenset() for facing in Facing})
    tilesets = {row["id"]: tileset_of(row, learnt[row["id"]]) for row in floors}
    made = World(Rom(b""), ground)
    for here in (state_of(name).map for name in NAMES):
        width, height = sizes[here.map_id]
        header = MapHeader(
            map_id=here.map_id,
            bank=0,
            address=0,
            tileset_id=here.tileset,
            width=width,
            height=height,
            blocks=bytes(width * height),
            border=0,
            connections=(),
            warps=(),
            signs=(),
            people=(),
            texts=TextTable(made.rom, 0, 0),
        )
        tileset = tilesets[here.tileset]
        layout = lay_out(header, tileset, lambda _connection, size: bytes(size))
        made._maps[here.map_id] = make_map(header, tileset, layout, ground)
    return made


def tileset_of(row: Mapping[str, Any], blocks: Blocks) -> Tileset:
    return Tileset(
        tileset_id=row["id"],
        blocks=b"".join(blocks.get(number, UNSEEN) for number in range(BLOCKS)),
        graphics=b"",
        passable=frozenset(int(tile, 16) for tile in row["passable"]),
        counters=frozenset(),
        grass=None,
        animated=False,
        warps=frozenset(),
        doors=frozenset(),
        pairs=frozenset(),
    )


def shown(name: str) -> dict[tuple[int, int], int]:
    """Return the tiles of the squares in sight that are not covered by a box or a battle."""
    state = state_of(name)
    if state.in_battle:
        return {}
    here = state.position
    if state.control.walking:  # the screen is a step ahead of the coordinates
        here = Position(here.x + state.map.facing.dx, here.y + state.map.facing.dy)
    tiles = zip(squares_in_sight(here), collision_tiles(read_tiles(state.ram)), strict=True)
    return {square: tile for square, tile in tiles if tile < TILES}


@with_images
@pytest.mark.parametrize("name", NAMES)
def test_the_live_blocks_of_the_real_game_match_its_screen(name: str) -> None:
    state, here = state_of(name), world().map(state_of(name).map.map_id)
    assert (state.tiles_in_sight is None) is (name in UNREAD)
    assert (world().live_map(state) is None) is (name in UNREAD)
    if state.tiles_in_sight is not None:
        assert state.tiles_in_sight == shown(name)
        live = world().seen(state).map(state.map.map_id)
    else:
        # Readers must ignore this moment; the test knows that the map is complete.
        live = here.with_blocks(state.ram.span(LIVE_BLOCKS, len(here.layout.blocks)))
    compared = 0
    for (x, y), tile in shown(name).items():
        assert live.tile(x, y) == tile, (x, y)
        assert live.passable(x, y) is (live.contains(x, y) and tile in live.tileset.passable)
        compared += 1
    assert compared == COMPARED[name]


@with_images
@pytest.mark.parametrize("name", sorted(set(NAMES) - UNREAD))
def test_hidden_people_are_absent_and_all_others_in_sight_are_drawn(name: str) -> None:
    state = state_of(name)
    present = state.people_present
    assert not any(person.on_screen for person in state.people if person not in present)
    for person in present:
        assert person.on_screen is is_in_sight(state.position, person.position)
