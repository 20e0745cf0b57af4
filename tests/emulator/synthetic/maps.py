"""Maps: headers, connections, objects, texts, blocks."""

from collections.abc import Mapping
from typing import Final

from tests.emulator.synthetic.facts import Facts, all_maps, load, real_maps
from tests.emulator.synthetic.image import Image, word
from tests.emulator.synthetic.neighbours import connection
from tests.emulator.synthetic.required_tiles import required_tiles
from tests.emulator.synthetic.texts import is_shop, put_text, text_ids
from tests.emulator.synthetic.tiles import Blocks, put_tilesets, tilesets

SIDES: Final = {"north": 8, "south": 4, "west": 2, "east": 1}
HEADER, CONNECTION = 12, 11
EMPTY_TEXT: Final = b"\x50"  # a text that ends at once
NO_FACT: Final = bytes(2)  # scripts and view pointers
MOVES: Final = {"WALK": 0xFE, "STAY": 0xFF}
WAYS: Final = {
    "ANY_DIR": 0x00,
    "UP_DOWN": 0x01,
    "LEFT_RIGHT": 0x02,
    "BOULDER_MOVEMENT_BYTE_2": 0x10,
    "DOWN": 0xD0,
    "UP": 0xD1,
    "LEFT": 0xD2,
    "RIGHT": 0xD3,
    "NONE": 0xFF,
}
TRAINER, ITEM, FIRST_CLASS = 0x40, 0x80, 200
# Map and slot of objects that the game flags as items, with item number 0: a girl, and a map on a table.
FLAGGED_AS_ITEMS: Final = {(39, 2), (39, 3)}


def reserve_maps(image: Image) -> None:
    """Reserve the ranges that have fixed places."""
    for each in real_maps():
        image.reserve(*home(each), HEADER + CONNECTION * len(each["connections"]))
        image.reserve(home(each)[0], int(each["object_addr"], 16), len(objects(each)))


def put_maps(image: Image) -> None:
    """Write every map and the tilesets it uses."""
    borders = {(x, y): tile for (name, x, y), tile in required_tiles().items() if name == "border"}
    blocks = Blocks(borders)
    maps = {home(each): each for each in reversed(real_maps())}  # some ids share a header
    layouts = {
        each["id"]: image.allocate(home(each)[0], block_map(each, blocks)) for each in maps.values()
    }
    for (bank, address), each in maps.items():
        image.put(bank, address, header(each, layouts, put_texts(image, each)))
        image.put(bank, int(each["object_addr"], 16), objects(each))
    put_tilesets(image, blocks)
    # The facts give the header address of an unused id, not its bank: it gets that header's bank.
    homes = {each["label"]: home(each) for each in real_maps()}
    found = [homes[each.get("header_of") or each["label"]] for each in all_maps()]
    image.put_table("MapHeaderPointers", b"".join(word(address) for _, address in found))
    image.put_table("MapHeaderBanks", bytes(bank for bank, _ in found))


def home(each: Facts) -> tuple[int, int]:
    return each["header"]["bank"], int(each["header"]["addr"], 16)


def block_map(each: Facts, blocks: Blocks) -> bytes:
    plain: int = tilesets()[each["tileset"]].plain

    def tile(x: int, y: int) -> int:
        return required_tiles().get((each["name"], x, y), plain)

    return bytes(
        blocks.number(
            each["tileset"], (tile(x, y), tile(x + 1, y), tile(x, y + 1), tile(x + 1, y + 1))
        )
        for y in range(0, each["h_steps"], 2)
        for x in range(0, each["w_steps"], 2)
    )


# A script replaces the texts of this map by others with the stock; those of the header are as before the parcel.
SHOP_OF_A_SCRIPT: Final = 42


def put_texts(image: Image, each: Facts) -> int:
    """Write the text table: shops as in the facts, but for one, texts of our own, and empty texts."""
    bank = home(each)[0]
    silence = image.allocate(bank, EMPTY_TEXT)
    texts = dict.fromkeys(range(1, max(text_ids(each), default=0) + 1), silence)
    for text_id in set(text_ids(each)):
        if not is_shop(each, text_id):
            texts[text_id] = put_text(image, bank, each, text_id)
    for mart in load("data/marts.json")["marts"]:
        if mart["map"] == each["id"] != SHOP_OF_A_SCRIPT:
            texts[mart["clerk"]["text_id"]] = int(mart["rom"]["addr"], 16)
    return image.allocate(bank, b"".join(map(word, texts.values())))


def header(each: Facts, layouts: Mapping[int, int], texts: int) -> bytes:
    sides = {row["dir"]: row for row in each["connections"]}
    return (
        bytes([each["tileset"], each["h"], each["w"]])
        + word(layouts[each["id"]])
        + word(texts)
        + NO_FACT
        + bytes([sum(SIDES[side] for side in sides)])
        + b"".join(connection(each, sides[side], layouts) for side in SIDES if side in sides)
        + word(int(each["object_addr"], 16))
    )


def objects(each: Facts) -> bytes:
    warps = [bytes([w["y"], w["x"], w["dest_warp"], w["dest"]]) for w in each["warps"]]
    signs = [bytes([sign["y"], sign["x"], sign["text_id"]]) for sign in each["signs"]]
    people = [person(row, (each["id"], row["i"])) for row in each["objects"]]
    arrivals = [NO_FACT + bytes([warp["y"], warp["x"]]) for warp in each["warps"]]
    return b"".join(
        (
            bytes([each["border_block"]]),
            *(bytes([len(rows)]) + b"".join(rows) for rows in (warps, signs, people)),
            *arrivals,
        )
    )


def person(row: Facts, of_map: tuple[int, int]) -> bytes:
    flag, extra = 0, b""
    if of_map in FLAGGED_AS_ITEMS:
        flag, extra = ITEM, bytes([0])
    elif row["kind"] == "trainer":
        flag, extra = TRAINER, bytes([FIRST_CLASS + row["class"], row["set"]])
    elif row["kind"] == "pokemon":
        flag, extra = TRAINER, bytes([row["species"], row["level"]])
    elif row["kind"] == "item":
        flag, extra = ITEM, bytes([row["item"]])
    place = bytes([row["sprite_id"], row["y"] + 4, row["x"] + 4])
    ways = bytes([MOVES[row["move"]], WAYS[row["dir"]], row["text_id"] | flag])
    return place + ways + extra
