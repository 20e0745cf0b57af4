"""Connections: which blocks of a map show beside another map, and where (formats.md 3.2)."""

from collections.abc import Mapping
from typing import Final

from tests.emulator.synthetic.facts import Facts, all_maps
from tests.emulator.synthetic.image import word

LIVE_BLOCKS: Final = 0xC6E8
BORDER: Final = 3  # blocks of a neighbour that show
NO_FACT: Final = bytes(2)  # the view pointer after crossing


def connection(each: Facts, row: Facts, layouts: Mapping[int, int]) -> bytes:
    """Return a connection's record; `layouts` are the addresses of all maps' blocks."""
    there = all_maps()[row["map"]]
    lying = row["dir"] in ("north", "south")
    here_length, there_length = (each["w"], there["w"]) if lying else (each["h"], there["h"])
    shift = row["offset_blocks"]  # where the neighbour begins along the common side
    start = max(shift, -BORDER)
    length = min(shift + there_length, here_length + BORDER) - start
    along = start - shift
    across = {"north": there["h"] - BORDER, "west": there["w"] - BORDER}.get(row["dir"], 0)
    strip_row, strip_column = (across, along) if lying else (along, across)
    edge = {"south": each["h"] + BORDER, "east": each["w"] + BORDER}.get(row["dir"], 0)
    live_row, live_column = (edge, start + BORDER) if lying else (start + BORDER, edge)
    return (
        bytes([row["map"]])
        + word(layouts[row["map"]] + strip_row * there["w"] + strip_column)
        + word(LIVE_BLOCKS + live_row * (each["w"] + 2 * BORDER) + live_column)
        + bytes([length, there["w"], row["y_align"] & 0xFF, row["x_align"] & 0xFF])
        + NO_FACT
    )
