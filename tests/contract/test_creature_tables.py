"""Creatures, moves, types, trainers and items keep the binary contract: parsed from the written formats alone."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from emulator.profile import RED

ROOT = Path(__file__).parents[2]
END, SPACE = 0x50, 0x7F
INDICES, MOVE_IDS, TYPE_IDS = range(1, 191), range(1, 166), range(27)
CLASSES, ITEMS, MAPS = range(1, 48), range(1, 98), range(248)
MASTER_BALL = 1
FLOORS = range(84, 97)  # what a lift lists
PICTURE = 16 * 16
LEVELS_DIFFER = 0xFF
QUICK_MOVE, LAST_RESORT, RECOIL = 98, 165, 48
ONE_HIT = 38
COSTLY = {7, 8, 27, 39, 43, 45, RECOIL, 80}  # a turn, a risk, or the user itself
SEVERAL_TIMES = {29, 42, 44, 77}
AMOUNTS = {ONE_HIT, 40, 41}
ADDITIONS = {2, 3, 4, 5, 6, 17, 31, *range(33, 38), *range(68, 72), 76, 81}
SIDE_EFFECTS = COSTLY | SEVERAL_TIMES | AMOUNTS | ADDITIONS
CHANGES = {*range(10, 16), *range(18, 24), *range(50, 56), *range(58, 64)}
STATUS_EFFECTS = CHANGES | {
    *(9, 28, 32, 46, 47, 49, 56, 79),
    *range(24, 27),
    *range(64, 68),
    *range(83, 87),
}
RAMBLER, BASIL, LEADER = 1, 25, 34
BY_LEVEL, BY_ITEM = 1, 2


class Move(NamedTuple):
    id: int
    effect: int
    power: int
    type: int
    accuracy: int
    pp: int


class Member(NamedTuple):
    level: int
    species: int


@dataclass(frozen=True)
class Base:
    """The 28 bytes of a dex number."""

    data: bytes

    @property
    def stats(self) -> bytes:
        return self.data[1:6]

    @property
    def types(self) -> set[int]:
        return set(self.data[6:8])

    @property
    def pictures(self) -> tuple[int, int]:
        front, back = self.data[11:13], self.data[13:15]
        return int.from_bytes(front, "little"), int.from_bytes(back, "little")

    @property
    def moves(self) -> bytes:
        return self.data[15:19]

    @property
    def growth(self) -> int:
        return self.data[19]


@dataclass(frozen=True)
class Rom:
    data: bytes
    tables: Mapping[str, tuple[int, int]]
    macros: Mapping[str, int]

    def bytes_of(self, label: str, start: int, size: int) -> bytes:
        bank, address = self.tables[label]
        return self.at(bank, address + start, size)

    def at(self, bank: int, address: int, size: int) -> bytes:
        assert 0x4000 <= address <= 0x8000 - size, f"{bank}:{address:04X} leaves the bank"
        offset = bank * 0x4000 + address - 0x4000
        return self.data[offset : offset + size]

    def records(self, label: str, size: int, count: int) -> list[bytes]:
        data = self.bytes_of(label, 0, size * count)
        return [data[n : n + size] for n in range(0, len(data), size)]

    def words(self, label: str, count: int) -> list[int]:
        return [int.from_bytes(record, "little") for record in self.records(label, 2, count)]

    def tail(self, label: str, address: int) -> bytes:
        """Return the rest of a table's bank from an address of it."""
        return self.at(self.tables[label][0], address, 0x8000 - address)

    def strings(self, label: str, count: int) -> list[bytes]:
        return self.tail(label, self.tables[label][1]).split(bytes([END]))[:count]

    @property
    def moves(self) -> dict[int, Move]:
        records = [Move(*record) for record in self.records("Moves", 6, len(MOVE_IDS))]
        return {number: move for number, move in zip(MOVE_IDS, records, strict=True) if move.id}

    @property
    def type_names(self) -> list[bytes]:
        addresses = self.words("TypeNames", len(TYPE_IDS))
        return [self.tail("TypeNames", each).split(bytes([END]))[0] for each in addresses]

    @property
    def named_types(self) -> set[int]:
        """The names that only one type has are names of types."""
        names = self.type_names
        return {number for number in TYPE_IDS if names.count(names[number]) == 1}

    @property
    def chart(self) -> list[bytes]:
        data, chart = self.tail("TypeEffects", self.tables["TypeEffects"][1]), list[bytes]()
        while data[3 * len(chart)] != 0xFF:
            chart.append(data[3 * len(chart) : 3 * len(chart) + 3])
        return chart

    def factor(self, attacker: int, defenders: set[int]) -> float:
        product = 1.0
        for move_type, defender, tenths in self.chart:
            if move_type == attacker and defender in defenders:
                product *= tenths / 10
        return product

    @property
    def dex(self) -> dict[int, int]:
        numbers = self.bytes_of("PokedexOrder", 0, len(INDICES))
        return {index: dex for index, dex in zip(INDICES, numbers, strict=True) if dex}

    def base(self, index: int) -> Base:
        return Base(self.bytes_of("BaseStats", 28 * (self.dex[index] - 1), 28))

    def growth_of(self, index: int) -> tuple[list[bytes], bytes]:
        """Return the evolutions of a creature, and the bytes behind them."""
        pointer = self.words("EvosMovesPointerTable", len(INDICES))[index - 1]
        data, found = self.tail("EvosMovesPointerTable", pointer), list[bytes]()
        while data[0]:
            size = 4 if data[0] == BY_ITEM else 3
            found.append(data[:size])
            data = data[size:]
        return found, data[1:]

    def learnset(self, index: int) -> list[tuple[int, int]]:
        """Return the pairs of level and move."""
        data = self.growth_of(index)[1]
        pairs = data[: data.index(0)]
        return list(zip(pairs[::2], pairs[1::2], strict=True))

    @property
    def evolved(self) -> dict[int, int]:
        """Return who somebody evolves into by level, and what that one was before."""
        growing = {index: self.growth_of(index)[0] for index in self.dex}
        return {each[2]: old for old, found in growing.items() for each in found}

    def parties(self, trainer: int) -> list[list[Member]]:
        """Return the sets of a class, up to where another class begins or the data ends."""
        pointers = self.words("TrainerDataPointers", len(CLASSES))
        start = pointers[trainer - 1]
        end = min((each for each in pointers if each > start), default=start + 1)
        found, position = [], 0
        data = self.tail("TrainerDataPointers", start)
        while start + position < end:
            size = data.index(0, position) - position
            found.append(members(data[position : position + size]))
            position += size + 1
        return found

    def is_drawn(self, pointer: int, bank: str = "CREATURE_PICS_BANK") -> bool:
        return len(set(self.at(self.macros[bank], pointer, PICTURE))) > 8

    def experience(self, growth: int, level: int) -> int:
        fraction, square, linear, minus = self.records("GrowthRateTable", 4, 6)[growth]
        signed = -(square & 0x7F) if square & 0x80 else square
        cube = (fraction >> 4) * level**3 // (fraction & 15)
        return cube + signed * level**2 + linear * level - minus


