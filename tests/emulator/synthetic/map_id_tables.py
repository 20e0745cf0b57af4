"""Tables indexed by map id: toggles, hidden items, the town map, the landings of holes."""

from collections import Counter
from itertools import groupby
from typing import Final

from tests.emulator.synthetic.facts import Facts, all_maps, labels, load, real_maps
from tests.emulator.synthetic.image import Image, word
from tests.emulator.synthetic.letters import ended

TOGGLES: Final = 228
HIDDEN, SHOWN = 0x11, 0x15
NOBODY: Final = 0xFF  # the object of a toggle that no map's facts name
OUTDOORS: Final = 37
NOWHERE: Final = bytes([0xFF, 0, 0])  # a coordinate without facts
END: Final = 0xFF
NO_ROUTINE: Final = bytes(3)


def put_map_id_tables(image: Image) -> None:
    """Write these tables."""
    put_toggles(image)
    put_events(image)
    put_hidden_items(image)
    put_town_map(image)
    put_holes(image)


def put_toggles(image: Image) -> None:
    known: dict[int, tuple[int, int, bool]] = {
        row["toggle"]: (each["id"], row["i"], row["visible_at_start"])
        for each in real_maps()
        for row in each["objects"]
        if "toggle" in row
    }
    states = b""
    first: dict[int, int] = {}
    for number in range(TOGGLES):
        # The toggles of a map are consecutive, so one without facts belongs to the map of its neighbours.
        owner, slot, shown = known.get(number) or (known[number - 1][0], NOBODY, True)
        states += bytes([owner, slot, SHOWN if shown else HIDDEN])
        first.setdefault(owner, number)
    image.put_table("ToggleableObjectStates", states)
    bank, start, _ = labels()["ToggleableObjectStates"]
    none = image.allocate(bank, bytes([END]))
    pointers = [start + 3 * first[n] if n in first else none for n in range(len(all_maps()))]
    image.put_table("ToggleableObjectMapPointers", b"".join(map(word, pointers)))


def put_events(image: Image) -> None:
    maps = [each for each in real_maps() if each["hidden"]]
    image.put_table("HiddenEventMaps", bytes(each["id"] for each in maps) + bytes([END]))
    bank, address, _ = labels()["HiddenEventPointers"]
    image.reserve(bank, address, 2 * len(maps))
    rows = [b"".join(map(event, each["hidden"])) + bytes([END]) for each in maps]
    pointers = b"".join(word(image.allocate(bank, records)) for records in rows)
    image.put(bank, address, pointers)


def event(row: Facts) -> bytes:
    place = bytes([row["y"], row["x"]])
    if row["fn"] == "HiddenItems":
        bank, address, _ = labels()["HiddenItems"]
        return place + bytes([row["item"], bank]) + word(address)
    return place + b"\0" + NO_ROUTINE  # the facts have no other stored argument


def put_hidden_items(image: Image) -> None:
    rows = {
        row["flag_bit"]: bytes([each["id"], row["y"], row["x"]])
        for each in real_maps()
        for row in each["hidden"]
        if row["fn"] == "HiddenItems"
    }
    image.put_table(
        "HiddenItemCoords", b"".join(rows.get(n, NOWHERE) for n in range(max(rows) + 1))
    )


def put_town_map(image: Image) -> None:
    bank, address, _ = labels()["InternalMapEntries"]
    indoors = [each for each in real_maps() if each["id"] >= OUTDOORS]
    groups = [list(group) for _, group in groupby(indoors, key=lambda each: each["town_map"])]
    image.reserve(bank, address, 4 * len(groups) + 1)
    names: dict[str, bytes] = {}
    for each in real_maps():
        name = each["town_map"]["name"]
        if name not in names:
            names[name] = word(image.allocate(bank, ended(name)))

    def entry(each: Facts) -> bytes:
        if "town_map" not in each:
            return bytes(3)
        place = each["town_map"]
        return bytes([place["y"] << 4 | place["x"]]) + names[place["name"]]

    image.put_table("ExternalMapEntries", b"".join(map(entry, all_maps()[:OUTDOORS])))
    rows = [bytes([group[-1]["id"] + 1]) + entry(group[0]) for group in groups]
    image.put(bank, address, b"".join(rows) + bytes([END]))


def put_holes(image: Image) -> None:
    landings = [hole for each in load("regions.json")["maps"].values() for hole in holes(each)]
    numbers: Counter[int] = Counter()
    targets, records = b"", b""
    for map_id, x, y in landings:
        numbers[map_id] += 1
        targets += bytes([map_id, numbers[map_id]])
        records += bytes([0, 0, y, x, y & 1, x & 1])  # no fact about the view pointer
    bank, address, _ = labels()["DungeonWarpList"]
    image.put(bank, address, targets + bytes([END]))
    image.put_table("DungeonWarpData", records)


def holes(each: Facts) -> list[tuple[int, int, int]]:
    return [(hole["to"][0], *hole["arrive"]) for hole in each.get("holes", ())]
