"""What is decoded of all 248 map ids is exactly what the facts say."""

from collections.abc import Iterator, Mapping

import pytest

from emulator import Cartridge, Dex, Facing, World
from emulator.world import Resident, ResidentKind, Warp, WarpTrigger
from tests.emulator.synthetic.facts import Facts, all_maps, real_maps

SIDES = {
    "north": Facing.UP,
    "south": Facing.DOWN,
    "west": Facing.LEFT,
    "east": Facing.RIGHT,
}
FACINGS = {
    "down": Facing.DOWN,
    "up": Facing.UP,
    "left": Facing.LEFT,
    "right": Facing.RIGHT,
}
KINDS = {
    "npc": ResidentKind.PERSON,
    "trainer": ResidentKind.TRAINER,
    "item": ResidentKind.ITEM,
    "pokemon": ResidentKind.MON,
    "boulder": ResidentKind.BOULDER,
}
WAYS = {
    "ANY_DIR": frozenset(Facing),
    "UP_DOWN": frozenset({Facing.UP, Facing.DOWN}),
    "LEFT_RIGHT": frozenset({Facing.LEFT, Facing.RIGHT}),
}
LAST_MAP = 255


@pytest.fixture(scope="module")
def world(synthetic_cartridge: Cartridge) -> World:
    return World.of(synthetic_cartridge)


def test_the_facts_have_every_id(world: World) -> None:
    assert [each["id"] for each in all_maps()] == list(world.map_ids)
    assert len(real_maps()) == 226


def test_sizes_and_tilesets(world: World) -> None:
    for each in real_maps():
        here = world.map(each["id"])
        assert (here.width, here.height) == (each["w"], each["h"])
        assert (here.columns, here.rows) == (each["w_steps"], each["h_steps"])
        assert here.tileset.tileset_id == each["tileset"]
        assert here.header.border == each["border_block"]
        assert here.header.bank == each["header"]["bank"]
        assert here.header.address == int(each["header"]["addr"], 16)


def test_unused_ids_show_the_map_whose_header_they_have(world: World) -> None:
    unused = [each for each in all_maps() if "header" not in each]
    owners = {each["label"]: each["id"] for each in reversed(real_maps())}
    assert len(unused) == 22
    for each in unused:
        here, owner = world.map(each["id"]), world.map(owners[each["header_of"]])
        assert here.header.address == owner.header.address
        assert (here.width, here.height, here.people) == (owner.width, owner.height, owner.people)


def test_connections_and_how_much_of_a_neighbour_shows(world: World) -> None:
    sizes = {each["id"]: (each["w"], each["h"]) for each in real_maps()}
    for each in real_maps():
        found = [(c.side, c.map_id, c.width, c.length) for c in world.map(each["id"]).connections]
        assert found == [
            (SIDES[row["dir"]], row["map"], sizes[row["map"]][0], shown(each, row, sizes))
            for row in each["connections"]
        ]


def shown(here: Facts, row: Facts, sizes: Mapping[int, tuple[int, int]]) -> int:
    """How many blocks of a neighbour show along the common side, three beyond either end included."""
    along = 0 if row["dir"] in ("north", "south") else 1
    first, side = row["offset_blocks"], (here["w"], here["h"])[along]
    return int(min(first + sizes[row["map"]][along], side + 3) - max(first, -3))


def test_crossings_end_where_the_facts_say(world: World) -> None:
    compared = 0
    for each in real_maps():
        here = world.map(each["id"])
        for row in each["connections"]:
            for x, y in edge(row["dir"], here.columns, here.rows):
                lying = row["dir"] in ("north", "south")
                there = (row["x_align"] + x, row["y_align"]) if lying else None
                there = there or (row["x_align"], row["y_align"] + y)
                if world.map(row["map"]).contains(*there):
                    assert here.crossing((x, y), SIDES[row["dir"]]) == (row["map"], *there)
                    compared += 1
    assert compared > 1000


