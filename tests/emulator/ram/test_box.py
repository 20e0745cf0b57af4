"""The current box is read at a glance, and only when its count is borne out."""

from typing import Final

from emulator import Ram
from emulator.ram import Box, BoxedMon
from emulator.ram.party import read_box

COUNT, SPECIES, MONS, END, NUMBER = 0xDA80, 0xDA81, 0xDA96, 0xE000, 0xD5A0
MON_SIZE: Final = 33


def box_of(count: int, species: bytes, number: int = 0) -> Box:
    """Return the box read from RAM in which each mon's level is 10 more than its place."""
    memory = bytearray(END - 0xC000)
    memory[NUMBER - 0xC000], memory[COUNT - 0xC000] = number, count
    memory[SPECIES - 0xC000 : SPECIES - 0xC000 + len(species)] = species
    for place, kind in enumerate(species[:-1]):
        at = MONS - 0xC000 + MON_SIZE * place
        memory[at], memory[at + 3] = kind, 10 + place
    return read_box(Ram(((0xC000, bytes(memory)),)))


def test_a_box_tells_number_kinds_and_levels() -> None:
    box = box_of(2, b"\x21\x07\xff", 0x80 | 5)
    assert box == Box(5, (BoxedMon(0x21, 10), BoxedMon(7, 11)))
    assert len(box) == 2
    assert not box.full


def test_twenty_fill_it() -> None:
    assert box_of(20, bytes([7] * 20 + [0xFF])).full


def test_a_count_that_the_list_does_not_bear_out_is_nobody() -> None:
    assert len(box_of(3, b"\x21\x07\xff")) == 0
    assert len(box_of(0, b"\xff")) == 0
    assert len(box_of(0, b"\0")) == 0
    assert len(box_of(200, bytes([7] * 30))) == 0
