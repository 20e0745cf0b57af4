"""Invariants of things: those that lie on maps, and those that are sold.

Where things are hidden, and whom toggles hide, is not judged: Red hides a thing beyond the edge of
its map, where nobody finds it, and has toggles of sprites that are no longer there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from emulator.dex.dex import Dex
from emulator.soundness.check import Invariant
from emulator.soundness.reach import maps_in_use
from emulator.world.world import World


def _items(world: World, dex: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        lying = [
            (f"sprite {each.slot}", each.item) for each in here.people if each.item is not None
        ]
        hidden = [
            (f"what is hidden at ({each.x}, {each.y})", each.item) for each in here.hidden_items
        ]
        for what, item in (*lying, *hidden):
            known = item in dex.all_items
            yield None if known else f"{what} on map {here.map_id} is item {item}, {_MISSING}"


def _wares(world: World, dex: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        for shop in here.shops:
            for item in shop.items:
                known = item in dex.all_items
                where = f"sprite {shop.slot} of map {here.map_id}"
                yield None if known else f"{where} sells item {item}, {_MISSING}"
    for item in dex.vending:
        yield None if item in dex.all_items else f"a machine sells item {item}, {_MISSING}"


_MISSING: Final = "which does not exist"

INVARIANTS: Final = (
    Invariant("items that lie on maps exist", _items),
    Invariant("shops and machines sell items that exist", _wares),
)
