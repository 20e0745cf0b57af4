"""Species, moves, trainers and items decoded from the demo and from tables written by hand."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Final

import pytest

from emulator import Cartridge, CartridgeError, CartridgeKind, Dex, Ram, Species, World
from emulator.cartridge import Rom
from emulator.dex.species import Evolution, EvolvesBy, LevelUpMove
from emulator.dex.trainers import TeamMember
from emulator.dex.wild import Wild
from emulator.profile import symbol
from emulator.ram.party import Stats
from emulator.rules.rule_book import Matchup, StageRatio
from emulator.rules.stats import Growth
from emulator.text import charmap
from emulator.world.header import FIRST_INDOOR_MAP
from emulator.world.map_objects import TRAINER_HEADER_SIZE, SightLine, read_sight_lines
from tests.emulator.synthetic.facts import Facts, load
from tests.emulator.synthetic.image import offset, word

CODES: Final = {letters: code for code, letters in charmap().items() if len(letters) == 1}
ITEMS: Final = Path(__file__).parents[3] / "roms/demo/world/creatures/items.toml"
Place = tuple[int, int]


def name(word: str) -> bytes:
    return bytes(CODES[letter] for letter in word) + b"\x50"


def cartridge_with(tables: Mapping[Place, bytes], kind: str = "") -> Cartridge:
    """Return a cartridge that holds these tables, and zeros everywhere else."""
    rom = bytearray(1 << 20)
    for place, data in ({(15, 0x76CB): bytes([1, 1]) * 13} | dict(tables)).items():
        rom[offset(*place) : offset(*place) + len(data)] = data
    return Cartridge(Path(), bytes(rom), "by hand", str(hash(bytes(rom))), CartridgeKind.DEMO)


def dex_with(tables: Mapping[Place, bytes]) -> Dex:
    return Dex.of(cartridge_with(tables))


BASE: Final = bytes([5, 40, 41, 42, 43, 44, 20, 21, 190, 60, 0x55, 0, 0, 0, 0, 1, 2, 0, 0, 3])
MACHINES: Final = bytes([0b101, 0, 0, 0, 0, 0, 0b1000000])


def species_tables(learnset: bytes) -> dict[Place, bytes]:
    """Return the tables of one species: index 2, fifth of the dex."""
    return {
        (16, 0x5024): bytes([0, 5, 0, 151, 152]),
        (7, 0x421E): name("OTHER").ljust(10, b"\x50") + name("SOMEBODYXX")[:10],
        (14, 0x43DE + 4 * 28): BASE + MACHINES,
        (1, 0x425B): bytes([151, 100]),
        (14, 0x705C + 2): word(0x7800),
        (14, 0x7800): learnset,
        (22, 0x501D + 12): bytes([0x65, 0x80 | 15, 100, 140]),
    }


def test_every_field_of_a_species() -> None:
    one = dex_with(species_tables(bytes([0, 0]))).species(2)
    assert (one.index, one.dex, one.name) == (2, 5, "SOMEBODYXX")
    assert one.base == Stats(40, 41, 42, 43, 44)
    assert (one.types, one.catch_rate, one.base_experience) == ((20, 21), 190, 60)
    assert one.first_moves == (1, 2)
    assert one.growth == Growth(6, 5, -15, 100, 140)
    assert one.machines == (0, 2, 54)
    assert (one.level_up_moves, one.evolutions) == ((), ())


def test_indices_without_a_species_are_left_out_and_mew_is_stored_apart() -> None:
    dex = dex_with(species_tables(bytes([0, 0])))
    assert set(dex.all_species) == {2, 4}
    assert dex.species(4).base.hp == 100


def test_evolutions_and_level_up_moves() -> None:
    by_level, by_item, by_trade = (1, 16, 9), (2, 33, 1, 10), (3, 1, 11)
    learnset = bytes([*by_level, *by_item, *by_trade, 0, 7, 73, 13, 22, 20, 2, 25, 4, 30, 5, 0])
    one = dex_with(species_tables(learnset)).species(2)
    assert one.evolutions == (
        Evolution(EvolvesBy.LEVEL, 16, 0, 9),
        Evolution(EvolvesBy.ITEM, 1, 33, 10),
        Evolution(EvolvesBy.TRADE, 1, 0, 11),
    )
    assert one.level_up_moves == (
        *(
            LevelUpMove(7, 73),
            LevelUpMove(13, 22),
            LevelUpMove(20, 2),
            LevelUpMove(25, 4),
            LevelUpMove(30, 5),
        ),
    )


def test_a_pokemon_knows_its_last_four_moves_without_repeats() -> None:
    learnset = bytes([0, 7, 73, 13, 22, 20, 2, 25, 4, 30, 5, 0])
    one = dex_with(species_tables(learnset)).species(2)
    moves = {level: one.moves_at(level) for level in (6, 7, 20, 25, 99)}
    assert moves == {
        6: (1, 2),
        7: (1, 2, 73),
        20: (1, 2, 73, 22),
        25: (2, 73, 22, 4),
        99: (73, 22, 4, 5),
    }


def test_a_learnset_without_an_end_mark_is_empty() -> None:
    assert dex_with(species_tables(bytes([0]) + bytes([9]) * 80)).species(2).level_up_moves == ()


@pytest.mark.parametrize("evolution", EvolvesBy)
def test_evolutions_without_an_end_mark_are_bounded(evolution: EvolvesBy) -> None:
    one = dex_with(species_tables(bytes([evolution.value]) * 80)).species(2)
    assert 0 < len(one.evolutions) <= 21
    assert one.level_up_moves == ()


def test_a_class_has_no_more_teams_than_a_byte_can_count() -> None:
    starts = word(0x4000) + word(0x5000) * 46
    dex = dex_with({(14, 0x5D3B): starts, (14, 0x4000): bytes([3, 5, 0]) * 1000})
    assert len(dex.trainer(1).teams) == 255


def test_moves() -> None:
    dex = dex_with(
        {
            (14, 0x4000): bytes([1, 0, 40, 0, 255, 35, *bytes(6), 3, 17, 60, 20, 200, 5]),
            (44, 0x4000): name("FIRST") + name("BLANK") + name("THIRD"),
            (15, 0x608E): bytes([3, 9, 0xFF]),
        }
    )
    assert list(dex.all_moves) == [1, 3]
    first, third = dex.move(1), dex.move(3)
    assert (first.name, first.power, first.type, first.accuracy, first.pp) == (
        *("FIRST", 40, 0, 255, 35),
    )
    assert (first.high_critical, third.high_critical) == (False, True)
    assert (third.name, third.effect, third.special) == ("THIRD", 17, True)


def test_types() -> None:
    dex = dex_with(
        {
            (9, 0x7DAE): word(0x7E00) + word(0x7E06),
            (9, 0x7E00): name("PLAIN") + name("HOT"),
            (15, 0x6474): bytes([20, 22, 20, 0, 8, 0, 0xFF, 1, 1, 1]),
        }
    )
    assert dex.type_names[:2] == ("PLAIN", "HOT")
    assert dex.rules.chart.matchups == (Matchup(20, 22, 20), Matchup(0, 8, 0))
    assert dex.rules.ratios == (StageRatio(1, 1),) * 13


def test_trainers() -> None:
    same_level, each_its_own = bytes([11, 7, 8, 0]), bytes([0xFF, 9, 7, 12, 8, 0])
    last = bytes([3, 5, 0]) + bytes([0xA7, 0xFA, 0x57, 0, 1, 2])  # code follows
    starts = [0x6000] + [0x6000 + len(same_level + each_its_own)] * 46
    dex = dex_with(
        {
            (14, 0x5D3B): b"".join(map(word, starts)),
            (14, 0x6000): same_level + each_its_own + last,
            (14, 0x5914): bytes([1, 2, 0x00, 0x15, 0x00]),
            (14, 0x59FF): name("WALKER") + name("OTHER"),
        }
    )
    walker = dex.trainer(1)
    assert (walker.number, walker.name, walker.base_money) == (1, "WALKER", 15)
    assert walker.teams == (
        (TeamMember(11, 7), TeamMember(11, 8)),
        (TeamMember(9, 7), TeamMember(12, 8)),
    )
    assert (walker.prize(1), walker.prize(2)) == (165, 180)
    assert dex.trainer(47).teams == ((TeamMember(3, 5),),)


def test_a_class_without_teams_begins_where_the_next_one_does() -> None:
    teams = bytes([11, 2, 2, 0])
    dex = dex_with(
        {(14, 0x5D3B): word(0x5E00) * 2 + word(0x5E04) * 45, (14, 0x5E00): teams + b"\xff"}
    )
    assert [len(dex.trainer(number).teams) for number in (1, 2, 3)] == [0, 1, 0]


def test_special_moves_replace_the_third_move_of_one_pokemon() -> None:
    dex = dex_with({(14, 0x5D22): bytes([1, 117, 6, 117, 2, 85]), (14, 0x5D32): bytes([44, 59])})
    assert (dex.lone_moves, dex.team_moves) == ({1: (1, 117), 3: (2, 85)}, {44: (4, 59)})


def test_fishing_encounters_are_decoded_by_rod_and_map() -> None:
    dex = dex_with(
        {
            (3, 0x627F): bytes([10, 157, 10, 71]),
            (3, 0x6919): bytes([7]) + word(0x7000) + bytes([9]) + word(0x7010) + b"\xff",
            (3, 0x7000): bytes([2, 15, 24, 20, 25]),
        }
    )
    assert dex.fishing.good_rod == ((10, 157), (10, 71))
    assert dex.fishing.super_rod == {7: ((15, 24), (20, 25))}


def test_trades_are_indexed_by_their_flag_bits() -> None:
    row = bytes([5, 64, 1]) + name("DUX").ljust(11, b"\x50")
    assert dex_with({(28, 0x5B7B + 2 * 14): row}).trades == {2: (5, 64, "DUX")}


def test_prices_of_vending_machines() -> None:
    rows = bytes([60, 0, 2, 0, 61, 0, 3, 0x50])
    assert dex_with({(29, 0x5000): rows}).vending == {60: 200, 61: 350}


def test_tables_the_demo_lacks_are_empty(demo: Cartridge) -> None:
    dex = Dex.of(demo)
    assert not dex.trades
    assert not dex.fishing.good_rod + tuple(dex.fishing.super_rod)


def test_the_vending_machine_of_the_demo_has_the_prices_of_its_sources(demo: Cartridge) -> None:
    written = tomllib.loads(ITEMS.read_text(encoding="utf-8"))["items"]
    asked = [(each["id"], each["machine"]) for each in written.values() if "machine" in each]
    assert asked
    assert list(Dex.of(demo).vending.items()) == asked


def test_wild_encounters_are_decoded_by_map() -> None:
    slots = bytes(number for slot in range(10) for number in (2 + slot, 7 + slot % 2))
    dex = dex_with(
        {
            (3, 0x4EEB): word(0x5200) + word(0x5300) + word(0x5400) + word(0x5500),
            (3, 0x5200): bytes([25]) + slots + bytes([0]),
            (3, 0x5300): bytes([0, 5]) + slots,
            (3, 0x5400): bytes([25]) + slots + bytes([5]) + slots,
        }
    )
    assert set(dex.wild) == {0, 1, 2}
    assert dex.wild[0].water is None
    assert dex.wild[1].grass is None
    assert isinstance(dex.wild[2], Wild)
    grass, water = dex.wild[2]
    assert grass is not None
    assert water is not None
    assert (grass.rate, water.rate, grass.slots) == (25, 5, water.slots)
    assert [slot.level for slot in grass.slots] == list(range(2, 12))
    assert sum(slot.chance for slot in grass.slots) == 1
    assert grass.slots[0].chance == Fraction(51, 256)
    assert grass.shares[7] == Fraction(51 + 39 + 25 + 13 + 11, 256)


def test_items() -> None:
    dex = dex_with(
        {
            (1, 0x4608): bytes.fromhex("000000 001200"),
            (1, 0x472B): name("RARE") + name("CAP"),
            (3, 0x6799): bytes([0b01]),
            (4, 0x7773): bytes([5, 0, *bytes(48), 15]),
            (30, 0x7FA7): bytes([0x31]),
        }
    )
    rare, cap = dex.item(1), dex.item(2)
    assert (rare.name, rare.price, rare.key, rare.teaches) == ("RARE", 0, True, None)
    assert (cap.name, cap.price, cap.key) == ("CAP", 1200, False)
    machine, hidden = dex.item(0xC9), dex.item(0xC4)
    assert (machine.name, machine.price, machine.teaches, machine.key) == ("TM01", 3000, 5, False)
    assert (hidden.name, hidden.teaches, hidden.key) == ("HM01", 15, True)
    assert 0xCA not in dex.all_items
    assert dex.item(97).name == ""


def test_an_unknown_number_raises_a_one_line_error() -> None:
    dex = dex_with({})
    for ask, what in (
        (dex.species, "species"),
        (dex.move, "move"),
        (dex.item, "item"),
        (dex.trainer, "trainer class"),
    ):
        with pytest.raises(CartridgeError, match=f"^no {what} has .* 200; the cartridge has") as e:
            ask(200)
        assert "\n" not in str(e.value)


def test_a_cartridge_without_tables_is_refused(demo: Cartridge) -> None:
    with pytest.raises(CartridgeError, match="no stat stage table"):
        Dex.of(replace(demo, rom=bytes(1 << 20), sha1="blank"))


def test_wild_encounters_of_the_demo_have_grass_or_water_on_their_map(demo: Cartridge) -> None:
    dex, world = Dex.of(demo), World.of(demo)
    assert {3, 7, 11, 1} & set(dex.all_species) == {3, 7, 11}
    for map_id, wild in dex.wild.items():
        tileset = world.map(map_id).tileset
        grows = tileset.grass is not None
        assert wild.grass is None or grows or map_id >= FIRST_INDOOR_MAP  # a cave needs no grass
        assert wild.water is None or tileset.surfable
    assert len(dex.trainer(25).teams) == 6


def test_the_starters_beat_each_other_in_a_ring(demo: Cartridge) -> None:
    dex = Dex.of(demo)
    types = [dex.species(index).types[0] for index in (3, 7, 11)]
    against = [
        [dex.rules.chart.multiplier(one, (other, other)) for other in types] for one in types
    ]
    assert all(sorted(row) == [Fraction(1, 2), Fraction(1, 2), 2] for row in against)


def test_the_dex_is_decoded_once(demo: Cartridge) -> None:
    copy = replace(demo, sha1="another")
    assert Dex.of(copy) is Dex.of(copy)


BANK = 1
AT = 0x4100
FLAGS = symbol("wEventFlags")


def header(bit: int, sight: int, base: int) -> bytes:
    texts = b"".join(each.to_bytes(2, "little") for each in (0x5000, 0x5010, 0x5020, 0x5030))
    return bytes([bit, sight << 4]) + (FLAGS + base).to_bytes(2, "little") + texts


def sights(headers: Sequence[bytes], slots: Sequence[int], *, at: int = AT) -> dict[int, SightLine]:
    """Return the decoded sights when the game's last checked header is at `at`."""
    rom = bytearray(b"\xc9" * 0x8000)
    listed = b"".join(headers) + b"\xff"
    rom[AT : AT + len(listed)] = listed
    work = bytearray(0x2000)
    pointer = symbol("wTrainerHeaderPtr") - 0xC000
    work[pointer : pointer + 2] = at.to_bytes(2, "big")
    return dict(read_sight_lines(Rom(bytes(rom)), BANK, Ram(((0xC000, bytes(work)),)), slots))


