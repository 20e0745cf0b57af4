"""The way to the first badge: its places and events, and shortcuts to them."""

from __future__ import annotations

from tests.contract.game import Game, Start

ALDERBROOK, STONECROSS, HEATHER_WAY, SORREL_ROAD, WOOD = 1, 2, 13, 14, 51
LAB, STORE, NORTH_GATE, SOUTH_GATE, GYM = 40, 42, 47, 50, 54
GOT_CAPS, OAK_GOT_PARCEL, GOT_PARCEL = 0x024, 0x038, 0x039
GYM_TRAINERS, BEAT_LEADER = (0x072, 0x073), 0x077
FIRST_LEVER = 0x538
ROUTE_TRAINERS, WOOD_TRAINERS = (0x3E3, 0x3E4), (0x562, 0x563, 0x564)
PARCEL, CAP = 70, 4
STORE_DOOR = 1  # of the warps of Alderbrook
# Of maps whose script indices the agent does not read.
STORE_SCRIPT = 0xD60D


def through_the_door(start: Start, target: int, entrance: int = 0) -> Game:
    """Walk through the door of the store in Alderbrook, redirected to `target`."""
    game = start("alderbrook")
    game.poke("wWarpEntries", entrance, 4 * STORE_DOOR + 2)
    game.poke("wWarpEntries", target, 4 * STORE_DOOR + 3)
    x, y, _ = game.warps[STORE_DOOR]
    game.go(x, y + 1)
    return enter(game, "up", target)


def enter(game: Game, direction: str, target: int) -> Game:
    """Hold a direction until the map changes and the player is free or stopped by a script."""
    game.hold_until(direction, lambda: game.place.map == target, 200)
    game.wait(lambda: game.is_free or game.is_talking, 200)
    return game


def bag(game: Game) -> dict[int, int]:
    """Return quantities by item."""
    data = game.block("wBagItems")[: 2 * game.byte("wNumBagItems")]
    return dict(zip(data[::2], data[1::2], strict=True))


def fill_bag(game: Game) -> None:
    """Put twenty different items into the bag, none of them a parcel or a cap."""
    game.poke("wNumBagItems", 20)
    for slot in range(20):
        game.poke("wBagItems", 100 + slot, 2 * slot)
        game.poke("wBagItems", 1, 2 * slot + 1)
    game.poke("wBagItems", 0xFF, 40)


def empty_bag(game: Game, item: int | None = None) -> None:
    """Empty the bag, or leave one item in it."""
    game.poke("wNumBagItems", 0 if item is None else 1)
    game.poke("wBagItems", 0xFF if item is None else item)
    game.poke("wBagItems", 1, 1)
    if item is not None:
        game.poke("wBagItems", 0xFF, 2)
