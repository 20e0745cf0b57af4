"""The contract's town map: the name of each map on it. It is never drawn, so all places are in its corner."""

from collections.abc import Iterable, Iterator

from world.banks import Place, Placement, Room, pointer
from world.font import Font
from world.maps import Map
from world.words import ended

OUTDOORS, OUTDOOR_MAPS = Place(28, 0x5313), 37
INDOORS = Place(28, 0x5382)
ROOM_END = 0x590D
LIST_END = 0xFF
LONGEST = 16
CORNER = bytes(1)
NOWHERE = CORNER + pointer(0)


def placements(maps: Iterable[Map], font: Font) -> Iterator[Placement]:
    """Yield the two tables and the names; a map is named after its file."""
    sources = list(maps)
    indoors = [each for each in sources if each.id >= OUTDOOR_MAPS]
    room = Room(INDOORS.bank, INDOORS.address, ROOM_END)
    table = room.take(4 * len(indoors) + 1, "the town map's indoor maps")
    entries = dict[int, bytes]()
    for each in sources:
        name = ended([_called(each)], font, LONGEST, f"maps/{each.name}.toml")
        place = room.take(len(name), "names of the town map")
        entries[each.id] = CORNER + pointer(place.address)
        yield Placement(place.offset, name, f"town map: {each.name}")
    outdoors = b"".join(entries.get(number, NOWHERE) for number in range(OUTDOOR_MAPS))
    yield Placement(OUTDOORS.offset, outdoors, "ExternalMapEntries")
    # Each entry covers the maps below its first byte that no earlier entry covers.
    groups = b"".join(bytes([each.id + 1]) + entries[each.id] for each in indoors)
    yield Placement(table.offset, groups + bytes([LIST_END]), "InternalMapEntries")


def _called(source: Map) -> str:
    return source.name.upper().replace("_", " ")