def members(record: bytes) -> list[Member]:
    if record[0] == LEVELS_DIFFER:
        return [Member(*pair) for pair in zip(record[1::2], record[2::2], strict=True)]
    return [Member(record[0], species) for species in record[1:]]


def decimal(digits: bytes) -> int:
    """Return a number of two decimal digits a byte."""
    return int(digits.hex())


def is_name(name: bytes, longest: int) -> bool:
    return 0 < len(name) <= longest and all(code == SPACE or code >= 0x80 for code in name)


@pytest.fixture(scope="module")
def rom(tmp_path_factory: pytest.TempPathFactory) -> Rom:
    folder = tmp_path_factory.mktemp("creatures")
    subprocess.run(
        [sys.executable, "-m", "world.compile", str(folder)],
        cwd=ROOT / "roms" / "demo",
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )
    tables = {label: table.place for label, table in RED.rom_tables.items()}
    header = (folder / "world.h").read_text(encoding="ascii")
    macros = {
        name: int(n, 0)
        for name, n in re.findall(r"^#define (\w+) (\w+)$", header, re.M)
        if n[0].isdigit()
    }
    return Rom((folder / "world.bin").read_bytes(), tables, macros)


def macros_of(rom: Rom, prefix: str) -> Iterator[int]:
    return (number for name, number in rom.macros.items() if name.startswith(prefix))


