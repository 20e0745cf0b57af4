"""8x8 drawings as the bytes the Game Boy shows. Independent of files."""

from world.art import Picture


def two_bits(tile: Picture) -> bytes:
    """Return the 16 bytes of a tile of four colours: low plane, high plane, row by row."""
    return bytes(_plane(row, bit) for row in tile for bit in (0, 1))


def one_bit(tile: Picture) -> bytes:
    """Return the 8 bytes of a tile of two colours."""
    return bytes(_plane(tuple(min(colour, 1) for colour in row), 0) for row in tile)


def _plane(row: tuple[int, ...], bit: int) -> int:
    value = 0
    for colour in row:
        value = value << 1 | (colour >> bit & 1)
    return value
