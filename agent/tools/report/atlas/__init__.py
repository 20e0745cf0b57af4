"""The maps that a run visited, drawn from the cartridge's own tiles, with the path walked on them."""

from agent.tools.report.atlas.drawing import draw_atlas
from agent.tools.report.atlas.sheet import Atlas, MapMark, MapMarkKind, Sheet, TrailVisit
from agent.tools.report.atlas.svg import atlas_html, sheet_svg

__all__ = [
    "Atlas",
    "MapMark",
    "MapMarkKind",
    "Sheet",
    "TrailVisit",
    "atlas_html",
    "draw_atlas",
    "sheet_svg",
]
