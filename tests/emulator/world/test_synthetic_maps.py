"""Decoded maps, people, shops and texts are exactly as in the facts."""

from collections import Counter
from collections.abc import Iterator, Mapping

import pytest

from emulator import Cartridge, Dex, Facing, World
from emulator.dex.wild import WildTable
from emulator.world.game_map import Warp, WarpTrigger
from emulator.world.map_objects import MapObject, MapObjectKind
from emulator.world.texts import TextKind
from emulator.world.tileset import read_ground
from emulator.world.world import Lift
from tests.emulator.synthetic.facts import Facts, all_maps, load, real_maps
from tests.emulator.synthetic.maps import SHOP_OF_A_SCRIPT
from tests.emulator.synthetic.texts import SERVICES, ExpectedText, expected_text, is_shop, text_ids

SIDES = {"north": Facing.UP, "south": Facing.DOWN, "west": Facing.LEFT, "east": Facing.RIGHT}
FACINGS = {"down": Facing.DOWN, "up": Facing.UP, "left": Facing.LEFT, "right": Facing.RIGHT}
KINDS = {
    "npc": MapObjectKind.PERSON,
    "trainer": MapObjectKind.TRAINER,
    "item": MapObjectKind.ITEM,
    "pokemon": MapObjectKind.MON,
    "boulder": MapObjectKind.BOULDER,
}
WAYS = {
    "ANY_DIR": frozenset(Facing),
    "UP_DOWN": frozenset({Facing.UP, Facing.DOWN}),
    "LEFT_RIGHT": frozenset({Facing.LEFT, Facing.RIGHT}),
}
LAST_MAP = 255
CELADON_MART_ELEVATOR, ROCKET_HIDEOUT_ELEVATOR, SILPH_CO_ELEVATOR = 127, 203, 236


@pytest.fixture(scope="module")
def world(synthetic_cartridge: Cartridge) -> World:
    return World.of(synthetic_cartridge)


def test_the_facts_have_every_id(world: World) -> None:
    assert [each["id"] for each in all_maps()] == list(world.map_ids)
    assert len(real_maps()) == 226


def test_sizes_and_tilesets(world: World) -> None:
    for each in real_maps():
        here = world.map(each["id"])
        assert (here.header.width, here.header.height) == (each["w"], each["h"])
        assert (here.columns, here.rows) == (each["w_steps"], each["h_steps"])
        assert here.tileset.tileset_id == each["tileset"]
        assert here.header.border == each["border_block"]
        assert here.header.bank == each["header"]["bank"]
        assert here.header.address == int(each["header"]["addr"], 16)


def test_unused_ids_give_the_map_of_their_header(world: World) -> None:
    unused = [each for each in all_maps() if "header" not in each]
    owners = {each["label"]: each["id"] for each in reversed(real_maps())}
    assert len(unused) == 22
    for each in unused:
        here, owner = world.map(each["id"]), world.map(owners[each["header_of"]])
        assert here.header.address == owner.header.address
        assert (here.header.width, here.header.height, here.people) == (
            owner.header.width,
            owner.header.height,
            owner.people,
        )


def test_connections_and_the_visible_part_of_neighbours(world: World) -> None:
    sizes = {each["id"]: (each["w"], each["h"]) for each in real_maps()}
    for each in real_maps():
        found = [
            (c.side, c.map_id, c.width, c.length) for c in world.map(each["id"]).header.connections
        ]
        assert found == [
            (SIDES[row["dir"]], row["map"], sizes[row["map"]][0], shown(each, row, sizes))
            for row in each["connections"]
        ]


def shown(here: Facts, row: Facts, sizes: Mapping[int, tuple[int, int]]) -> int:
    """Return how many blocks of a neighbour show along the common side, up to three beyond either end."""
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


def test_beyond_an_edge_lies_the_connected_map(world: World) -> None:
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
                continue  # nothing arrives there: the id is unused, or no map leads there
            places = row["resolved_dest"] if row["dest"] == LAST_MAP else [row["dest"]]
            for place in places:
                there = world.arrival(place, row["dest_warp"])
                assert there == (row["arrive_x"], row["arrive_y"])
                compared += 1
    assert compared > 800


def test_an_exit_leads_to_the_outdoor_map_whose_door_leads_back(world: World) -> None:
    """Whatever map the player came from: tunnels and gates have an exit on another road than their entrance."""
    compared = 0
    for each in real_maps():
        for row, warp in zip(each["warps"], world.map(each["id"]).warps, strict=True):
            if row["dest"] == LAST_MAP:
                end = world.end_of(each["id"], warp)
                assert row["resolved_dest"] == ([] if end is None else [end.map_id])
                assert end is None or (end.x, end.y) == (row["arrive_x"], row["arrive_y"])
                compared += end is not None
    assert compared > 200


