"""Creatures, moves, trainers and items of the demo: supported by the engine, and fair for the story.

`emulator.soundness` checks for any cartridge that each table is complete and consistent.
"""

from collections.abc import Iterable

import pytest

from emulator import Dex, demo_cartridge_path, load_cartridge
from emulator.cartridge import Rom as Image
from emulator.dex.species import Evolution, EvolvesBy
from emulator.profile import table
from emulator.soundness.survey import is_name
from tests.contract.world_rom import Rom

INDICES, CLASSES = range(1, 191), range(1, 48)
MASTER_BALL = 1
FLOORS = range(84, 97)  # the floors an elevator lists
PICTURE = 16 * 16
QUICK_MOVE, LAST_RESORT, RECOIL, ONE_HIT = 98, 165, 48, 38
COSTLY = {7, 8, 27, 39, 43, 45, RECOIL, 80}  # effects that cost a turn, a risk, or the user's HP
SEVERAL_TIMES, AMOUNTS = {29, 42, 44, 77}, {ONE_HIT, 40, 41}
ADDITIONS = {2, 3, 4, 5, 6, 17, 31, *range(33, 38), *range(68, 72), 76, 81}
SIDE_EFFECTS = COSTLY | SEVERAL_TIMES | AMOUNTS | ADDITIONS
CHANGES = {*range(10, 16), *range(18, 24), *range(50, 56), *range(58, 64)}
AILMENTS = {9, 28, 32, 46, 47, 49, 56, 79, *range(24, 27), *range(64, 68), *range(83, 87)}
STARTERS = (3, 7, 11)
RAMBLER, BASIL, LEADER = 1, 25, 34
IMAGE = Image(demo_cartridge_path().read_bytes())
BASE_SIZE = 28


@pytest.fixture(scope="module")
def dex() -> Dex:
    return Dex.of(load_cartridge(demo_cartridge_path()))


def record(label: str, size: int, number: int) -> bytes:
    """Return a record of a table whose first record has number 1."""
    bank, address = table(label)
    return IMAGE.span(bank, address + size * (number - 1), size)


def base_data(number: int) -> bytes:
    """Return the base data of a Pokedex number."""
    return record("BaseStats", BASE_SIZE, number)


def pictures(base: bytes, bank: int) -> list[bytes]:
    """Return the front and back pictures."""
    return [picture(base[at : at + 2], bank) for at in (11, 13)]


def picture(pointer: bytes, bank: int) -> bytes:
    return IMAGE.span(bank, int.from_bytes(pointer, "little"), PICTURE)


def are_drawn(found: Iterable[bytes]) -> bool:
    return all(len(set(each)) > 8 for each in found)


def test_every_move_has_an_effect_of_the_engine(rom: Rom, dex: Dex) -> None:
    types = set(rom.numbers("TYPE_").values())
    for move in dex.all_moves.values():
        assert move.type in types
        assert move.effect in (SIDE_EFFECTS | {0} if move.power else CHANGES | AILMENTS)
        assert move.power <= (130 if move.effect in COSTLY else 60)
        assert (75 if move.effect == ONE_HIT else 127) < move.accuracy <= 255
        assert 5 <= move.pp <= 40
    assert set(dex.all_moves) == set(rom.numbers("MOVE_").values())
    assert len(dex.all_moves) >= 22
    assert (dex.move(QUICK_MOVE).power, dex.move(LAST_RESORT).effect) == (40, RECOIL)
    assert any(move.high_critical for move in dex.all_moves.values())
    assert 20 <= len(dex.rules.chart.matchups) <= 82
    assert all(999 * ratio.numerator < 1 << 16 for ratio in dex.rules.ratios)


def test_names_are_short_and_unique(rom: Rom, dex: Dex) -> None:
    for longest, named in ((12, dex.all_moves), (10, dex.all_species)):
        names = [each.name for each in named.values()]
        assert all(is_name(name, longest) for name in names)
        assert len(set(names)) == len(names)
    types = dex.type_names
    assert all(is_name(name, 8) for name in types)
    own = {number for number, name in enumerate(types) if types.count(name) == 1}
    assert own == set(rom.numbers("TYPE_").values())