def test_headers_as_many_as_trainers_belong_to_them_in_order() -> None:
    found = sights([header(3, 4, 10), header(5, 2, 10)], [1, 6])
    assert found == {1: SightLine(4, 83), 6: SightLine(2, 85)}


def test_a_leader_without_a_header_does_not_shift_the_other_headers() -> None:
    listed = [header(2, 3, 20), header(3, 3, 20)]
    wanted = {2: SightLine(3, 162), 3: SightLine(3, 163)}
    assert sights(listed, [1, 2, 3]) == wanted
    assert sights(listed, [1, 2, 3], at=AT + TRAINER_HEADER_SIZE) == wanted
    assert sights(listed, [1, 2, 3], at=AT + 2 * TRAINER_HEADER_SIZE) == wanted


def test_a_pointer_to_no_header_list_gives_no_sights() -> None:
    assert sights([header(2, 3, 20)], [1, 2], at=0x6000) == {}
    assert sights([header(9, 3, 20)], [1, 2]) == {}  # slots that are not present
    assert sights([b"\x01\x30" + bytes(10)], [1]) == {}


METHODS = {"level": EvolvesBy.LEVEL, "item": EvolvesBy.ITEM, "trade": EvolvesBy.TRADE}
GROWTHS = {  # formats.md 1.8
    0: Growth(1, 1, 0, 0, 0),
    3: Growth(6, 5, -15, 100, 140),
    4: Growth(4, 5, 0, 0, 0),
    5: Growth(5, 4, 0, 0, 0),
}
FLOORS = range(84, 98)  # numbers of elevator floors: named like items, with no other data


