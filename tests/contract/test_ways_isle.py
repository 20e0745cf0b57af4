"""The way from the first badge to the third keeps its gates: a tree, a floor, water, a boulder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.world_rom import Map, Rom, Square, crossed_maps, made_maps, opened_maps
from tests.contract.world_ways import off_map, on_map, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

STONECROSS, FENMOUTH, CAIRN_ISLE, SORREL_ROAD = 2, 3, 8, 14
CARVER, LAMP_HOUSE, FERRYMAN, STEVEDORE = 55, 57, 62, 63
MURK_HOLLOW, CAIRN_HOLLOW, FEN_GYM, ISLE_GYM = 82, 108, 65, 166
ROAD_END = Square(STONECROSS, 19, 14)
HOLLOW_IN, HOLLOW_OUT = Square(CAIRN_HOLLOW, 2, 15), Square(CAIRN_HOLLOW, 12, 0)
CAVERN = 17
LONGEST_WAY = 40


@pytest.fixture(scope="module")
def walked(rom: Rom) -> Mapping[int, Map]:
    return crossed_maps(rom, trees=False, water=False)


@pytest.fixture(scope="module")
def cut(rom: Rom) -> Mapping[int, Map]:
    return crossed_maps(rom, trees=True, water=False)


@pytest.fixture(scope="module")
def surfed(rom: Rom) -> Mapping[int, Map]:
    return crossed_maps(rom, trees=True, water=True)


def places(rom: Rom, maps: Mapping[int, Map]) -> set[int]:
    """Return every map to which one gets from the end of Stonecross."""
    return {square.map for square in walk([ROAD_END], rom, maps)}


def test_who_gives_what_cuts_lives_before_the_tree(rom: Rom, walked: Mapping[int, Map]) -> None:
    found = places(rom, walked)
    assert {SORREL_ROAD, CARVER, LAMP_HOUSE} <= found
    assert not {MURK_HOLLOW, FENMOUTH} & found


def test_behind_the_tree_lies_fenmouth_and_before_the_water_all_it_has(
    rom: Rom, cut: Mapping[int, Map]
) -> None:
    found = places(rom, cut)
    assert {MURK_HOLLOW, FENMOUTH, FERRYMAN, STEVEDORE, FEN_GYM} <= found
    assert not {CAIRN_ISLE, CAIRN_HOLLOW, ISLE_GYM} & found


def test_only_through_the_dark_one_comes_to_fenmouth(rom: Rom, surfed: Mapping[int, Map]) -> None:
    around = walk([ROAD_END], rom, surfed, inside=off_map(MURK_HOLLOW))
    assert FENMOUTH not in {square.map for square in around}


def test_over_the_water_and_through_the_hollow_one_comes_to_the_last_gym(
    rom: Rom, surfed: Mapping[int, Map]
) -> None:
    assert {CAIRN_ISLE, CAIRN_HOLLOW, ISLE_GYM} <= places(rom, surfed)
    around = walk([ROAD_END], rom, surfed, inside=off_map(CAIRN_HOLLOW))
    assert ISLE_GYM not in {square.map for square in around}


def test_the_slab_is_in_the_only_way_through_the_hollow(rom: Rom) -> None:
    shut = walk([HOLLOW_IN], rom, made_maps(rom), inside=on_map(CAIRN_HOLLOW))
    assert HOLLOW_OUT not in shut
    opened = walk([HOLLOW_IN], rom, opened_maps(rom), inside=on_map(CAIRN_HOLLOW))
    assert opened[HOLLOW_OUT] <= LONGEST_WAY


def test_the_hollows_are_caves(surfed: Mapping[int, Map]) -> None:
    assert {surfed[number].tileset_id for number in (MURK_HOLLOW, CAIRN_HOLLOW)} == {CAVERN}