def test_every_creature_is_complete(rom: Rom, dex: Dex) -> None:
    types = set(rom.numbers("TYPE_").values())
    evolved = {each.species for old in dex.all_species.values() for each in old.evolutions}
    for index, species in dex.all_species.items():
        data = base_data(species.dex)
        assert data[0] == species.dex != index
        assert index in evolved or all(35 <= stat <= 65 for stat in species.base)
        assert set(species.types) <= types
        assert species.catch_rate, "it can be caught"
        assert species.base_experience, "it is worth something"
        assert data[10] == 0x44
        assert any(dex.move(move).power for move in species.first_moves)
        learned = [move for _, move in species.level_up_moves]
        assert len({*learned, *species.first_moves}) == len(learned) + len(species.first_moves)
    assert {base_data(each.dex)[19] for each in dex.all_species.values()} == {0, 3, 4, 5}
    assert any(len(set(each.types)) == 2 for each in dex.all_species.values())


def test_evolutions_are_about_a_fifth_stronger(dex: Dex) -> None:
    evolving = {each.index: each.evolutions for each in dex.all_species.values() if each.evolutions}
    levels = {**dict.fromkeys(STARTERS, 12), 33: 7, 66: 13}
    assert evolving == {
        index: (Evolution(EvolvesBy.LEVEL, level, 0, evolving[index][0].species),)
        for index, level in levels.items()
    }
    for old, (evolution,) in evolving.items():
        before, after = dex.species(old), dex.species(evolution.species)
        assert all(1.15 <= b / a <= 1.25 for a, b in zip(before.base, after.base, strict=True))
        assert (after.types, after.growth) == (before.types, before.growth)
        assert not after.evolutions


def test_every_creature_is_drawn_from_both_sides(rom: Rom, dex: Dex) -> None:
    bank = rom.number("CREATURE_PICS_BANK")
    views = {each.index: pictures(base_data(each.dex), bank) for each in dex.all_species.values()}
    assert are_drawn(view for pair in views.values() for view in pair)
    fronts = {front for front, _ in views.values()}
    assert len(fronts) == len(views)
    assert not fronts & {views[index][1] for index in STARTERS}


def test_indices_without_a_creature_are_harmless(rom: Rom, dex: Dex) -> None:
    bank, address = table("EvosMovesPointerTable")
    for index in set(INDICES) - set(dex.all_species):
        assert IMAGE.span(bank, IMAGE.pointer(bank, address + 2 * (index - 1)), 2) == bytes(2)
    for number in range(len(dex.all_species) + 1, 151):
        base = base_data(number)
        assert base[0] == number
        assert all(base[1:6])
        assert set(base[6:8]) <= set(rom.numbers("TYPE_").values())
        assert base[15:19] == bytes(4)
        assert are_drawn(pictures(base, rom.number("CREATURE_PICS_BANK")))


def test_the_rivals_starters_beat_the_players(rom: Rom, dex: Dex) -> None:
    starters, rivals = (
        tuple(rom.number(f"{whose}_STARTER_{n}") for n in (1, 2, 3))
        for whose in ("SPECIES", "RIVAL")
    )
    assert starters == STARTERS
    for ours, theirs in zip(starters, rivals, strict=True):
        own, other = dex.species(ours), dex.species(theirs)
        assert len(set(own.types)) == 1
        assert min(own.types) >= 20
        assert dex.rules.chart.apply(100, other.types[0], own.types) == 200
        assert dex.rules.chart.apply(100, own.types[0], other.types) == 50
        assert all(19 <= (own.base.hp + dv) * 2 * 5 // 100 + 15 <= 21 for dv in range(16))
    assert [dex.trainer(BASIL).teams[n] for n in range(3)] == [((5, each),) for each in rivals]
    assert rom.number("TRAINER_BASIL") == BASIL


def test_every_trainer_class_has_a_picture_money_and_move_choices(rom: Rom, dex: Dex) -> None:
    for number in CLASSES:
        data, known = record("TrainerPicAndMoneyPointers", 5, number), dex.trainer(number)
        assert are_drawn([picture(data[:2], rom.number("TRAINER_PICS_BANK"))])
        assert 0 < int(data[2:].hex()) < 10000
        assert set(known.choices) <= {1, 2, 3}
        assert len(set(known.choices)) == len(known.choices)
    assert (dex.trainer(RAMBLER).choices, dex.trainer(LEADER).choices) == ((), (1, 3))
    party = dex.trainer(RAMBLER).teams[0]
    assert len(party) == 2
    assert {each.level for each in party} <= {4, 5}


def test_every_item_has_a_price_unless_it_cannot_be_sold(rom: Rom, dex: Dex) -> None:
    own = set(rom.numbers("ITEM_").values())
    for number in range(1, 98):
        item = dex.item(number)
        is_beyond_price = item.key or number == MASTER_BALL or number in FLOORS
        assert bool(item.price) == (number in own and not is_beyond_price)
        assert number in own or not item.key
