"""The maps that a run has seen, drawn from the cartridge's own tiles, with the way that was walked on them."""

from agent.report.atlas.drawing import draw_atlas
from agent.report.atlas.figures import atlas_html, style
from agent.report.atlas.sheet import Atlas, Sheet
from agent.report.atlas.svg import sheet_svg
from agent.report.atlas.trail import Mark, MarkKind, Visit

__all__ = [
    "Atlas",
    "Mark",
    "MarkKind",
    "Sheet",
    "Visit",
    "atlas_html",
    "draw_atlas",
    "sheet_svg",
    "style",
]
