"""Ledges: one way, two squares at once, and never out of the map."""

from dataclasses import replace

import pytest

from emulator import Cartridge, Facing, GameMap, Position, World
from emulator.world.tileset import Ground

LANE = 12  # the demo's map with ledges
OPPOSITE = {
    Facing.DOWN: Facing.UP,
    Facing.UP: Facing.DOWN,
    Facing.LEFT: Facing.RIGHT,
    Facing.RIGHT: Facing.LEFT,
}


@pytest.fixture
def lane(demo: Cartridge) -> GameMap:
    return World.of(demo).map(LANE)


def hops(game_map: GameMap) -> dict[tuple[Position, Facing], Position]:
    squares = [Position(x, y) for x in range(game_map.columns) for y in range(game_map.rows)]
    landings = {
        (square, facing): game_map.hop(square, facing) for square in squares for facing in Facing
    }
    return {edge: landing for edge, landing in landings.items() if landing is not None}


def test_the_lane_has_ledges_of_three_rows_and_one_sideways(lane: GameMap) -> None:
    found = hops(lane)
    assert len({square.y for square, facing in found if facing is Facing.DOWN}) >= 3
    assert any(facing in (Facing.LEFT, Facing.RIGHT) for _, facing in found)
    assert not any(facing is Facing.UP for _, facing in found)


def test_a_hop_lands_two_squares_on_and_leads_nowhere_back(lane: GameMap) -> None:
    for (square, facing), landing in hops(lane).items():
        assert landing == (square.x + 2 * facing.dx, square.y + 2 * facing.dy)
        assert lane.passable(*landing)
        between = Position(square.x + facing.dx, square.y + facing.dy)
        assert not lane.can_step(square, facing)
        assert not lane.can_step(landing, OPPOSITE[facing])
        assert lane.hop(landing, OPPOSITE[facing]) is None
        assert not lane.passable(*between)


def with_ledge(lane: GameMap, square: Position, facing: Facing) -> GameMap:
    """Return the map as if what lies ahead of `square` were a ledge."""
    ahead = (square.x + facing.dx, square.y + facing.dy)
    edge = (facing, lane.tile(*square), lane.tile(*ahead))
    return replace(lane, ground=Ground(frozenset({edge}), {}))


@pytest.mark.parametrize("facing", Facing)
def test_a_ledge_may_face_any_way_and_counts_one_way(lane: GameMap, facing: Facing) -> None:
    square = Position(10, 10)
    here = with_ledge(lane, square, facing)
    assert here.hop(square, facing) == (10 + 2 * facing.dx, 10 + 2 * facing.dy)
    assert all(here.hop(square, other) is None for other in Facing if other is not facing)


def test_what_lies_behind_a_ledge_is_not_asked(lane: GameMap) -> None:
    solid = next(
        Position(x, y)
        for y in range(2, lane.rows)
        for x in range(lane.columns)
        if not lane.passable(x, y)
    )
    above = Position(solid.x, solid.y - 2)
    assert with_ledge(lane, above, Facing.DOWN).hop(above, Facing.DOWN) == solid


@pytest.mark.parametrize(
    ("column", "row", "facing"),
    [
        (3, -2, Facing.DOWN),
        (3, -1, Facing.DOWN),
        (3, 1, Facing.UP),
        (3, 0, Facing.UP),
        (1, 3, Facing.LEFT),
        (-2, 3, Facing.RIGHT),
    ],
)
def test_nobody_hops_out_of_the_map(lane: GameMap, column: int, row: int, facing: Facing) -> None:
    square = Position(column % lane.columns, row % lane.rows)
    assert with_ledge(lane, square, facing).hop(square, facing) is None


def test_only_the_open_air_has_ledges(lane: GameMap) -> None:
    square, facing = next(iter(hops(lane)))
    inside = replace(lane, tileset=replace(lane.tileset, tileset_id=7))
    assert inside.hop(square, facing) is None
