"""What it takes to decode the cartridge, from its image on."""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Final

from agent.bench.figures import Decoding
from emulator import Cartridge, Dex, World

TIMES: Final = 3


def decode_all(cartridge: Cartridge) -> list[Decoding]:
    """Return how long each table of the cartridge takes, decoded anew."""
    tables: dict[str, Callable[[Cartridge], object]] = {
        "world: every map with all that is on it, tilesets, holes": decode_world,
        "dex: creatures, moves, things, trainers, whom one meets where, rules": Dex.of.__wrapped__,
    }
    return [
        Decoding(what, median(_timed(decode, cartridge) for _ in range(TIMES)))
        for what, decode in tables.items()
    ]


def decode_world(cartridge: Cartridge) -> None:
    """Decode everything about maps, past the cache of `World.of`."""
    world = World.of.__wrapped__(cartridge)
    _ = world.maps, world.dungeon_warps


def _timed(decode: Callable[[Cartridge], object], cartridge: Cartridge) -> float:
    start = perf_counter()
    decode(cartridge)
    return (perf_counter() - start) * 1_000
