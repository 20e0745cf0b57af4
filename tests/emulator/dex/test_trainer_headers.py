"""Whose eyes the headers of a map are, also where not all who fight there have one."""

from collections.abc import Sequence

from emulator import Ram
from emulator.cartridge import Rom
from emulator.profile import symbol
from emulator.world import Lookout
from emulator.world.residents import TRAINER_HEADER_SIZE, read_lookouts

BANK = 1
AT = 0x4100
FLAGS = symbol("wEventFlags")


def header(bit: int, sight: int, base: int) -> bytes:
    texts = b"".join(each.to_bytes(2, "little") for each in (0x5000, 0x5010, 0x5020, 0x5030))
    return bytes([bit, sight << 4]) + (FLAGS + base).to_bytes(2, "little") + texts


def eyes(headers: Sequence[bytes], slots: Sequence[int], *, at: int = AT) -> dict[int, Lookout]:
    """Return whose eyes are read where the game looked last at the header at `at`."""
    rom = bytearray(b"\xc9" * 0x8000)
    listed = b"".join(headers) + b"\xff"
    rom[AT : AT + len(listed)] = listed
    work = bytearray(0x2000)
    pointer = symbol("wTrainerHeaderPtr") - 0xC000
    work[pointer : pointer + 2] = at.to_bytes(2, "big")
    return dict(read_lookouts(Rom(bytes(rom)), BANK, Ram(((0xC000, bytes(work)),)), slots))


def test_as_many_headers_as_fighters_are_theirs_in_their_order() -> None:
    found = eyes([header(3, 4, 10), header(5, 2, 10)], [1, 6])
    assert found == {1: Lookout(4, 83), 6: Lookout(2, 85)}


def test_a_leader_without_a_header_leaves_the_others_theirs() -> None:
    listed = [header(2, 3, 20), header(3, 3, 20)]
    wanted = {2: Lookout(3, 162), 3: Lookout(3, 163)}
    assert eyes(listed, [1, 2, 3]) == wanted
    assert eyes(listed, [1, 2, 3], at=AT + TRAINER_HEADER_SIZE) == wanted
    assert eyes(listed, [1, 2, 3], at=AT + 2 * TRAINER_HEADER_SIZE) == wanted


def test_where_the_pointer_leads_to_no_list_nobody_watches() -> None:
    assert eyes([header(2, 3, 20)], [1, 2], at=0x6000) == {}
    assert eyes([header(9, 3, 20)], [1, 2]) == {}  # of nobody who is there
    assert eyes([b"\x01\x30" + bytes(10)], [1]) == {}
