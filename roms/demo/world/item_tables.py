"""The contract's tables of items: names, prices, key items, and the stock of vending machines."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from world.banks import Place, Placement, Room
from world.font import Font
from world.words import ended, macro

PRICES = Place(1, 0x4608)
NAMES = Place(1, 0x472B)
NAMES_END = 0x63BF
KEY_FLAGS = Place(3, 0x6799)
MACHINE = Place(29, 0x5000)
COUNT = 97
NAME = 12
NO_NAME = "-"


def placements(path: Path, font: Font) -> Iterator[Placement]:
    """Yield the tables of the items of `path`; other ids have no name, no price and no use."""
    items = tomllib.loads(path.read_text(encoding="utf-8"))["items"]
    by_id = {table["id"]: (name, table) for name, table in items.items()}
    numbers = range(1, COUNT + 1)
    prices = [by_id[n][1].get("price", 0) if n in by_id else 0 for n in numbers]
    yield Placement(
        PRICES.offset, b"".join(bytes.fromhex(f"{p:06d}") for p in prices), "ItemPrices"
    )
    words = (by_id[n][0] if n in by_id else NO_NAME for n in numbers)
    names = ended(words, font, NAME, path.name)
    Room(NAMES.bank, NAMES.address, NAMES_END).take(len(names), "names of items")
    yield Placement(NAMES.offset, names, "ItemNames")
    drinks = [(table["id"], table["machine"]) for table in items.values() if "machine" in table]
    wares = b"".join(bytes([item]) + bytes.fromhex(f"{price:06d}") for item, price in drinks)
    yield Placement(MACHINE.offset, wares, "VendingPrices")
    keys = sum(1 << (table["id"] - 1) for table in items.values() if table.get("key"))
    yield Placement(KEY_FLAGS.offset, keys.to_bytes(-(-COUNT // 8), "little"), "KeyItemFlags")


def macros(path: Path) -> dict[str, str]:
    """Return the id of each item."""
    items = tomllib.loads(path.read_text(encoding="utf-8"))["items"]
    return {f"ITEM_{macro(name)}": str(table["id"]) for name, table in items.items()}