def test_every_move_does_what_the_engine_knows(rom: Rom) -> None:
    for number, move in rom.moves.items():
        assert move.id == number
        assert move.type in rom.named_types
        assert move.effect in (SIDE_EFFECTS | {0} if move.power else STATUS_EFFECTS)
        assert move.power <= (130 if move.effect in COSTLY else 60)
        assert (75 if move.effect == ONE_HIT else 127) < move.accuracy <= 255
        assert 5 <= move.pp <= 40
    assert set(rom.moves) == set(macros_of(rom, "MOVE_"))
    assert len(rom.moves) >= 22


def test_two_moves_have_fixed_ids(rom: Rom) -> None:
    assert rom.moves[QUICK_MOVE].power == 40
    assert rom.moves[LAST_RESORT].effect == RECOIL


def test_ids_without_a_move_are_empty(rom: Rom) -> None:
    for number, record in zip(MOVE_IDS, rom.records("Moves", 6, len(MOVE_IDS)), strict=True):
        assert number in rom.moves or record == bytes(6)


def test_every_move_id_has_a_name(rom: Rom) -> None:
    names = rom.strings("MoveNames", len(MOVE_IDS))
    assert all(is_name(name, 12) for name in names)
    own = [names[number - 1] for number in rom.moves]
    assert len(set(own)) == len(own)


def test_moves_that_hit_hard_often_exist(rom: Rom) -> None:
    listed = rom.bytes_of("HighCriticalMoves", 0, 5)
    assert listed[-1] == 0xFF
    assert set(listed) - {0xFF} <= set(rom.moves)


def test_every_type_id_has_a_name(rom: Rom) -> None:
    assert all(is_name(name, 8) for name in rom.type_names)
    assert rom.named_types == set(macros_of(rom, "TYPE_"))


def test_the_chart_ends_and_knows_only_types(rom: Rom) -> None:
    assert 20 <= len(rom.chart) <= 82
    pairs = [(attacker, defender) for attacker, defender, _ in rom.chart]
    assert len(set(pairs)) == len(pairs)
    assert {number for pair in pairs for number in pair} <= rom.named_types
    assert {tenths for _, _, tenths in rom.chart} == {0, 5, 20}


def test_stages_change_a_stat_step_by_step(rom: Rom) -> None:
    ratios = rom.records("StatModifierRatios", 2, 13)
    values = [numerator / denominator for numerator, denominator in ratios]
    assert values == sorted(set(values))
    assert values[6] == 1
    assert all(999 * numerator < 1 << 16 for numerator, _ in ratios)


def test_dex_numbers_run_from_one_and_are_not_indices(rom: Rom) -> None:
    assert sorted(rom.dex.values()) == list(range(1, len(rom.dex) + 1))
    assert len(rom.dex) >= 14
    assert not any(index == dex for index, dex in rom.dex.items())


def test_every_creature_is_complete(rom: Rom) -> None:
    for index, dex in rom.dex.items():
        base = rom.base(index)
        assert base.data[0] == dex
        assert index in rom.evolved or all(35 <= stat <= 65 for stat in base.stats)
        assert base.types <= rom.named_types
        assert base.growth in {0, 3, 4, 5}
        assert base.data[8], "it can be caught"
        assert base.data[9], "it is worth something"
        assert base.data[10] == 0x44
        known = base.moves.rstrip(b"\0")
        assert known
        assert set(known) <= set(rom.moves)
    assert {rom.base(index).growth for index in rom.dex} == {0, 3, 4, 5}
    assert any(len(rom.base(index).types) == 2 for index in rom.dex)


