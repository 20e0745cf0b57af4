"""The contract's tables with an entry per map id: headers, banks, toggles, wild encounters."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from world import creature_names
from world.banks import Place, Placement, Room, Rooms, pointer
from world.errors import WorldError
from world.mapdata import TRAINERS, Drawn, placed
from world.maps import Map, Wild
from world.people import Person

COUNT = 248
NONE = 0xFF

HEADER_POINTERS = Place(0, 0x01AE)
HEADER_BANKS = Place(3, 0x423D)
TOGGLE_POINTERS = Place(3, 0x48F5)
TOGGLES = Place(3, 0x4AEA)
WILD_POINTERS = Place(3, 0x4EEB)
WILD_END = pointer(0xFFFF)
WILD_RECORDS = (3, 0x4EEB + 2 * COUNT + 2, 0x55C7)


TRAINER_LIST = "trainer headers of all maps"
TOGGLE_LIMIT = 228


def placements(
    maps: Mapping[int, Drawn], fallback: int, rooms: Rooms, creatures: Mapping[str, int]
) -> Iterator[Placement]:
    """Yield every map and every table about maps; ids without a map get the map `fallback`."""
    starts = {number: rooms.take(each.size, each.source.name) for number, each in maps.items()}
    for each in maps.values():
        yield from placed(each, starts, maps)
    heads = [starts.get(number, starts[fallback]) for number in range(COUNT)]
    pointers = b"".join(pointer(place.address) for place in heads)
    yield Placement(HEADER_POINTERS.offset, pointers, "MapHeaderPointers")
    yield Placement(HEADER_BANKS.offset, bytes(place.bank for place in heads), "MapHeaderBanks")
    yield from _toggles([each.source for each in maps.values()])
    yield from _wild({number: each.source for number, each in maps.items()}, creatures)
    yield _trainers(maps, starts, rooms)


class Toggled(NamedTuple):
    """A person who can be hidden or shown; its place in the table is its toggle index."""

    map: Map
    slot: int
    person: Person


def toggled(maps: Iterable[Map]) -> list[Toggled]:
    """Return the people that can be hidden, in the order of the table."""
    return [
        Toggled(source, slot, person)
        for source in maps
        for slot, person in enumerate(source.people, start=1)
        if person.toggle is not None
    ]


def _toggles(maps: Iterable[Map]) -> Iterator[Placement]:
    states, firsts = b"", dict[int, int]()
    found = toggled(maps)
    if len(found) >= TOGGLE_LIMIT:
        message = f"at most {TOGGLE_LIMIT - 1} people can have a toggle, not {len(found)}"
        raise WorldError(message)
    for source, slot, person in found:
        firsts.setdefault(source.id, TOGGLES.address + len(states))
        states += bytes([source.id, slot, person.toggle or 0])
    end = TOGGLES.address + len(states)
    table = b"".join(pointer(firsts.get(number, end)) for number in range(COUNT))
    yield Placement(TOGGLE_POINTERS.offset, table, "ToggleableObjectMapPointers")
    yield Placement(TOGGLES.offset, states + bytes([NONE]), "ToggleableObjectStates")


def _trainers(maps: Mapping[int, Drawn], starts: Mapping[int, Place], rooms: Rooms) -> Placement:
    entries = b"".join(
        bytes([number]) + pointer(each.places(starts[number])[TRAINERS].address)
        for number, each in maps.items()
        if each.source.trainers
    )
    place = rooms.take(len(entries) + 1, TRAINER_LIST)
    return Placement(place.offset, entries + bytes([NONE]), TRAINER_LIST)


def _wild(maps: Mapping[int, Map], creatures: Mapping[str, int]) -> Iterator[Placement]:
    room = Room(*WILD_RECORDS)
    addresses: dict[bytes, int] = {}
    table = b""
    for number in range(COUNT):
        data = bytes(2)
        if source := maps.get(number):
            kinds = (source.grass, source.water)
            data = b"".join(_record(kind, creatures, source.name) for kind in kinds)
        if data not in addresses:
            place = room.take(len(data), "wild ground")
            addresses[data] = place.address
            yield Placement(place.offset, data, f"wild ground of map {number}")
        table += pointer(addresses[data])
    yield Placement(WILD_POINTERS.offset, table + WILD_END, "WildDataPointers")


def _record(wild: Wild, creatures: Mapping[str, int], name: str) -> bytes:
    where = f"maps/{name}.toml"
    slots = [(level, creature_names.index(kind, creatures, where)) for level, kind in wild.slots]
    return bytes([wild.rate, *(number for slot in slots for number in slot)])
