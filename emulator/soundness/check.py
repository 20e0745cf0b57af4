"""An invariant of sound cartridges, what a look at one cartridge found, and which maps are in use.

A map is in use when a player may come to it from power-on. The cartridge decides: its lists have ids without a map of
their own, and what lies there is no fault.
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

# For everything looked at, whether it is sound, and in words what is wrong where it is not.
Findings: TypeAlias = Iterator[tuple[bool, str]]
Look: TypeAlias = Callable[[World, Dex], Findings]


class Invariant(NamedTuple):
    """What holds for every sound cartridge, in words, and how to look."""

    words: str
    look: Look


@dataclass(frozen=True, slots=True)
class CartridgeCheck:
    """How an invariant fared: of so many things looked at, how many break it, and the first few."""

    invariant: str
    looked_at: int
    broken: int
    violations: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing breaks the invariant."""
        return not self.broken


def check(invariant: Invariant, world: World, dex: Dex) -> CartridgeCheck:
    """Return how a cartridge does by one invariant."""
    findings = tuple(invariant.look(world, dex))
    faults = [words for is_sound, words in findings if not is_sound]
    return CartridgeCheck(
        invariant=invariant.words,
        looked_at=len(findings),
        broken=len(faults),
        violations=tuple(faults[:EXAMPLES]),
    )


START: Final = (0, 38)  # PALLET_TOWN and REDS_HOUSE_2F: the town outside, and where a game begins


class Sharing(NamedTuple):
    """How many ids have the same header address, and the most warps of a map among them."""

    ids: int
    warps: int


@lru_cache(maxsize=4)
def maps_in_use(world: World) -> tuple[GameMap, ...]:
    """Return the maps that warps and edges lead to from power-on, the nearest first, and those under holes."""
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
    """Return whether a warp of `here` is one that the game rewrites before it is used.

    Ids without a map of their own carry the header address of another id, though not always its
    bank. Red's elevators lead to such an id, whence nothing leads back, until a floor is chosen.
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
    # A lift that waits for a floor: every way out leads back into it, by its mats.
    back = [warp.map_id == here.map_id and warp.trigger is WarpTrigger.PRESS for warp in here.warps]
    if back and all(back):
        doors = (each for each in world.maps if any(w.map_id == here.map_id for w in each.warps))
        yield from (each.map_id for each in doors)


@lru_cache(maxsize=4)
def _sharing(world: World) -> Mapping[int, Sharing]:
    """Return the header addresses, and who shares them."""
    found: dict[int, Sharing] = {}
    for map_id in world.map_ids:
        there = world.map(map_id)
        ids, warps = found.get(there.header.address, Sharing(0, 0))
        found[there.header.address] = Sharing(ids + 1, max(warps, len(there.warps)))
    return found
