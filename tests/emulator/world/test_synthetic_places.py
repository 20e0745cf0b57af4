"""What maps hold besides, as decoded, is exactly what the facts say."""

import pytest

from emulator import Cartridge, Facing, World
from emulator.world import ResidentKind
from emulator.world.tileset import read_ground
from tests.emulator.synthetic.facts import Facts, load, real_maps

SHORTHANDS = {"#": "POKé", "<PKMN>": "PKMN"}  # how the facts write what one code prints
NO_HIDDEN_ITEM = {34}  # a bit of which no map's facts have the square
NO_TOGGLED_OBJECT = {170, 186}  # bits of which no map's facts have the object
HOLES = 12  # of regions.json: maps.json has none


@pytest.fixture(scope="module")
def world(synthetic_cartridge: Cartridge) -> World:
    return World.of(synthetic_cartridge)


def hidden(each: Facts, routine: str) -> list[Facts]:
    rows = [row for row in each["hidden"] if row["fn"] == routine]
    return sorted(rows, key=lambda row: row["flag_bit"])


def test_what_is_sold_where_and_by_whom(world: World) -> None:
    found = {
        (here.map_id, shop.slot): list(shop.items) for here in world.maps for shop in here.shops
    }
    marts = load("data/marts.json")["marts"]
    expected = {
        (mart["map"], mart["clerk"]["obj"]): [item["id"] for item in mart["items"]]
        for mart in marts
    }
    # Cinnabar's shop has two ids with one header.
    assert found == expected | {(173, 1): expected[172, 1]}


def test_hidden_items(world: World) -> None:
    flags = set()
    for each in real_maps():
        rows = hidden(each, "HiddenItems")
        assert [tuple(item) for item in world.map(each["id"]).hidden_items] == [
            (row["x"], row["y"], row["flag_bit"], row["item"]) for row in rows
        ]
        flags |= {row["flag_bit"] for row in rows}
    assert flags == set(range(54)) - NO_HIDDEN_ITEM


def test_hidden_coins(world: World) -> None:
    flags = set()
    for each in real_maps():
        rows = hidden(each, "HiddenCoins")
        assert [tuple(coins) for coins in world.map(each["id"]).hidden_coins] == [
            (row["x"], row["y"], row["flag_bit"]) for row in rows
        ]
        flags |= {row["flag_bit"] for row in rows}
    assert flags == set(range(12))


def test_who_can_be_hidden_and_who_is_at_first(world: World) -> None:
    flags = set()
    for each in real_maps():
        toggles = world.map(each["id"]).toggles
        rows = [row for row in each["objects"] if "toggle" in row]
        assert sorted(
            (one.flag, one.slot, one.hidden) for one in toggles if one.flag not in NO_TOGGLED_OBJECT
        ) == sorted((row["toggle"], row["i"], not row["visible_at_start"]) for row in rows)
        flags |= {one.flag for one in toggles}
    assert flags == set(range(228))


def test_every_item_on_the_ground_can_be_taken_away(world: World) -> None:
    for here in world.maps:
        toggled = {one.slot for one in here.toggles}
        assert {
            one.slot for one in here.people if one.kind in (ResidentKind.ITEM, ResidentKind.MON)
        } <= toggled


def test_the_place_of_every_map(world: World) -> None:
    for each in real_maps():
        place, entry = each["town_map"], world.map(each["id"]).town_map
        name = place["name"]
        for short, letters in SHORTHANDS.items():
            name = name.replace(short, letters)
        assert entry == (name, place["x"], place["y"])


def test_where_holes_lead(world: World) -> None:
    holes = [
        (hole["to"][0], *hole["arrive"])
        for each in load("regions.json")["maps"].values()
        for hole in each.get("holes", ())
    ]
    assert len(holes) == HOLES
    assert [(warp.map_id, warp.x, warp.y) for warp in world.dungeon_warps] == holes
    numbered = {(warp.map_id, warp.number) for warp in world.dungeon_warps}
    assert len(numbered) == HOLES


def tiles(written: list[str]) -> set[int]:
    return {int(tile, 16) for tile in written}


def test_all_tilesets(world: World) -> None:
    facts = load("data/tilesets.json")
    assert len(facts["tilesets"]) == 24
    for row in facts["tilesets"]:
        tileset = world.tileset(row["id"])
        assert tileset.passable == tiles(row["passable"])
        assert tileset.counters == tiles(row["counter"])
        assert tileset.grass == (int(row["grass"], 16) if row["grass"] else None)
        assert tileset.animated == (row["anim"] != "none")
        assert tileset.doors == tiles(row["door"])
        assert tileset.warps == tiles(row["warp"])
        assert tileset.surfable == row["surfable"]
        assert tileset.pairs == pairs(facts["land_pairs"], row["id"])
        assert tileset.water_pairs == pairs(facts["water_pairs"], row["id"])
        assert tileset.warp_pads == special(facts, row["id"], 1)
        assert tileset.holes == special(facts, row["id"], 2)


def pairs(rows: list[Facts], tileset: int) -> set[frozenset[int]]:
    return {frozenset(tiles(row[1:])) for row in rows if row[0] == tileset}


def special(facts: Facts, tileset: int, kind: int) -> set[int]:
    rows = facts["warp_pad_hole"]
    return tiles([tile for owner, tile, what in rows if (owner, what) == (tileset, kind)])


def test_ledges_and_mats(world: World) -> None:
    facts = load("data/tilesets.json")
    ground = read_ground(world.rom)
    assert {(facing.name.lower(), stood, ahead) for facing, stood, ahead in ground.ledges} == {
        (facing, int(stood, 16), int(ahead, 16)) for facing, stood, ahead in facts["ledges"]
    }
    assert ground.carpets == {
        Facing[facing.upper()]: tiles(found) for facing, found in facts["carpet"].items()
    }
