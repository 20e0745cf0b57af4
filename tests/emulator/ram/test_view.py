"""Readers that read again only what has changed, and see nothing but what they said."""

import pytest

from emulator import ConsoleError, Ram
from emulator.ram.view import Excerpt, remembered

HERE, THERE, ELSEWHERE = (0xC000, 2), (0xC010, 1), (0xC020, 1)


def ram(**changed: int) -> Ram:
    memory = bytearray(0x40)
    for name, value in changed.items():
        memory[int(name[1:], 16)] = value
    return Ram([(0xC000, bytes(memory))])


def test_an_excerpt_is_its_ranges_one_after_the_other() -> None:
    assert Excerpt((HERE, THERE)).of(ram(x01=2, x10=3, x20=4)) == bytes([0, 2, 3])


def test_an_excerpt_of_less_is_none() -> None:
    assert Excerpt((HERE, (0xC03F, 2))).of(ram()) is None


def test_a_reader_is_asked_again_only_when_its_bytes_have_changed() -> None:
    asked = []

    @remembered(HERE, THERE)
    def read(ram: Ram) -> list[int]:
        asked.append(ram)
        return [*ram.span(*HERE), ram.byte(THERE[0])]

    first = read(ram(x01=1))
    assert read(ram(x01=1, x20=9)) is first
    assert read(ram(x01=1, x10=7)) == [0, 1, 7]
    assert len(asked) == 2


def test_a_reader_that_looks_elsewhere_is_refused() -> None:
    @remembered(HERE, THERE)
    def read(ram: Ram) -> int:
        return ram.byte(ELSEWHERE[0])

    with pytest.raises(ConsoleError, match="0xc020"):
        read(ram())


def test_a_ram_that_holds_less_is_read_as_it_is() -> None:
    @remembered(HERE, (0xC100, 1))
    def read(ram: Ram) -> bool:
        return ram.covers(0xC100)

    assert read(ram()) is False
