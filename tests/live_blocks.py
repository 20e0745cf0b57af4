"""Changing ground as scripts do: which byte of RAM is the block of a square, and what is laid over it."""

from emulator import GameMap
from emulator.world.layout import BORDER, LIVE_BLOCKS


def live_block(game_map: GameMap, square: tuple[int, int]) -> int:
    """Return the address in RAM of the block that a square of the player's map is part of."""
    x, y = square
    stride = game_map.header.width + 2 * BORDER
    return LIVE_BLOCKS + (y // 2 + BORDER) * stride + x // 2 + BORDER


def laid_over(game_map: GameMap, square: tuple[int, int], like: tuple[int, int]) -> dict[int, int]:
    """Return the change of RAM that lays the block of `like` over that of `square`."""
    blocks = game_map.layout.blocks
    return {live_block(game_map, square): blocks[live_block(game_map, like) - LIVE_BLOCKS]}
