"""Items: names, prices, key items, machine moves; the texts of shops."""

from typing import Final

from tests.emulator.synthetic.facts import load
from tests.emulator.synthetic.image import Image, decimal
from tests.emulator.synthetic.letters import ended

LAST_NAMED: Final = 97
SHOP, END = 0xFE, 0xFF


def put_items(image: Image) -> None:
    """Write every table about items."""
    items = load("data/items.json")["items"]
    named = [item for item in items if item["id"] <= LAST_NAMED]
    # The numbers of elevator floors are not items: they have a name and no other data.
    image.put_table("ItemNames", b"".join(ended(item["name"]) for item in named))
    image.put_table("ItemPrices", b"".join(decimal(item.get("price", 0), 3) for item in named))
    keys = sum(1 << (item["id"] - 1) for item in named if item.get("key_item"))
    image.put_table("KeyItemFlags", keys.to_bytes(-(-LAST_NAMED // 8), "little"))
    machines = sorted(
        (item for item in items if "tmhm_index" in item), key=lambda item: item["tmhm_index"]
    )
    image.put_table("TechnicalMachines", bytes(item["move"] for item in machines))
    thousands = "".join(f"{item['price'] // 1000:x}" for item in machines[:50])
    image.put_table("TechnicalMachinePrices", bytes.fromhex(thousands))
    marts = load("data/marts.json")
    drinks = [bytes([each["id"]]) + decimal(each["price"], 3) for each in drink_rows()]
    image.put_table("VendingPrices", b"".join(drinks))
    for mart in marts["marts"]:
        stock = [item["id"] for item in mart["items"]]
        text = bytes([SHOP, len(stock), *stock, END])
        image.put(mart["rom"]["bank"], int(mart["rom"]["addr"], 16), text)


def drink_rows() -> list[dict[str, int]]:
    rows: list[dict[str, int]] = load("data/marts.json")["vending_machine"]["items"]
    return rows
