"""Ground changes as by scripts: the RAM byte of a square's block, and the block that replaces it."""

from emulator import GameMap
from emulator.world.layout import BORDER, LIVE_BLOCKS


def live_block(game_map: GameMap, square: tuple[int, int]) -> int:
    """Return the RAM address of the block that contains a square of the player's map."""
    x, y = square
    stride = game_map.header.width + 2 * BORDER
    return LIVE_BLOCKS + (y // 2 + BORDER) * stride + x // 2 + BORDER


def laid_over(game_map: GameMap, square: tuple[int, int], like: tuple[int, int]) -> dict[int, int]:
    """Return the RAM change that replaces the block of `square` by the block of `like`."""
    blocks = game_map.layout.blocks
    return {live_block(game_map, square): blocks[live_block(game_map, like) - LIVE_BLOCKS]}
