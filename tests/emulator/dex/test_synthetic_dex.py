"""What is decoded about creatures, moves and things is exactly what the facts say."""

import pytest

from emulator import Cartridge, Dex, Species
from emulator.dex import EvolvesBy
from emulator.rules import Growth, Matchup, StageRatio
from tests.emulator.synthetic.facts import Facts, load

METHODS = {"level": EvolvesBy.LEVEL, "item": EvolvesBy.ITEM, "trade": EvolvesBy.TRADE}
GROWTHS = {  # formats.md 1.8
    0: Growth(1, 1, 0, 0, 0),
    3: Growth(6, 5, -15, 100, 140),
    4: Growth(4, 5, 0, 0, 0),
    5: Growth(5, 4, 0, 0, 0),
}
FLOORS = range(84, 98)  # numbers of elevators' floors: named as items are, and nothing else


@pytest.fixture(scope="module")
def dex(synthetic_cartridge: Cartridge) -> Dex:
    return Dex.of(synthetic_cartridge)


def test_all_species_in_every_field(dex: Dex) -> None:
    facts = load("data/species.json")["species"]
    assert len(facts) == 151
    assert {one.index: fields(one) for one in dex.all_species.values()} == {
        row["index"]: written(row) for row in facts
    }


def fields(one: Species) -> tuple[object, ...]:
    evolutions = [(each.by, each.level, each.item, each.species) for each in one.evolutions]
    lessons = [list(lesson) for lesson in one.lessons]
    identity = (one.dex, one.name, list(one.types), tuple(one.base))
    rates = (one.catch_rate, one.base_experience, one.growth)
    return *identity, *rates, list(one.first_moves), lessons, evolutions, list(one.machines)


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


def test_all_numbers_of_species(dex: Dex) -> None:
    facts = load("data/species.json")["index_table"]
    assert [row["index"] for row in facts] == list(range(1, 191))
    assert {one.index: (one.dex, one.name) for one in dex.all_species.values()} == {
        row["index"]: (row["dex"], row["name"]) for row in facts if row["dex"]
    }


def test_all_moves(dex: Dex) -> None:
    facts = load("data/moves.json")["moves"]
    assert len(facts) == 165
    found = [
        (m.number, m.name, m.effect, m.power, m.type, m.accuracy, m.pp, m.high_critical)
        for m in dex.all_moves.values()
    ]
    keys = ("id", "name", "effect", "power", "type", "acc_byte", "pp")
    assert found == [(*(row[key] for key in keys), row.get("high_crit", False)) for row in facts]


def test_all_types_and_how_they_match(dex: Dex) -> None:
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


def test_floors_are_decoded_as_items_without_a_price(dex: Dex) -> None:
    facts = {row["id"]: row["name"] for row in load("data/items.json")["items"]}
    for number in FLOORS:
        item = dex.item(number)
        assert (item.name, item.price, item.key) == (facts[number], 0, False)


def test_machines_are_numbered_as_species_name_them(dex: Dex) -> None:
    facts = load("data/items.json")["items"]
    machines = {row["tmhm_index"]: row["move"] for row in facts if "tmhm_index" in row}
    assert sorted(machines) == list(range(55))
    taught = [item for item in dex.all_items.values() if item.teaches is not None]
    by_name = {item.name: item.teaches for item in taught}
    names = [*(f"TM{n:02}" for n in range(1, 51)), *(f"HM{n:02}" for n in range(1, 6))]
    assert [by_name[name] for name in names] == [machines[n] for n in range(55)]


def test_vending_machines_have_their_own_prices(dex: Dex) -> None:
    facts = load("data/marts.json")["vending_machine"]["items"]
    assert list(dex.vending.items()) == [(row["id"], row["price"]) for row in facts]
