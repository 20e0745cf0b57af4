"""The way of a run on maps of its world, with what happened where."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agent.capabilities import Story
from agent.report.atlas import Mark, MarkKind, Visit, atlas_html, draw_atlas
from agent.report.gather import Gathered
from agent.report.words import plain
from emulator import Cartridge, World

NO_IMAGE = (
    "No map is drawn: the cartridge that this run was played on is not at hand. Name it with --rom."
)
NO_TRAIL = "No map is drawn: nothing is on record of where the player stood."
ABOUT = "From where it began to where it is, over every map that was entered; the picture is the cartridge's own."


class Route(NamedTuple):
    """The maps as a piece of a page, or nothing, and what to say of them."""

    html: str
    note: str


def route(told: Gathered, cartridge: Cartridge | None) -> Route:
    """Return the way of a run; without its cartridge image there is nothing to draw it on."""
    if not told.trail:
        return Route("", NO_TRAIL)
    if cartridge is None:
        return Route("", NO_IMAGE)
    atlas = draw_atlas(
        World.of(cartridge),
        [Visit(row.tick, row.map_id, row.x, row.y) for row in told.trail],
        name_of=Story.of(cartridge.kind).called,
        marks=list(_marks(told)),
    )
    return Route(atlas_html(atlas), ABOUT)


def _marks(told: Gathered) -> Iterator[Mark]:
    reached = [(each.when.tick, each.says) for each in told.milestones]
    stuck = [(each.lasted, f"stuck: {plain(each.reason)}") for each in told.stuck]
    fainted = [(tick, "all fainted") for tick in told.battles.defeats]
    yield from _placed(told, reached, MarkKind.MILESTONE)
    yield from _placed(told, stuck, MarkKind.STUCK)
    yield from _placed(told, fainted, MarkKind.WHITEOUT)


def _placed(told: Gathered, happened: Iterable[tuple[int, str]], kind: MarkKind) -> Iterator[Mark]:
    """Yield what happened with where the player stood at its tick, or first stood after it."""
    for tick, says in happened:
        number = max(bisect_right(told.trail, tick, key=lambda row: row.tick) - 1, 0)
        row = told.trail[number]
        yield Mark(tick, row.map_id, row.x, row.y, says, kind)