def test_no_warp_leads_into_an_elevator_that_cannot_be_used(world: World) -> None:
    def entered(world: World) -> set[int]:
        ends = (world.end_of(each["id"], warp) for each, warp in into_elevators)
        return {end.map_id for end in ends if end is not None}

    elevators = {each["id"] for each in real_maps() if any("runtime" in w for w in each["warps"])}
    into_elevators = [
        (each, warp)
        for each in real_maps()
        for warp in world.map(each["id"]).warps
        if warp.map_id in elevators
    ]
    assert elevators == {CELADON_MART_ELEVATOR, ROCKET_HIDEOUT_ELEVATOR, SILPH_CO_ELEVATOR}
    assert entered(world) == set()
    lift = Lift((1, 1), ())
    assert entered(world.moving({}, {ROCKET_HIDEOUT_ELEVATOR: lift})) == {ROCKET_HIDEOUT_ELEVATOR}


def test_what_makes_warps_fire(world: World) -> None:
    for each in real_maps():
        for row, warp in zip(each["warps"], world.map(each["id"]).warps, strict=True):
            assert warp.trigger is WarpTrigger(row["trigger"]), (each["name"], row)
            if warp.trigger is not WarpTrigger.STEP:  # the facts do not cover those
                assert pressed(warp) == sorted(row.get("press", [])), (each["name"], row)


def pressed(warp: Warp) -> list[str]:
    return sorted(name for name, facing in FACINGS.items() if facing in warp.press)


def test_signs(world: World) -> None:
    for each in real_maps():
        assert [tuple(sign) for sign in world.map(each["id"]).header.signs] == [
            (row["x"], row["y"], row["text_id"]) for row in each["signs"]
        ]


def test_all_objects_of_all_maps(world: World) -> None:
    for each in real_maps():
        found = [resident(one) for one in world.map(each["id"]).people]
        assert found == [written(row) for row in each["objects"]], each["name"]


def resident(one: MapObject) -> tuple[object, ...]:
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


SHORTHANDS = {"#": "POKé", "<PKMN>": "PKMN"}  # notation of the facts for what one code prints
NO_HIDDEN_ITEM = {34}  # a bit of which no map's facts have the square
NO_TOGGLED_OBJECT = {170, 186}  # bits of which no map's facts have the object
HOLES = 12  # of regions.json: maps.json has none


def hidden(each: Facts, routine: str) -> list[Facts]:
    rows = [row for row in each["hidden"] if row["fn"] == routine]
    return sorted(rows, key=lambda row: row["flag_bit"])


def test_shop_stocks_and_their_sellers(world: World) -> None:
    found = {
        (here.map_id, shop.slot): list(shop.items)
        for here in world.maps
        for shop in here.header.shops
    }
    marts = load("data/marts.json")["marts"]
    expected = {
        (mart["map"], mart["clerk"]["obj"]): [item["id"] for item in mart["items"]]
        for mart in marts
        if mart["map"] != SHOP_OF_A_SCRIPT
    }
    # Cinnabar's shop has two ids with one header.
    assert found == expected | {(173, 1): expected[172, 1]}


def test_hidden_items(world: World) -> None:
    flags = set()
    for each in real_maps():
        rows = hidden(each, "HiddenItems")
        assert [tuple(item) for item in world.map(each["id"]).header.hidden_items] == [
            (row["x"], row["y"], row["flag_bit"], row["item"]) for row in rows
        ]
        flags |= {row["flag_bit"] for row in rows}
    assert flags == set(range(54)) - NO_HIDDEN_ITEM


def test_toggles_and_their_initial_states(world: World) -> None:
    flags = set()
    for each in real_maps():
        toggles = world.map(each["id"]).header.toggles
        rows = [row for row in each["objects"] if "toggle" in row]
        assert sorted(
            (one.flag, one.slot, one.hidden) for one in toggles if one.flag not in NO_TOGGLED_OBJECT
        ) == sorted((row["toggle"], row["i"], not row["visible_at_start"]) for row in rows)
        flags |= {one.flag for one in toggles}
    assert flags == set(range(228))


def test_the_place_of_every_map(world: World) -> None:
    for each in real_maps():
        place, entry = each["town_map"], world.map(each["id"]).header.town_map
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
    assert len({(warp.map_id, warp.number) for warp in world.dungeon_warps}) == HOLES


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


