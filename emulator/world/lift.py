"""Lifts: cars whose way out leads to the floor that was named last; the cartridge's maps do not tell which there are."""

from __future__ import annotations

from typing import NamedTuple


class Floor(NamedTuple):
    """Where one steps out of a lift; `row` is its place in the list of floors, from 0 on."""

    row: int
    map_id: int
    warp_index: int


class Lift(NamedTuple):
    """The panel of a car, which is read from below, and the floors that it lists."""

    panel: tuple[int, int]
    floors: tuple[Floor, ...]
