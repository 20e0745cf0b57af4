"""An invariant of valid cartridges, its result for one cartridge, and the maps that are in use.

A map is in use when the player can reach it from power-on. The cartridge's lists also contain ids without a map of
their own; their data is not checked.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from emulator.dex.dex import Dex
from emulator.world.game_map import LAST_MAP, GameMap, Warp, WarpTrigger
from emulator.world.header import FIRST_INDOOR_MAP
from emulator.world.world import World

EXAMPLES: Final = 5

# For every item checked: whether it is valid, and a description of the fault.
CheckedItems: TypeAlias = Iterator[tuple[bool, str]]
CheckFunction: TypeAlias = Callable[[World, Dex], CheckedItems]


class Invariant(NamedTuple):
    """A condition that every valid cartridge meets: its description and the check."""

    description: str
    find_faults: CheckFunction


@dataclass(frozen=True, slots=True)
class CartridgeCheck:
    """The result of one invariant: items checked, items that break it, and the first few faults."""

    invariant: str
    checked: int
    broken: int
    violations: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether no item breaks the invariant."""
        return not self.broken


def check(invariant: Invariant, world: World, dex: Dex) -> CartridgeCheck:
    """Return the result of one invariant for a cartridge."""
    checked_items = tuple(invariant.find_faults(world, dex))
    faults = [description for is_sound, description in checked_items if not is_sound]
    return CartridgeCheck(
        invariant=invariant.description,
        checked=len(checked_items),
        broken=len(faults),
        violations=tuple(faults[:EXAMPLES]),
    )


START: Final = (0, 38)  # PALLET_TOWN and REDS_HOUSE_2F: the town outside, and where a game begins


class Sharing(NamedTuple):
    """How many map ids share a header address, and the largest number of warps among their maps."""

    ids: int
    warps: int


@lru_cache(maxsize=4)
def maps_in_use(world: World) -> tuple[GameMap, ...]:
    """Return the maps reachable from power-on by warps and edges, nearest first, and the maps under holes."""
    landings = (each.map_id for each in world.dungeon_warps if each.map_id in world.map_ids)
    found = dict.fromkeys((*START, *landings))
    queue = deque(found)
    while queue:
        here = world.map(queue.popleft())
        for map_id in _neighbours(world, here):
            if map_id not in found:
                found[map_id] = None
                queue.append(map_id)
    return tuple([world.map(map_id) for map_id in found])


def is_rewritten(world: World, here: GameMap, warp: Warp) -> bool:
    """Return whether the game rewrites this warp of `here` before it can be used.

    Ids without a map of their own have the header address of another id, though not always its
    bank. Red's elevators lead to such an id, from which no warp returns, until a floor is chosen.
    """
    there = world.map(warp.map_id)
    back = (here.map_id, LAST_MAP) if here.map_id < FIRST_INDOOR_MAP else (here.map_id,)
    if any(each.map_id in back for each in there.warps):
        return False
    sharing = _sharing(world)[there.header.address]
    return sharing.ids > 1 and sharing.warps > warp.warp_index


def _neighbours(world: World, here: GameMap) -> Iterator[int]:
    for connection in here.header.connections:
        if connection.map_id in world.map_ids:
            yield connection.map_id
    for warp in here.warps:
        if warp.map_id in world.map_ids and not is_rewritten(world, here, warp):
            yield warp.map_id
    # The script of a house between two roads names the one outside. Of ids that share a header the first is a map.
    if any(warp.map_id == LAST_MAP for warp in here.warps):
        outdoors = sorted((each for each in world.map_ids if each < FIRST_INDOOR_MAP), reverse=True)
        roads = {there.header.address: there for there in map(world.map, outdoors)}
        yield from (each.map_id for each in roads.values() if _leads_to(each, here))
    # An elevator without a chosen floor: every exit leads back into it, through its warp mats.
    back = [warp.map_id == here.map_id and warp.trigger is WarpTrigger.PRESS for warp in here.warps]
    if back and all(back):
        yield from (each.map_id for each in world.maps if _leads_to(each, here))


def _leads_to(there: GameMap, here: GameMap) -> bool:
    return any(warp.map_id == here.map_id for warp in there.warps)


@lru_cache(maxsize=4)
def _sharing(world: World) -> Mapping[int, Sharing]:
    """Return how map ids share header addresses."""
    found: dict[int, Sharing] = {}
    for map_id in world.map_ids:
        there = world.map(map_id)
        ids, warps = found.get(there.header.address, Sharing(0, 0))
        found[there.header.address] = Sharing(ids + 1, max(warps, len(there.warps)))
    return found