@pytest.fixture(scope="module")
def dex(synthetic_cartridge: Cartridge) -> Dex:
    return Dex.of(synthetic_cartridge)


def levels_and_species(rows: list[Facts]) -> list[tuple[int, int]]:
    return [(row["level"], row["species"]) for row in rows]


def test_all_classes_of_trainers_with_all_teams(dex: Dex) -> None:
    facts = load("data/trainers.json")["trainers"]
    assert len(facts) == 47
    found = [
        (each.number, each.name, each.base_money, [list(team) for team in each.teams])
        for each in dex.all_trainers.values()
    ]
    assert found == [
        (
            row["class"],
            row["name"],
            row["base_money"],
            [levels_and_species(one["party"]) for one in row["sets"]],
        )
        for row in facts
    ]


def test_the_prize_money_of_every_trainer(dex: Dex) -> None:
    for row in load("data/trainers.json")["trainers"]:
        for one in row["sets"]:
            assert dex.trainer(row["class"]).prize(one["set"]) == one["reward"]


def test_the_special_moves_of_leaders_and_the_elite_four(dex: Dex) -> None:
    facts = load("data/trainers.json")
    classes = {row["key"]: row["class"] for row in facts["trainers"]}
    leaders = {gym: (place, move) for gym, (place, move) in dex.lone_moves.items()}
    lone = facts["gym_lone_moves"]["table"]
    assert leaders == {gym: (place, move) for gym, (place, _, move) in enumerate(lone, start=1)}
    team = facts["elite_team_moves"]["table"]
    assert dict(dex.team_moves) == {classes[key]: (5 - 1, move) for key, _, move in team}


def test_all_wild_encounters_of_all_maps(dex: Dex) -> None:
    facts = load("data/wild.json")["wild"]
    found = {
        map_id: (table_of(wild.grass), table_of(wild.water)) for map_id, wild in dex.wild.items()
    }
    assert found == {
        row["map"]: (written_table(row.get("grass")), written_table(row.get("water")))
        for row in facts
    }


def table_of(table: WildTable | None) -> tuple[int, list[tuple[int, int]]] | None:
    if table is None:
        return None
    return table.rate, [(slot.level, slot.species) for slot in table.slots]


def written_table(facts: Facts) -> tuple[int, list[tuple[int, int]]] | None:
    return None if facts is None else (facts["rate"], levels_and_species(facts["slots"]))


def test_the_chances_of_the_ten_slots(dex: Dex) -> None:
    thresholds = load("data/wild.json")["slot_thresholds"]
    grass = next(wild.grass for wild in dex.wild.values() if wild.grass)
    sums = [256 * sum(slot.chance for slot in grass.slots[: n + 1]) - 1 for n in range(10)]
    assert sums == thresholds


def test_all_fishing_encounters(dex: Dex) -> None:
    facts = load("data/wild.json")["fishing"]
    assert list(dex.fishing.good_rod) == levels_and_species(facts["good_rod"])
    groups = facts["super_rod_groups"]
    assert {n: list(group) for n, group in dex.fishing.super_rod.items()} == {
        int(n): levels_and_species(groups[name]) for n, name in facts["super_rod_maps"].items()
    }


def test_all_trades(dex: Dex) -> None:
    assert {bit: tuple(trade) for bit, trade in dex.trades.items()} == {
        row["i"]: (row["give"], row["get"], row["nickname"])
        for row in load("data/trades.json")["trades"]
    }


def test_all_texts_of_signs_and_people(synthetic_cartridge: Cartridge) -> None:
    world = World.of(synthetic_cartridge)
    kinds: Counter[TextKind] = Counter()
    words, services = set(), set()
    for each in real_maps():
        for text_id in text_ids(each):
            text = world.map(each["id"]).header.texts.read(text_id)
            kinds[text.kind] += 1
            service = text.service.name if text.service else ""
            if each["id"] == SHOP_OF_A_SCRIPT and is_shop(each, text_id):
                continue
            # The two ids that share Cinnabar's shop are one map with one clerk.
            if service == "MART":
                assert is_shop(each, text_id) or each["id"] == 173
                continue
            assert ExpectedText(text.kind.name, text.words, service) == expected_text(each, text_id)
            words.add(text.words)
            services.add(service)
    assert services == {"", *SERVICES}
    assert len(words) == 7  # six sayings, and none
    assert min(kinds[kind] for kind in (TextKind.PRINTED, TextKind.SERVICE, TextKind.PROGRAM)) > 100
    assert not kinds[TextKind.INVALID]
