"""Tables of special squares: boulder switches, holes, and the landings of holes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from world.banks import Place, Placement, Rooms, pointer
from world.errors import WorldError
from world.map_tables import toggled
from world.mapdata import Drawn
from world.maps import Map
from world.neighbours import view

END = b"\xff"
NO_EVENT = 0xFFFF
NOBODY = 0xFF
LANDINGS = Place(1, 0x63BF)  # pairs of map and number
LANDING_RECORDS = Place(1, 0x63D8)
LANDING_LIMIT = 12
UNUSED = b"\xff\xff"
PADS_AND_HOLES = Place(28, 0x47A9)
PAD, HOLE = 1, 2
# Tileset, tile, kind: FACILITY, CAVERN, INTERIOR.
SPECIAL_TILES = ((22, 0x20, PAD), (22, 0x11, HOLE), (17, 0x22, HOLE), (16, 0x55, PAD))


class Ground(NamedTuple):
    """The tables, and the places of the two that only the engine uses."""

    placements: list[Placement]
    macros: dict[str, str]


def lay(maps: Mapping[int, Drawn], rooms: Rooms) -> Ground:
    """Return the tables of all maps; `rooms` receive the two of the engine."""
    ordered = [maps[number] for number in sorted(maps)]
    landings = _landings(ordered)
    indices = _toggle_indices(each.source for each in ordered)
    tables = {
        "SWITCHES": b"".join(row for each in ordered for row in _switches(each)) + END,
        "HOLES": b"".join(row for each in ordered for row in _holes(each, landings, indices)) + END,
    }
    place = rooms.take(sum(map(len, tables.values())), "switches and holes")
    placements, macros = list(_dungeon_warps(landings, maps)), {"GROUND_BANK": str(place.bank)}
    for name, data in tables.items():
        placements.append(Placement(place.offset, data, name.lower()))
        macros[f"{name}_ADDR"] = f"0x{place.address:04X}"
        place = place._replace(address=place.address + len(data))
    special = b"".join(bytes(row) for row in SPECIAL_TILES) + END
    placements.append(Placement(PADS_AND_HOLES.offset, special, "WarpPadAndHoleData"))
    return Ground(placements, macros)


def _switches(drawn: Drawn) -> Iterator[bytes]:
    source = drawn.source
    names = [each.name for each in source.changes]
    for switch in source.switches:
        if switch.change not in names:
            message = f"maps/{source.name}.toml: a switch has an unknown change {switch.change!r}"
            raise WorldError(message)
        number = names.index(switch.change)
        change, block = source.changes[number], drawn.changes[number]
        yield (
            bytes([source.id, switch.y, switch.x])
            + pointer(switch.event)
            + bytes([change.y, change.x, block])
        )


def _landings(maps: Iterable[Drawn]) -> dict[tuple[int, tuple[int, int]], int]:
    """Return the number, from 1 on each map, of every square on which a hole lands."""
    numbers: dict[tuple[int, tuple[int, int]], int] = {}
    for hole in (hole for each in maps for hole in each.source.holes):
        there = [number for (target, _), number in numbers.items() if target == hole.target]
        numbers.setdefault((hole.target, hole.to), len(there) + 1)
    if len(numbers) > LANDING_LIMIT:
        message = f"holes can lead to at most {LANDING_LIMIT} squares"
        raise WorldError(message)
    return numbers


def _toggle_indices(ordered: Iterable[Map]) -> dict[tuple[int, str], int]:
    """Return the toggle index of every object with a toggle, by map and name."""
    return {
        (source.id, person.name): index
        for index, (source, _, person) in enumerate(toggled(ordered))
        if person.name
    }


def _holes(
    drawn: Drawn,
    landings: Mapping[tuple[int, tuple[int, int]], int],
    indices: Mapping[tuple[int, str], int],
) -> Iterator[bytes]:
    for hole in drawn.source.holes:
        event = NO_EVENT if hole.event is None else hole.event
        row = bytes([drawn.source.id, hole.y, hole.x, hole.target])
        number = landings[hole.target, hole.to]
        appears = indices[hole.target, hole.appears] if hole.appears else NOBODY
        yield row + bytes([number]) + pointer(event) + bytes([appears])


def _dungeon_warps(
    landings: Mapping[tuple[int, tuple[int, int]], int], maps: Mapping[int, Drawn]
) -> Iterator[Placement]:
    pairs = b"".join(bytes([target, number]) for (target, _), number in landings.items())
    pairs = pairs.ljust(2 * LANDING_LIMIT, END) + END
    yield Placement(LANDINGS.offset, pairs, "DungeonWarpList")
    records = b""
    for target, (x, y) in landings:
        width = maps[target].source.width
        records += pointer(view(width, x, y)) + bytes([y, x, y & 1, x & 1])
    yield Placement(LANDING_RECORDS.offset, records, "DungeonWarpData")