def test_the_starters_and_two_of_the_first_route_evolve(rom: Rom) -> None:
    levels = {old: rom.growth_of(old)[0] for old in rom.evolved.values()}
    assert {old: [each[:2] for each in found] for old, found in levels.items()} == {
        **{index: [bytes([BY_LEVEL, 12])] for index in (3, 7, 11)},
        33: [bytes([BY_LEVEL, 7])],
        66: [bytes([BY_LEVEL, 13])],
    }


def test_who_has_evolved_is_about_a_fifth_better(rom: Rom) -> None:
    for new, old in rom.evolved.items():
        before, after = rom.base(old), rom.base(new)
        assert all(1.15 <= b / a <= 1.25 for a, b in zip(before.stats, after.stats, strict=True))
        assert after.types == before.types
        assert after.growth == before.growth
        assert rom.growth_of(new)[0] == []


def test_every_creature_can_hurt_from_the_start(rom: Rom) -> None:
    for index in rom.dex:
        assert any(rom.moves[number].power for number in rom.base(index).moves if number)


def test_what_is_learned_is_a_move_and_new(rom: Rom) -> None:
    for index in rom.dex:
        learned = rom.learnset(index)
        levels, moves = [level for level, _ in learned], [move for _, move in learned]
        assert levels == sorted(levels)
        assert all(1 < level <= 100 for level in levels)
        assert set(moves) <= set(rom.moves)
        assert len({*moves, *rom.base(index).moves} - {0}) == len(moves) + len(
            rom.base(index).moves.rstrip(b"\0")
        )


def test_every_creature_has_a_name_of_its_own(rom: Rom) -> None:
    fields = rom.records("MonsterNames", 10, len(INDICES))
    names = {n: field.rstrip(bytes([END])) for n, field in zip(INDICES, fields, strict=True)}
    assert all(is_name(name, 10) and END not in name for name in names.values())
    own = [names[index] for index in rom.dex]
    assert len(set(own)) == len(own)


def test_every_creature_is_drawn_from_both_sides(rom: Rom) -> None:
    views = [rom.base(index).pictures for index in rom.dex]
    assert all(rom.is_drawn(pointer) for pair in views for pointer in pair)
    bank = rom.macros["CREATURE_PICS_BANK"]
    fronts = {rom.at(bank, front, PICTURE) for front, _ in views}
    assert len(fronts) == len(views)
    for index in (3, 7, 11):
        assert rom.at(bank, rom.base(index).pictures[1], PICTURE) not in fronts


def test_indices_without_a_creature_are_harmless(rom: Rom) -> None:
    for index in set(INDICES) - set(rom.dex):
        assert rom.learnset(index) == []
    for dex in range(len(rom.dex) + 1, 151):
        base = Base(rom.bytes_of("BaseStats", 28 * (dex - 1), 28))
        assert base.data[0] == dex
        assert all(base.stats)
        assert base.types <= rom.named_types
        assert base.moves == bytes(4)
        assert all(rom.is_drawn(pointer) for pointer in base.pictures)


def test_experience_grows_with_every_level(rom: Rom) -> None:
    for growth in range(6):
        curve = [rom.experience(growth, level) for level in range(2, 101)]
        assert curve == sorted(set(curve))
        assert curve[0] > 0
        assert curve[-1] < 1 << 24
    assert rom.experience(3, 5) == 6 * 125 // 5 - 15 * 25 + 500 - 140


