"""Species: base data, numbers, names, learnsets and evolutions; wild encounters; trades."""

from collections.abc import Iterable
from typing import Final

from tests.emulator.synthetic.facts import Facts, all_maps, labels, load
from tests.emulator.synthetic.image import Image, word
from tests.emulator.synthetic.letters import padded

LAST: Final = 151  # its base data is stored apart
STATS: Final = ("hp", "atk", "def", "spd", "spc")
METHODS: Final = {"level": 1, "item": 2, "trade": 3}
SQUARE_IS_NEGATIVE: Final = 0x80
# Numerator and denominator of the cube in one byte, square with its sign, linear, constant:
# formats.md 1.8 for those in use, species.json for the two that no species has.
GROWTHS: Final = (
    (0x11, 0, 0, 0),
    (0x34, 10, 0, 30),
    (0x34, 20, 0, 70),
    (0x65, 15 | SQUARE_IS_NEGATIVE, 100, 140),
    (0x45, 0, 0, 0),
    (0x54, 0, 0, 0),
)
DIALOG_SET: Final = 0  # of a trade: no fact


def put_creatures(image: Image) -> None:
    """Write every table about species."""
    facts = load("data/species.json")
    for species in facts["species"]:
        put_base(image, species)
    image.put_table("GrowthRateTable", b"".join(map(bytes, GROWTHS)))
    index_table = facts["index_table"]
    image.put_table("PokedexOrder", bytes(row["dex"] for row in index_table))
    image.put_table("MonsterNames", b"".join(padded(row["name"], 10) for row in index_table))
    put_learnsets(image, {species["index"]: species for species in facts["species"]})
    put_wild(image)
    put_fishing(image)
    trades = load("data/trades.json")["trades"]
    rows = [bytes([t["give"], t["get"], DIALOG_SET]) + padded(t["nickname"], 11) for t in trades]
    image.put_table("TradeMons", b"".join(rows))


def put_base(image: Image, species: Facts) -> None:
    moves = bytes(species["start_moves"]).ljust(4, b"\0")
    machines = sum(1 << bit for bit in species["tmhm"])
    pictures = bytes(5)  # size and two pointers: no facts
    data = (
        bytes([species["dex"], *(species["base"][stat] for stat in STATS), *species["types"]])
        + bytes([species["catch_rate"], species["exp_yield"]])
        + pictures
        + moves
        + bytes([species["growth"]])
        + machines.to_bytes(7, "little")
        + bytes(1)
    )
    bank, address, _ = labels()["BaseStats"]
    if species["dex"] == LAST:
        image.put_table("MewBaseStats", data)
    else:
        image.put(bank, address + 28 * (species["dex"] - 1), data)


def put_learnsets(image: Image, species: dict[int, Facts]) -> None:
    bank = labels()["EvosMovesPointerTable"][0]
    pointers = b""
    for index in range(1, 191):
        facts = species.get(index, {"evolutions": [], "learnset": []})
        evolutions = b"".join(map(evolution, facts["evolutions"]))
        level_up_moves = bytes(value for lesson in facts["learnset"] for value in lesson)
        pointers += word(image.allocate(bank, evolutions + b"\0" + level_up_moves + b"\0"))
    image.put_table("EvosMovesPointerTable", pointers)


def evolution(facts: Facts) -> bytes:
    method = METHODS[facts["method"]]
    level = facts["level"] if facts["method"] == "level" else facts["min_level"]
    item = [facts["item"]] if facts["method"] == "item" else []
    return bytes([method, *item, level, facts["to"]])


def put_wild(image: Image) -> None:
    bank = labels()["WildDataPointers"][0]
    wild = {row["map"]: row for row in load("data/wild.json")["wild"]}
    empty_list = image.allocate(bank, bytes(2))
    pointers = [
        image.allocate(bank, mons(wild[n].get("grass")) + mons(wild[n].get("water")))
        if n in wild
        else empty_list
        for n in range(len(all_maps()))
    ]
    image.put_table("WildDataPointers", b"".join(map(word, pointers)))


def mons(table: Facts) -> bytes:
    return bytes([table["rate"]]) + pairs(table["slots"]) if table else b"\0"


def pairs(slots: Iterable[Facts]) -> bytes:
    return bytes(value for slot in slots for value in (slot["level"], slot["species"]))


def put_fishing(image: Image) -> None:
    fishing = load("data/wild.json")["fishing"]
    image.put_table("GoodRodMons", pairs(fishing["good_rod"]))
    bank, address, size = labels()["SuperRodData"]
    groups = {
        name: word(image.allocate(bank, bytes([len(group)]) + pairs(group)))
        for name, group in fishing["super_rod_groups"].items()
    }
    rows = [bytes([int(n)]) + groups[name] for n, name in fishing["super_rod_maps"].items()]
    assert size == len(b"".join(rows))
    image.put(bank, address, b"".join(rows) + b"\xff")
