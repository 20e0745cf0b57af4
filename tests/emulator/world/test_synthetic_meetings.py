"""Whom one meets, as decoded, is exactly what the facts say: trainers, wild mons, fish, trades."""

import pytest

from emulator import Cartridge, Dex
from emulator.dex import WildTable
from tests.emulator.synthetic.facts import Facts, load


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


def test_what_every_trainer_pays(dex: Dex) -> None:
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


def test_all_wild_mons_of_all_maps(dex: Dex) -> None:
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


def test_who_bites_at_which_rod_where(dex: Dex) -> None:
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
