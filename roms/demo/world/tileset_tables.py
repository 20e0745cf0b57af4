"""The contract's tables about tilesets: headers, passable tiles, and special tiles."""

from collections.abc import Iterator, Mapping

from world.banks import Place, Placement, Room, Rooms, pointer
from world.errors import WorldError
from world.tiles import two_bits
from world.tilesets import FACINGS, TILE_LIMIT, Blockset, Tileset

COUNT = 24
NONE = 0xFF
BLANK = ((0,) * 8,) * 8

TILESETS = Place(3, 0x47BE)
# The list of tileset 0 is pinned; the others follow it.
PASSABLE_OF_0 = Room(0, 0x1735, 0x1735 + 20)
PASSABLE = Room(0, 0x1735 + 20, 0x1900)
PAIRS_ON_LAND = Place(0, 0x0C7E)
PAIRS_ON_WATER = Place(0, 0x0CA0)
WARP_TILES = Place(3, 0x44CC)
WARP_TILE_LISTS = Room(3, 0x44CC + 2 * COUNT, 0x469C)
CARPETS = Place(3, 0x4477)
CARPET_LISTS = Room(3, 0x4477 + 8, 0x44CC)
DOORS = Place(6, 0x662C)
DOOR_LISTS = Room(6, 0x662C + 39, 0x66CF)
LEDGES = Place(6, 0x66CF)
LEDGE_LIMIT = 7
WATER_TILESETS = Place(3, 0x68E0)
SURFABLE = (0, 3, 5, 7, 13, 14, 17, 22, 23)  # where tile 0x14 is water to surf on

# Per direction of the hop: the facing byte and the pad bit.
HOPS = {"down": (0x00, 0x80), "up": (0x04, 0x40), "left": (0x08, 0x20), "right": (0x0C, 0x10)}


def fresh(room: Room) -> Room:
    """Return a copy of `room` to fill; the constants above stay empty."""
    return Room(room.bank, room.address, room.end)


def placements(
    tilesets: Mapping[str, Tileset], blocksets: Mapping[str, Blockset], rooms: Rooms
) -> Iterator[Placement]:
    """Yield every table about tilesets; `rooms` receive graphics and blocks."""
    by_id = {number: tileset for tileset in tilesets.values() for number in tileset.ids}
    headers: dict[str, bytes] = {}
    passable = fresh(PASSABLE)
    for tileset in sorted(tilesets.values(), key=lambda each: each.ids):
        room = fresh(PASSABLE_OF_0) if 0 in tileset.ids else passable
        parts = {
            "blocks": blocksets[tileset.name].data(),
            "graphics": _graphics(tileset),
            "passable": bytes([*tileset.passable(), NONE]),
        }
        # Blocks and graphics are in one bank: the header has a single bank field.
        start = rooms.take(len(parts["blocks"]) + len(parts["graphics"]), tileset.name)
        places = {
            "blocks": start,
            "graphics": Place(start.bank, start.address + len(parts["blocks"])),
            "passable": room.take(len(parts["passable"]), "passable"),
        }
        for part, data in parts.items():
            yield Placement(places[part].offset, data, f"tileset {tileset.name}: {part}")
        headers[tileset.name] = _header(tileset, places)
    ordered = [by_id.get(number, by_id[0]) for number in range(COUNT)]
    yield Placement(TILESETS.offset, b"".join(headers[each.name] for each in ordered), "Tilesets")
    yield from _warp_tiles(ordered)
    yield from _carpets(tilesets)
    yield from _doors(by_id)
    yield from _ledges(by_id[0])
    yield _pairs(by_id)
    yield Placement(PAIRS_ON_WATER.offset, bytes([NONE]), "TilePairCollisionsWater")
    yield Placement(WATER_TILESETS.offset, bytes(SURFABLE), "WaterTilesets")


def _graphics(tileset: Tileset) -> bytes:
    return b"".join(two_bits(tileset.tiles.get(number, BLANK)) for number in range(TILE_LIMIT))


def _header(tileset: Tileset, places: Mapping[str, Place]) -> bytes:
    counters = [*tileset.tiles_of("counter"), NONE, NONE, NONE][:3]
    grass = [*tileset.tiles_of("grass"), NONE][0]
    addresses = (pointer(places[part].address) for part in ("blocks", "graphics", "passable"))
    bank = bytes([places["graphics"].bank])
    return bank + b"".join(addresses) + bytes([*counters, grass, tileset.animation])


def _warp_tiles(ordered: list[Tileset]) -> Iterator[Placement]:
    room, addresses = fresh(WARP_TILE_LISTS), dict[str, int]()
    for tileset in ordered:
        if tileset.name not in addresses:
            data = bytes([*tileset.tiles_of("warp"), NONE])
            place = room.take(len(data), "warp tiles")
            addresses[tileset.name] = place.address
            yield Placement(place.offset, data, f"tileset {tileset.name}: warp tiles")
    table = b"".join(pointer(addresses[tileset.name]) for tileset in ordered)
    yield Placement(WARP_TILES.offset, table, "WarpTileIDPointers")


def _carpets(tilesets: Mapping[str, Tileset]) -> Iterator[Placement]:
    room, table = fresh(CARPET_LISTS), b""
    for facing in FACINGS:
        tiles = {tile for each in tilesets.values() for tile in each.tiles_of(f"carpet {facing}")}
        data = bytes([*sorted(tiles), NONE])
        place = room.take(len(data), f"carpets facing {facing}")
        yield Placement(place.offset, data, f"carpets facing {facing}")
        table += pointer(place.address)
    yield Placement(CARPETS.offset, table, "WarpTileListPointers")


def _doors(by_id: Mapping[int, Tileset]) -> Iterator[Placement]:
    room, table = fresh(DOOR_LISTS), b""
    for number, tileset in sorted(by_id.items()):
        if doors := tileset.tiles_of("door"):
            data = bytes([*doors, 0])
            place = room.take(len(data), "door tiles")
            yield Placement(place.offset, data, f"tileset {number}: door tiles")
            table += bytes([number]) + pointer(place.address)
    yield Placement(DOORS.offset, table + bytes([NONE]), "DoorTileIDPointers")


def _pairs(by_id: Mapping[int, Tileset]) -> Placement:
    """Pairs of two steps at different heights, between which the player cannot walk."""
    room, table = Room(0, PAIRS_ON_LAND.address, PAIRS_ON_WATER.address), b""
    for number, tileset in sorted(by_id.items()):
        tiles = [tileset.step(name, "pairs")[2] for name in tileset.lists.get("pairs", ())]
        for one, other in zip(tiles[::2], tiles[1::2], strict=True):
            table += bytes([number, one, other])
    data = table + bytes([NONE])
    return Placement(room.take(len(data), "pairs").offset, data, "TilePairCollisionsLand")


def _ledges(outdoors: Tileset) -> Iterator[Placement]:
    """Ledges as lines of `facing step-stood-on step-hopped-over`; only tileset 0 has them."""
    words, table = outdoors.lists.get("ledges", ()), b""
    if len(words) > 3 * LEDGE_LIMIT:
        message = f"{outdoors.name}: the table of ledges holds at most {LEDGE_LIMIT}"
        raise WorldError(message)
    for direction, stood, ledge in zip(words[::3], words[1::3], words[2::3], strict=True):
        facing, pad = HOPS[direction]
        tiles = (outdoors.step(name, "ledges")[2] for name in (stood, ledge))
        table += bytes([facing, *tiles, pad])
    yield Placement(LEDGES.offset, table + bytes([NONE]), "LedgeTiles")
