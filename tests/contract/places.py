"""Places of the demo, events that happen there, and shortcuts to them."""

from __future__ import annotations

from tests.contract.game import Game, Start

ALDERBROOK, STONECROSS, HEATHER_WAY, SORREL_ROAD, WOOD = 1, 2, 13, 14, 51
LAB, STORE, NORTH_GATE, SOUTH_GATE, GYM = 40, 42, 47, 50, 54
ROUTE_TRAINERS, WOOD_TRAINERS = (0x3E3, 0x3E4), (0x562, 0x563, 0x564)
STORE_DOOR = 1  # of the warps of Alderbrook


def through_the_door(start: Start, target: int, entrance: int = 0) -> Game:
    """Walk through the door of the store in Alderbrook, redirected to `target`."""
    game = redirected(start("alderbrook"), STORE_DOOR, target, entrance)
    x, y, _ = game.warps[STORE_DOOR]
    return enter(game.go(x, y + 1), "up", target)


def led_to(start: Start, target: int, entrance: int = 0) -> Game:
    """Go through the stairs of the bedroom, redirected to `target`, where no wild Pokemon appear."""
    game = redirected(start("bedroom"), 0, target, entrance)
    return game.go(*game.warps[0][:2]).until_free(target).poke("wGrassRate", 0)


def redirected(game: Game, warp: int, target: int, entrance: int) -> Game:
    """Let one of the warps of this map lead elsewhere."""
    return game.poke("wWarpEntries", bytes([entrance, target]), 4 * warp + 2)


def enter(game: Game, direction: str, target: int) -> Game:
    """Hold a direction until the map changes and the player is free or stopped by a script."""
    game.hold_until(direction, lambda: game.place.map == target, 200)
    return game.wait(lambda: game.is_free or game.is_talking, 200)


def leave(game: Game, direction: str, target: int) -> Game:
    """Hold a direction until another map has begun, which must be the one named."""
    here = game.place.map
    game.hold_until(direction, lambda: game.place.map != here, 400).until_free()
    assert game.place.map == target
    return game
