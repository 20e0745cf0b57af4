"""Items: names, prices in shops and vending machines, and which are key items."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from emulator.cartridge import Rom, read_names
from emulator.profile import table
from emulator.text import bcd

PRICES: Final = table("ItemPrices")  # three BCD bytes each
NAMES: Final = table("ItemNames")
KEYS: Final = table("KeyItemFlags")
COUNT: Final = 97
MACHINES: Final = table("TechnicalMachines")  # the moves of TM01 to TM50, HM01 to HM05
MACHINE_PRICES: Final = table("TechnicalMachinePrices")  # nibbles, in thousands
TMS: Final = 50
HMS: Final = 5
FIRST_HM: Final = 0xC4
FIRST_TM: Final = 0xC9
LAST_MOVE: Final = 165


@dataclass(frozen=True, slots=True)
class Item:
    """An item; a `key` item can be neither sold nor tossed, `teaches` is a move or None."""

    number: int
    name: str
    price: int
    key: bool
    teaches: int | None = None

    @property
    def machine(self) -> int | None:
        """The machine number as in `Species.machines`: TM01 to TM50 from 0, then HM01 to HM05; None otherwise."""
        if self.teaches is None:
            return None
        return self.number - (FIRST_TM if self.number >= FIRST_TM else FIRST_HM - TMS)


def read_items(rom: Rom) -> dict[int, Item]:
    """Return every item by its number."""
    prices = rom.table(PRICES, 3, COUNT)
    keys = int.from_bytes(rom.span(*KEYS, -(-COUNT // 8)), "little")
    items = {
        n + 1: Item(n + 1, name, bcd(prices[n]), bool(keys >> n & 1))
        for n, name in enumerate(read_names(rom, NAMES, COUNT))
    }
    return items | {item.number: item for item in _machines(rom)}


def _machines(rom: Rom) -> Iterator[Item]:
    moves = rom.span(*MACHINES, TMS + HMS)
    nibbles = rom.span(*MACHINE_PRICES, TMS // 2).hex()
    for n, move in enumerate(moves):
        if not 0 < move <= LAST_MOVE:
            continue  # a cartridge without machines
        if n < TMS:
            price = 1000 * int(nibbles[n], 16)
            yield Item(FIRST_TM + n, f"TM{n + 1:02}", price, key=False, teaches=move)
        else:
            hm = n - TMS
            yield Item(FIRST_HM + hm, f"HM{hm + 1:02}", 0, key=True, teaches=move)


VENDING_PRICES: Final = table("VendingPrices")  # item, three BCD bytes
VENDING_SIZE: Final = 4
VENDING_COUNT: Final = 3


def read_vending(rom: Rom) -> dict[int, int]:
    """Return the prices by item number, in the order of the vending machine's menu."""
    rows = rom.table(VENDING_PRICES, VENDING_SIZE, VENDING_COUNT)
    return {row[0]: bcd(row[1:]) for row in rows if bcd(row[1:])}
