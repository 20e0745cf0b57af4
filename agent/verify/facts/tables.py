"""The tables of the cartridge, as the invariants of every sound one have them: no game is played for that."""

from __future__ import annotations

from typing import Final

from agent.verify.fact import Fact
from emulator import Cartridge, Check, survey

REFERENCE: Final = "formats.md 2 and 3: tables of the cartridge"


def checks_of(cartridge: Cartridge) -> tuple[tuple[Fact, Check], ...]:
    """Return every invariant as a fact, with what a look at the cartridge has found."""
    found = survey(cartridge)
    return tuple(
        (Fact(f"tables.{n}", each.invariant, REFERENCE), each) for n, each in enumerate(found, 1)
    )
