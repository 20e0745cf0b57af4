"""The contract's tables of hidden items: their squares, and the items of each map."""

from collections.abc import Iterable, Iterator

from world.banks import Place, Placement, Room, pointer
from world.errors import WorldError
from world.maps import Map

COORDS, COUNT = Place(29, 0x66B8), 54
ROUTINE = Place(29, 0x6688)
MAPS, MAP_COUNT = Place(17, 0x6A40), 85
POINTERS = Place(17, 0x6A96)
RECORDS = (17, POINTERS.address + 2 * MAP_COUNT, 0x8000)
END = b"\xff"


def placements(maps: Iterable[Map]) -> Iterator[Placement]:
    """Yield the tables; the order of the first is that of the bits that record what was taken."""
    owners = [each for each in maps if each.hidden]
    coords = b"".join(bytes([each.id, it.y, it.x]) for each in owners for it in each.hidden)
    if len(coords) > 3 * COUNT or len(owners) > MAP_COUNT:
        message = f"at most {COUNT} items can be hidden, on {MAP_COUNT} maps"
        raise WorldError(message)
    yield Placement(COORDS.offset, coords.ljust(3 * COUNT, END), "HiddenItemCoords")
    yield Placement(MAPS.offset, bytes(each.id for each in owners) + END, "HiddenEventMaps")
    room, pointers = Room(*RECORDS), b""
    for each in owners:
        data = b"".join(_record(*it) for it in each.hidden) + END
        place = room.take(len(data), f"things hidden on {each.name}")
        yield Placement(place.offset, data, f"things hidden on {each.name}")
        pointers += pointer(place.address)
    yield Placement(POINTERS.offset, pointers, "HiddenEventPointers")


def _record(x: int, y: int, item: int) -> bytes:
    return bytes([y, x, item, ROUTINE.bank]) + pointer(ROUTINE.address)
