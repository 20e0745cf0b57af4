"""Game states built from single bytes, for tests of RAM readers."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from emulator import Ram, State, read_state

Change: TypeAlias = dict[int, int]
TILE_MAP: Final = 0xC3A0
QUIET: Final = {  # on a map of 4x4 blocks
    0xC100: 1,  # wSpritePlayerStateData1PictureID
    0xD361: 3,  # wYCoord
    0xD362: 3,  # wXCoord
    0xD368: 4,  # wCurMapHeight
    0xD369: 4,  # wCurMapWidth
    0xFF40: 0x80,  # rLCDC
    0xFF47: 0xE4,  # rBGP
}


def ram_with(changes: Mapping[int, int]) -> Ram:
    """Return RAM with these bytes and zeros elsewhere."""
    memory = bytearray(0x10000)
    for address, value in changes.items():
        memory[address] = value
    windows = ((0xC000, 0x2000), (0xFF00, 0x100))
    return Ram(tuple((at, bytes(memory[at : at + n])) for at, n in windows))


def state_with(changes: Mapping[int, int]) -> State:
    """Return the state of a quiet moment, with `changes` to its bytes."""
    return read_state(ram_with(QUIET | dict(changes)), 7)


def bytes_from(address: int, data: bytes) -> Change:
    """Return `data` as bytes by address, from `address` on."""
    return {address + n: byte for n, byte in enumerate(data)}


def tile(column: int, row: int, value: int) -> Change:
    """Return one tile of the tile map."""
    return {TILE_MAP + 20 * row + column: value}


def box(left: int, top: int, right: int, bottom: int) -> Change:
    """Return the corners of a box on the tile map."""
    return (
        tile(left, top, 0x79)
        | tile(right, top, 0x7B)
        | tile(left, bottom, 0x7D)
        | tile(right, bottom, 0x7E)
    )


def cursor(column: int, row: int, last: int, current: int = 0) -> Change:
    """Return a menu with its cursor drawn at the position that the game stores."""
    at = TILE_MAP + 20 * row + column
    noted = {0xCC30: at & 0xFF, 0xCC31: at >> 8, at: 0xED}
    return noted | {0xCC24: row, 0xCC25: column, 0xCC26: current, 0xCC28: last, 0xCC29: 3}


MESSAGE_BOX: Final = box(0, 12, 19, 17)
