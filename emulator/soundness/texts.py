"""Invariant of what signs and people say on the maps in use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from emulator.dex.dex import Dex
from emulator.soundness.check import Invariant
from emulator.soundness.reach import maps_in_use
from emulator.world.texts import TextKind
from emulator.world.world import World

SHOWN: Final = 18  # of what could be read: a line


def _texts(world: World, _: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        signs = [(f"sign {n}", sign.text_id) for n, sign in enumerate(here.signs)]
        people = [(f"sprite {each.slot}", each.text_id) for each in here.people]
        for who, text_id in (*signs, *people):
            text = here.texts.read(text_id)
            fault = f"{who} of map {here.map_id} has text {text_id}, which cannot be read"
            after = f" after {text.words[-SHOWN:]!r}" if text.words else ""
            yield fault + after if text.kind is TextKind.NONSENSE else None


INVARIANTS: Final = (Invariant("signs and people say something that can be read", _texts),)
