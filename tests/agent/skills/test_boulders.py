"""The fewest pushes that bring a boulder where it should lie: in drawn rooms, and against the solved ones of Red."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from agent.skills.boulders import BoulderRoom, Push, Square, find_pushes
from agent.skills.route import Spot
from emulator import Facing
from tests.agent.skills.drawn import HIGH, LANE, LOW, STAIRS, WALL, Drawn, world_of
from tests.emulator.synthetic.facts import FOLDER, MISSING

FACTS: Final = FOLDER / "progression.json"
TILES: Final = {"#": WALL, ".": LOW, "^": HIGH, "=": STAIRS}
WAYS: Final = {
    "down": Facing.DOWN,
    "up": Facing.UP,
    "left": Facing.LEFT,
    "right": Facing.RIGHT,
}


def room(*rows: str) -> tuple[BoulderRoom, Spot, Square]:
    """A drawn room: boulders 1, 2..., `@` where one stands, `!` the goal, `x` what is hidden or picked up."""
    marks = {
        sign: (x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign in "123@!x"
    }
    floor = [[TILES.get(sign, LOW) for sign in row] for row in rows]
    x, y = marks["@"]
    boulders = {int(sign): at for sign, at in marks.items() if sign.isdigit()}
    taken = frozenset({marks["x"]} if "x" in marks else ())
    world = world_of(Drawn(floor))
    return BoulderRoom(world, boulders, frozenset(), taken), Spot(LANE, x, y, LANE), marks["!"]


def pushes(*rows: str) -> list[Push] | None:
    drawn, here, goal = room(*rows)
    return find_pushes(drawn, here, 1, goal)


def test_a_boulder_is_pushed_straight_and_round_a_corner() -> None:
    found = pushes(
        "......",
        ".@1...",
        "......",
        "....!.",
        "......",
    )
    assert found is not None
    assert len(found) == 4
    assert found[0][:3] in {(1, (1, 1), Facing.RIGHT), (1, (2, 0), Facing.DOWN)}
    assert found[0].way[-1].to[1:3] == found[0].stand


def test_a_boulder_in_a_corner_stays_there() -> None:
    assert pushes("1...", "....", "..!@") is None


@pytest.mark.parametrize("closed", ["#", "=", "x"])
def test_walls_stairs_and_what_is_hidden_keep_boulders_out(closed: str) -> None:
    assert pushes("#####", f"@1{closed}.!", "#####") is None
    assert pushes("#####", "@1..!", "#####") is not None


def test_an_edge_between_heights_keeps_the_boulder_off_from_where_one_stands() -> None:
    assert pushes("#####", "@1^.!", "#####") is None


def test_another_boulder_is_gone_round_rather_than_moved() -> None:
    wide = "........."
    found = pushes(wide, wide, "@1..2.!..", wide, wide)
    assert found is not None
    assert [push.slot for push in found] == [1] * 7


def test_a_boulder_in_the_only_way_is_moved_first() -> None:
    found = pushes("########", "@2...###", "##.1.!##", "##...###")
    assert found is not None
    assert [push.slot for push in found] == [2, 2, 1, 1]


def test_a_mat_is_stood_on_only_where_it_does_not_work_without() -> None:
    rows = [[LOW] * 5 for _ in range(5)]
    mats = [(x, 4) for x in range(5)]
    room = BoulderRoom(world_of(Drawn(rows), mats=mats), {1: (2, 3)}, frozenset(), frozenset())
    from_below = find_pushes(room, Spot(LANE, 0, 0, LANE), 1, (2, 1))
    assert from_below is not None
    assert [push.stand for push in from_below] == [(2, 4), (2, 3)]
    along = find_pushes(room, Spot(LANE, 0, 3, LANE), 1, (4, 3))
    assert along is not None
    assert not {(hop.to.x, hop.to.y) for push in along for hop in push.way} & set(mats)


def solved() -> list[Mapping[str, Any]]:
    if not FACTS.exists():
        return []
    puzzles: list[Mapping[str, Any]] = json.loads(FACTS.read_text(encoding="utf-8"))[
        "strength_puzzles"
    ]
    return puzzles


@pytest.mark.skipif(not FACTS.exists(), reason=MISSING)
@pytest.mark.parametrize("puzzle", solved(), ids=lambda each: each["id"])
def test_solved_rooms_of_red_take_no_more_pushes(puzzle: Mapping[str, Any]) -> None:
    """The facts have no blocks: the room is what the solution goes over, a step around that, mats, and walls."""
    start, goal = tuple(puzzle["boulder_start"]), tuple(puzzle["goal"])
    facts = _map(puzzle["map"])
    floor = {(x, y) for x, y in _floor(puzzle) if x < facts["w_steps"] and y < facts["h_steps"]}
    width, height = (max(at) + 2 for at in zip(*floor, strict=True))
    drawn = Drawn([[LOW if (x, y) in floor else WALL for x in range(width)] for y in range(height)])
    x, y = puzzle["pushes"][0]["stand"]
    # The squares that lead out to whoever presses on them.
    mats = [(each["x"], each["y"]) for each in facts["warps"] if each["trigger"] == "press"]
    world = world_of(drawn, mats=mats)
    found = find_pushes(
        BoulderRoom(world, {1: start}, frozenset(), frozenset()), Spot(LANE, x, y, LANE), 1, goal
    )
    assert found is not None
    assert len(found) <= puzzle["total_pushes"]
    assert len(found) >= abs(start[0] - goal[0]) + abs(start[1] - goal[1])


def _map(map_id: int) -> Mapping[str, Any]:
    maps = json.loads((FOLDER / "maps.json").read_text(encoding="utf-8"))["maps"]
    return next(each for each in maps if each["id"] == map_id)


def _floor(puzzle: Mapping[str, Any]) -> Iterator[Square]:
    """Yield the squares over which the boulder goes and on which one stands, and a way round every one of them."""
    for push in puzzle["pushes"]:
        facing = WAYS[push["dir"]]
        x, y = push["stand"]
        for step in range(push["count"] + 2):
            at = (x + step * facing.dx, y + step * facing.dy)
            around = ((at[0] + dx, at[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
            yield from (square for square in around if min(square) >= 0)
