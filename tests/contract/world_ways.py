"""Walkable ways in the compiled world: steps, ledges, warps, edges."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from tests.contract.world_rom import Map, Square, Warp

LAST_MAP, OUTDOORS = 0xFF, 37
OVERWORLD = 0
LIFTS = {127, 203, 236}
WALKS = 0xFE
REMOVABLE = {(27, 1)}  # map and slot: the sleeper of Snore Lane, once awake
WAYS = ((0, 1), (0, -1), (-1, 0), (1, 0))
FACINGS = dict(zip((0, 4, 8, 12), WAYS, strict=True))  # down, up, left, right


def places_of(here: Map, warp: Warp, maps: Mapping[int, Map]) -> list[int]:
    """Return the maps a warp may lead to: for 0xFF, each outdoor map with a way in."""
    if warp.target != LAST_MAP:
        return [warp.target]
    outside = [
        each.number
        for each in maps.values()
        if each.number < OUTDOORS and any(there.target == here.number for there in each.warps)
    ]
    assert outside, f"no outdoor way into map {here.number} exists"
    return outside


def floors_of(here: Map, maps: Mapping[int, Map]) -> Iterator[Square]:
    """Yield the exits of the elevator whose car this map is: before each door that leads into it."""
    if here.number in LIFTS:
        for each in maps.values():
            doors = [warp for warp in each.warps if warp.target == here.number != each.number]
            yield from (Square(each.number, door.x, door.y) for door in doors)


def signed(value: int) -> int:
    return value - 256 if value >= 128 else value


def crossed(here: Map, direction: str, x: int, y: int) -> Square:
    """Return the destination of a step off the edge of `here`."""
    connection = here.connections[direction]
    if direction in ("north", "south"):
        return Square(connection.target, x + signed(connection.x), connection.y)
    return Square(connection.target, connection.x, y + signed(connection.y))


def landings(square: Square, maps: Mapping[int, Map]) -> Iterator[tuple[int, Square]]:
    """Yield facing and landing of each ledge jump from `square`; the landing is not tested."""
    here = maps[square.map]
    for facing, (across, down) in FACINGS.items() if here.tileset_id == OVERWORLD else ():
        x, y = square.x + across, square.y + down
        if here.holds(x, y) and not here.walkable(x, y):
            hop = bytes([facing, here.tile(square.x, square.y), here.tile(x, y)])
            if hop in here.rom.ledges:
                yield facing, Square(here.number, x + across, y + down)


@cache
def taken(here: Map) -> set[tuple[int, int]]:
    """Return the squares where people stand for good."""
    return {
        (person.x, person.y)
        for slot, person in enumerate(here.people, start=1)
        if person.movement != WALKS and (here.number, slot) not in REMOVABLE
    }


def neighbours(square: Square, maps: Mapping[int, Map]) -> Iterator[Square]:
    """Yield the squares one step, one ledge jump or one warp away."""
    here = maps[square.map]
    for warp in here.warps:
        if (warp.x, warp.y) == (square.x, square.y):
            yield from floors_of(here, maps)
            for number in places_of(here, warp, maps):
                there = maps[number].warps[warp.entrance]
                yield Square(number, there.x, there.y)
    if (square.x, square.y) in here.holes:
        yield here.holes[square.x, square.y]
    for across, down in WAYS:
        x, y = square.x + across, square.y + down
        if here.holds(x, y):
            step = {here.tile(square.x, square.y), here.tile(x, y)}
            if here.walkable(x, y) and (x, y) not in taken(here) and step not in here.elevations:
                yield Square(here.number, x, y)
            continue
        side = {(0, 1): "south", (0, -1): "north", (-1, 0): "west", (1, 0): "east"}[across, down]
        if side in here.connections:
            landing = crossed(here, side, square.x, square.y)
            if maps[landing.map].walkable(landing.x, landing.y):
                yield landing
    yield from (landing for _, landing in landings(square, maps))


def on_map(number: int) -> Callable[[Square], bool]:
    """Return a predicate for squares of map `number`, for `walk`."""
    return lambda square: square.map == number


def off_map(number: int) -> Callable[[Square], bool]:
    """Return the opposite predicate."""
    return lambda square: square.map != number


def walk(
    starts: Iterable[Square],
    maps: Mapping[int, Map],
    *,
    inside: Callable[[Square], bool] = lambda square: True,
) -> dict[Square, int]:
    """Return every square reachable through squares that satisfy `inside`, and its distance in steps."""
    found = {square: 0 for square in starts if inside(square)}
    frontier = deque(found)
    while frontier:
        here = frontier.popleft()
        for square in neighbours(here, maps):
            if square not in found and inside(square):
                found[square] = found[here] + 1
                frontier.append(square)
    return found
