"""The survey of a cartridge by every invariant, and what to say when one does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from emulator.cartridge import Cartridge
from emulator.dex.dex import Dex
from emulator.errors import CartridgeError
from emulator.soundness import creatures, maps, people, tables, texts, things
from emulator.soundness.check import Check, check
from emulator.world.world import World

UNSOUND_ADVICE: Final = "copy the image again; another revision of the game is not supported"
INVARIANTS: Final = (
    *maps.INVARIANTS,
    *people.INVARIANTS,
    *texts.INVARIANTS,
    *things.INVARIANTS,
    *creatures.INVARIANTS,
    *tables.INVARIANTS,
)


@lru_cache(maxsize=4)
def survey(cartridge: Cartridge) -> tuple[Check, ...]:
    """Decode all of a cartridge and return how it does by each invariant.

    Raises:
        CartridgeError: when the image is so far from a game that a table cannot be decoded at all.
    """
    world, dex = World.of(cartridge), Dex.of(cartridge)
    _ = world.maps  # those out of reach, too: what looks at them later must not be the first to
    return tuple([check(invariant, world, dex) for invariant in INVARIANTS])


def refuse_unsound(cartridge: Cartridge, checks: Sequence[Check]) -> None:
    """Raise a CartridgeError in one line when any check found something, else do nothing."""
    broken = [check for check in checks if not check.is_sound]
    if broken:
        faults = sum(check.broken for check in broken)
        message = (
            f"{str(cartridge.path)!r} is not sound: {broken[0].violations[0]}"
            f" (of {faults} faults in {len(broken)} of {len(checks)} checks);"
            f" {UNSOUND_ADVICE}"
        )
        raise CartridgeError(message)
