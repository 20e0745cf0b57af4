"""The contract's tables with an entry per map id: headers, banks, toggles, wild ground."""

from collections.abc import Iterator, Mapping

from world.banks import Place, Placement, Room, Rooms, pointer
from world.mapdata import Drawn, placed

COUNT = 248
NONE = 0xFF

HEADER_POINTERS = Place(0, 0x01AE)
HEADER_BANKS = Place(3, 0x423D)
TOGGLE_POINTERS = Place(3, 0x48F5)
TOGGLES = Place(3, 0x4AEA)
WILD_POINTERS = Place(3, 0x4EEB)
WILD_END = pointer(0xFFFF)
WILD_RECORDS = (3, 0x4EEB + 2 * COUNT + 2, 0x55C7)


def placements(maps: Mapping[int, Drawn], fallback: int, rooms: Rooms) -> Iterator[Placement]:
    """Yield every map and every table about maps; ids without a map get the map `fallback`."""
    starts = {number: rooms.take(each.size, each.source.name) for number, each in maps.items()}
    for each in maps.values():
        yield from placed(each, starts, maps)
    heads = [starts.get(number, starts[fallback]) for number in range(COUNT)]
    pointers = b"".join(pointer(place.address) for place in heads)
    yield Placement(HEADER_POINTERS.offset, pointers, "MapHeaderPointers")
    yield Placement(HEADER_BANKS.offset, bytes(place.bank for place in heads), "MapHeaderBanks")
    yield from _toggles()
    yield from _wild(maps)


def _toggles() -> Iterator[Placement]:
    table = pointer(TOGGLES.address) * COUNT
    yield Placement(TOGGLE_POINTERS.offset, table, "ToggleableObjectMapPointers")
    yield Placement(TOGGLES.offset, bytes([NONE]), "ToggleableObjectStates")


def _wild(maps: Mapping[int, Drawn]) -> Iterator[Placement]:
    room = Room(*WILD_RECORDS)
    addresses: dict[bytes, int] = {}
    table = b""
    for number in range(COUNT):
        source = maps[number].source if number in maps else None
        data = source.grass.data() + source.water.data() if source else bytes(2)
        if data not in addresses:
            place = room.take(len(data), "wild ground")
            addresses[data] = place.address
            yield Placement(place.offset, data, f"wild ground of map {number}")
        table += pointer(addresses[data])
    yield Placement(WILD_POINTERS.offset, table + WILD_END, "WildDataPointers")
