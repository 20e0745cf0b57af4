"""A blank cartridge image for tables, in which each byte is written once."""

from typing import Final

from tests.emulator.synthetic.facts import labels, tables

SIZE: Final = 1 << 20
BANK: Final = 0x4000
HEADER: Final = 0x150
MBC3_RAM_BATTERY, ONE_MIB, RAM_32_KIB = 0x13, 5, 3
ENDLESS_LOOP: Final = bytes([0x18, 0xFE])  # a jump to itself


def word(value: int) -> bytes:
    """Return a pointer as it is stored."""
    return (value & 0xFFFF).to_bytes(2, "little")


def decimal(value: int, size: int) -> bytes:
    """Return a number in binary-coded decimal, two digits per byte."""
    return bytes.fromhex(f"{value:0{2 * size}}")


class Image:
    """One mebibyte of zeros; a byte that is written twice must have the same value both times."""

    def __init__(self) -> None:
        self.data = bytearray(SIZE)
        self._written = bytearray(SIZE)
        self._taken = bytearray(SIZE)  # written, or reserved for a table
        self.reserve(0, 0, HEADER)
        for bank, address, size in tables():
            self.reserve(bank, address, size)

    def reserve(self, bank: int, address: int, size: int) -> None:
        """Reserve a range, so that it is not allocated."""
        start = offset(bank, address)
        self._taken[start : start + size] = bytes([1]) * size

    def put(self, bank: int, address: int, data: bytes) -> None:
        """Write at a fixed place."""
        start = offset(bank, address)
        end = start + len(data)
        assert end <= (start // BANK + 1) * BANK, f"{bank}:{address:04X} leaves its bank"
        for at, value in enumerate(data, start):
            assert not self._written[at] or self.data[at] == value, f"{at:06X} is written twice"
        self.data[start:end] = data
        self._written[start:end] = bytes([1]) * len(data)
        self.reserve(bank, address, len(data))

    def put_table(self, label: str, data: bytes) -> None:
        """Write a table at the place of its label; it must not exceed the table's size."""
        bank, address, size = labels()[label]
        assert not size or len(data) <= size, f"{label} has {len(data)} bytes of {size}"
        self.put(bank, address, data)

    def allocate(self, bank: int, data: bytes) -> int:
        """Write anywhere in a bank and return the address."""
        at = self._taken.find(bytes(len(data)), bank * BANK, (bank + 1) * BANK)
        assert at >= 0, f"bank {bank} is full"
        address = at % BANK + (BANK if bank else 0)
        self.put(bank, address, data)
        return address

    def finish(self) -> bytes:
        """Return the image with a valid header."""
        self.data[0x100:0x102] = ENDLESS_LOOP
        self.data[0x134:0x143] = b"POKEMON RED".ljust(15, b"\0")
        self.data[0x147:0x14A] = bytes([MBC3_RAM_BATTERY, ONE_MIB, RAM_32_KIB])
        self.data[0x14D] = -sum(byte + 1 for byte in self.data[0x134:0x14D]) & 0xFF
        self.data[0x14E:0x150] = bytes(2)
        self.data[0x14E:0x150] = (sum(self.data) & 0xFFFF).to_bytes(2, "big")
        return bytes(self.data)


def offset(bank: int, address: int) -> int:
    """Return the offset of an address in the image."""
    return address if address < BANK else bank * BANK + address - BANK