def test_the_starters_beat_each_other_in_a_triangle(rom: Rom) -> None:
    starters = [rom.macros[f"SPECIES_STARTER_{n}"] for n in (1, 2, 3)]
    rivals = [rom.macros[f"RIVAL_STARTER_{n}"] for n in (1, 2, 3)]
    assert starters == [3, 7, 11]
    assert [rom.dex[index] for index in starters] == [1, 2, 3]
    assert sorted(rivals) == starters
    for ours, theirs in zip(starters, rivals, strict=True):
        (own,), (other,) = rom.base(ours).types, rom.base(theirs).types
        assert min(own, other) >= 20
        assert rom.factor(other, {own}) == 2
        assert rom.factor(own, {other}) == 0.5


def test_a_starter_begins_with_about_twenty_hit_points(rom: Rom) -> None:
    for index in (3, 7, 11):
        for value in range(16):
            assert 19 <= (rom.base(index).stats[0] + value) * 2 * 5 // 100 + 15 <= 21


def test_every_class_has_a_name_a_picture_money_and_a_party(rom: Rom) -> None:
    assert all(is_name(name, 12) for name in rom.strings("TrainerNames", len(CLASSES)))
    for number, record in zip(
        CLASSES, rom.records("TrainerPicAndMoneyPointers", 5, len(CLASSES)), strict=True
    ):
        assert rom.is_drawn(int.from_bytes(record[:2], "little"), "TRAINER_PICS_BANK")
        assert 0 < decimal(record[2:]) < 10000
        parties = rom.parties(number)
        assert parties
        for party in parties:
            assert 1 <= len(party) <= 6
            assert all(0 < each.level <= 100 and each.species in rom.dex for each in party)


def test_basil_answers_each_starter(rom: Rom) -> None:
    answers = [[Member(5, rom.macros[f"RIVAL_STARTER_{n}"])] for n in (1, 2, 3)]
    assert rom.parties(BASIL)[:3] == answers
    assert rom.macros["TRAINER_BASIL"] == BASIL


def test_the_rambler_brings_two(rom: Rom) -> None:
    party = rom.parties(RAMBLER)[0]
    assert len(party) == 2
    assert {each.level for each in party} <= {4, 5}


def test_every_class_has_a_list_of_what_it_prefers(rom: Rom) -> None:
    data = rom.bytes_of("TrainerClassMoveChoiceModifications", 0, 0x79)
    lists = data.split(b"\0")[: len(CLASSES)]
    assert len(lists) == len(CLASSES)
    assert all(set(each) <= {1, 2, 3} and len(set(each)) == len(each) for each in lists)
    assert lists[RAMBLER - 1] == b""
    assert lists[LEADER - 1] == bytes([1, 3])


def test_slots_of_wild_ground_cover_every_chance(rom: Rom) -> None:
    slots = rom.records("WildMonEncounterSlotChances", 2, 10)
    tops = [top for top, _ in slots]
    assert tops == sorted(set(tops))
    assert tops[-1] == 255
    assert [offset for _, offset in slots] == list(range(0, 20, 2))


def test_whoever_lives_in_the_wild_exists(rom: Rom) -> None:
    for pointer in rom.words("WildDataPointers", len(MAPS)):
        data = rom.tail("WildDataPointers", pointer)
        for _ in ("grass", "water"):
            slots = data[1:21] if data[0] else b""
            assert set(slots[1::2]) <= set(rom.dex)
            data = data[1 + len(slots) :]


def test_every_item_has_a_name_and_a_price(rom: Rom) -> None:
    assert all(is_name(name, 12) for name in rom.strings("ItemNames", len(ITEMS)))
    prices = [decimal(record) for record in rom.records("ItemPrices", 3, len(ITEMS))]
    flags = int.from_bytes(rom.bytes_of("KeyItemFlags", 0, 13), "little")
    own = set(macros_of(rom, "ITEM_"))
    for number, price in zip(ITEMS, prices, strict=True):
        is_key = bool(flags >> (number - 1) & 1)
        is_beyond_price = is_key or number == MASTER_BALL or number in FLOORS
        assert bool(price) == (number in own and not is_beyond_price)
        assert number in own or not is_key
