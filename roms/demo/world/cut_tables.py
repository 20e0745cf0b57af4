"""The contract's table of CUT: blocks with CUT trees or tall grass, and the blocks that replace them."""

from collections.abc import Iterator, Mapping

from world.banks import Place, Placement, Room
from world.errors import WorldError
from world.tilesets import Blockset, Step, Tileset

SWAPS = Place(3, 0x7100)
SWAPS_END = 0x7B8B
LIST_END = 0xFF
CORNERS = (0, 2, 8, 10)  # of a block: where its four steps begin


def placements(
    tilesets: Mapping[str, Tileset], blocksets: Mapping[str, Blockset]
) -> Iterator[Placement]:
    """Yield the table; blocks that only appear after a cut are added to their sets."""
    swaps: dict[int, int] = {}
    for name, tileset in tilesets.items():
        for block, left in _swaps(tileset, blocksets[name]):
            if swaps.setdefault(block, left) != left:
                message = f"{name}: block {block} is cut differently in another tileset"
                raise WorldError(message)
    data = bytes(number for swap in swaps.items() for number in swap) + bytes([LIST_END])
    Room(SWAPS.bank, SWAPS.address, SWAPS_END).take(len(data), "what is cut down")
    yield Placement(SWAPS.offset, data, "CutTreeBlockSwaps")


def _swaps(tileset: Tileset, blockset: Blockset) -> Iterator[tuple[int, int]]:
    words = tileset.lists.get("cut", ())
    steps = [tileset.step(word, "cut") for word in words]
    left_of = dict(zip(steps[::2], steps[1::2], strict=True))
    for number, block in enumerate(blockset.blocks()):
        left = tuple(left_of.get(step, step) for step in _steps(block))
        if left != _steps(block):
            yield number, blockset.block(*left)


def _steps(block: bytes) -> tuple[Step, Step, Step, Step]:
    north_west, north_east, south_west, south_east = (
        tuple(block[at + row + column] for row in (0, 4) for column in (0, 1)) for at in CORNERS
    )
    return north_west, north_east, south_west, south_east