@pytest.fixture(scope="module")
def dex(synthetic_cartridge: Cartridge) -> Dex:
    return Dex.of(synthetic_cartridge)


def test_all_fields_of_all_species_match_the_facts(dex: Dex) -> None:
    facts = load("data/species.json")["species"]
    assert len(facts) == 151
    assert {one.index: fields(one) for one in dex.all_species.values()} == {
        row["index"]: written(row) for row in facts
    }


def fields(one: Species) -> tuple[object, ...]:
    evolutions = [(each.by, each.level, each.item, each.species) for each in one.evolutions]
    level_up_moves = [list(lesson) for lesson in one.level_up_moves]
    identity = (one.dex, one.name, list(one.types), tuple(one.base))
    rates = (one.catch_rate, one.base_experience, one.growth)
    return *identity, *rates, list(one.first_moves), level_up_moves, evolutions, list(one.machines)


def written(row: Facts) -> tuple[object, ...]:
    evolutions = [
        (METHODS[each["method"]], level_of(each), each.get("item", 0), each["to"])
        for each in row["evolutions"]
    ]
    identity = (row["dex"], row["name"], row["types"], tuple(row["base"].values()))
    rates = (row["catch_rate"], row["exp_yield"], GROWTHS[row["growth"]])
    return *identity, *rates, row["start_moves"], row["learnset"], evolutions, row["tmhm"]


