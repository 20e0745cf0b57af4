"""Numbers as the game stores them."""

from __future__ import annotations


def bcd(digits: bytes) -> int:
    """Return a number whose every nibble is a decimal digit, highest first."""
    return int(digits.hex()) if digits.hex().isdecimal() else 0


def bits(value: int) -> tuple[int, ...]:
    """Return the numbers of the bits that are set, lowest first."""
    return tuple([bit for bit in range(8) if value >> bit & 1])
