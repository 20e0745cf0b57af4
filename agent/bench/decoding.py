"""What it takes to decode the cartridge, from its image on."""

from statistics import median
from time import perf_counter
from typing import Final

from agent.bench.figures import Decoding
from emulator import Cartridge, World

TIMES: Final = 3


def decode_all(cartridge: Cartridge) -> list[Decoding]:
    """Return how long each table of the cartridge takes, decoded anew."""
    return [Decoding("world: every map", median(_world(cartridge) for _ in range(TIMES)))]


def _world(cartridge: Cartridge) -> float:
    start = perf_counter()
    world = World.of.__wrapped__(cartridge)  # past its cache
    for map_id in world.map_ids:
        world.map(map_id)
    return (perf_counter() - start) * 1_000