def level_of(evolution: Facts) -> int:
    level: int = evolution["level" if evolution["method"] == "level" else "min_level"]
    return level


def test_all_moves(dex: Dex) -> None:
    facts = load("data/moves.json")["moves"]
    assert len(facts) == 165
    found = [
        (m.number, m.name, m.effect, m.power, m.type, m.accuracy, m.pp, m.high_critical)
        for m in dex.all_moves.values()
    ]
    keys = ("id", "name", "effect", "power", "type", "acc_byte", "pp")
    assert found == [(*(row[key] for key in keys), row.get("high_crit", False)) for row in facts]


def test_all_types_and_the_type_chart_match_the_facts(dex: Dex) -> None:
    facts = load("data/types.json")
    names = {number: name for number, name in enumerate(dex.type_names) if name}
    assert names == {int(number): name for number, name in facts["types"].items()}
    assert len(facts["matchups"]) == facts["count"]
    assert list(dex.rules.chart.matchups) == [Matchup(*row) for row in facts["matchups"]]


def test_all_stages_of_stats(dex: Dex) -> None:
    facts = load("data/enums.json")["stat_stage_ratio"].values()
    assert list(dex.rules.ratios) == [StageRatio(*map(int, ratio.split("/"))) for ratio in facts]


def test_all_items(dex: Dex) -> None:
    facts = [row for row in load("data/items.json")["items"] if row["id"] not in FLOORS]
    assert len(facts) == 83 + 55
    found = [
        (item.number, item.name, item.price, item.key, item.teaches)
        for item in sorted(dex.all_items.values(), key=lambda item: item.number)
        if item.number not in FLOORS
    ]
    assert found == sorted(
        (row["id"], row["name"], row["price"], row["key_item"], row.get("move")) for row in facts
    )


def test_elevator_floors_are_decoded_as_items_without_a_price(dex: Dex) -> None:
    facts = {row["id"]: row["name"] for row in load("data/items.json")["items"]}
    for number in FLOORS:
        item = dex.item(number)
        assert (item.name, item.price, item.key) == (facts[number], 0, False)


def test_vending_machines_have_their_own_prices(dex: Dex) -> None:
    facts = load("data/marts.json")["vending_machine"]["items"]
    assert list(dex.vending.items()) == [(row["id"], row["price"]) for row in facts]