def edge(side: str, columns: int, rows: int) -> Iterator[tuple[int, int]]:
    last = {"north": 0, "south": rows - 1, "west": 0, "east": columns - 1}[side]
    if side in ("north", "south"):
        yield from ((x, last) for x in range(columns))
    else:
        yield from ((last, y) for y in range(rows))


def test_what_lies_beyond_an_edge_is_the_map_that_joins_there(world: World) -> None:
    compared = 0
    for each in real_maps():
        here = world.map(each["id"])
        for row in each["connections"]:
            for x, y in edge(row["dir"], here.columns, here.rows):
                side = SIDES[row["dir"]]
                there = here.crossing((x, y), side)
                if there is not None and world.map(there.map_id).contains(there.x, there.y):
                    seen = here.tile(x + side.dx, y + side.dy)
                    assert seen == world.map(there.map_id).tile(there.x, there.y)
                    compared += 1
    assert compared > 1000


def test_warps_and_where_they_lead(world: World) -> None:
    for each in real_maps():
        found = [(w.index, w.x, w.y, w.map_id, w.warp_index) for w in world.map(each["id"]).warps]
        keys = ("i", "x", "y", "dest", "dest_warp")
        assert found == [tuple(row[key] for key in keys) for row in each["warps"]]


def test_arrivals_of_warps(world: World) -> None:
    compared = 0
    for each in real_maps():
        for row in each["warps"]:
            if "arrive_x" not in row:
                continue  # where nobody arrives: the id is unused, or no map leads there
            places = row["resolved_dest"] if row["dest"] == LAST_MAP else [row["dest"]]
            for place in places:
                there = world.arrival(place, row["dest_warp"])
                assert there == (row["arrive_x"], row["arrive_y"])
                compared += 1
    assert compared > 800


def test_what_makes_warps_fire(world: World) -> None:
    for each in real_maps():
        for row, warp in zip(each["warps"], world.map(each["id"]).warps, strict=True):
            assert warp.trigger is WarpTrigger(row["trigger"]), (each["name"], row)
            if warp.trigger is not WarpTrigger.STEP:  # of those the facts do not say
                assert pressed(warp) == sorted(row.get("press", [])), (each["name"], row)


def pressed(warp: Warp) -> list[str]:
    return sorted(name for name, facing in FACINGS.items() if facing in warp.press)


def test_signs(world: World) -> None:
    for each in real_maps():
        assert [tuple(sign) for sign in world.map(each["id"]).signs] == [
            (row["x"], row["y"], row["text_id"]) for row in each["signs"]
        ]


def test_everybody_on_every_map(world: World) -> None:
    for each in real_maps():
        found = [resident(one) for one in world.map(each["id"]).people]
        assert found == [written(row) for row in each["objects"]], each["name"]


def resident(one: Resident) -> tuple[object, ...]:
    where = (one.slot, one.picture, one.x, one.y, one.walks, one.facing, one.ways)
    return *where, one.text_id, one.kind, one.opponent, one.mon, one.item


def written(row: Facts) -> tuple[object, ...]:
    walks = row["move"] == "WALK"
    looks = None if walks else FACINGS.get(row["dir"].lower())
    where = (row["i"], row["sprite_id"], row["x"], row["y"], walks, looks)
    opponent = (row["class"], row["set"]) if row["kind"] == "trainer" else None
    mon = (row["species"], row["level"]) if row["kind"] == "pokemon" else None
    ways = WAYS[row["dir"]] if walks else frozenset()
    return *where, ways, row["text_id"], KINDS[row["kind"]], opponent, mon, row.get("item")


def test_everybody_who_fights_has_a_team(world: World, synthetic_cartridge: Cartridge) -> None:
    dex = Dex.of(synthetic_cartridge)
    for here in world.maps:
        for one in here.people:
            if one.opponent is not None:
                teams = dex.trainer(one.opponent.trainer_class).teams
                assert 1 <= one.opponent.number <= len(teams)
