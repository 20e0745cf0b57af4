"""An atlas as HTML: each sheet as SVG with path, pins and names, and the key. Its templates stand with those of pages.

How it looks is in `atlas.css` alone.
"""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from agent.tools.report.atlas.paths import level_of
from agent.tools.report.atlas.sheet import Atlas, MapMarkKind, MapRegion, Pin, Sheet
from agent.tools.report.html import render

NARROW: Final = 340  # CSS pixels that a phone has for a sheet
THINNEST: Final = 1.2  # CSS pixels of the route, which are half a square between these
THICKEST: Final = 2
LARGE: Final = 260  # CSS pixels: wider sheets have a row of their own on a phone
MOST_LABELS: Final = 12  # in the tooltip of a pin
LETTER: Final = 6.2  # CSS pixels of a name, about
LINE: Final = 14
SPILL: Final = 1.2  # how far a name may reach out of its map
DROP: Final = "M0 0C-3-5-8-8-8-14a8 8 0 1 1 16 0c0 6-5 9-8 14z"  # its tip is on the square


class PinStyle(NamedTuple):
    """What the key says of a kind of pin, the letter in its head, its rotation, and where the head then is."""

    says: str
    letter: str
    turn: int
    x: int
    y: int


STYLES: Final = {  # one of each can be on the same square
    MapMarkKind.MILESTONE: PinStyle("a milestone", "", 0, 0, -14),
    MapMarkKind.STUCK: PinStyle("got stuck", "?", 120, 12, 7),
    MapMarkKind.WHITEOUT: PinStyle("all fainted", "\N{MULTIPLICATION SIGN}", -120, -12, 7),
}


class SheetView(NamedTuple):
    """What the template of a sheet needs beside the sheet.

    `wide` and `narrow` are pixels of the picture in one CSS pixel, on a wide page and on a phone.
    """

    wide: float
    narrow: float
    line: float
    png: str
    heat: Sequence[tuple[int, str]]
    names: Sequence[tuple[MapRegion, bool]]
    pins: Sequence[tuple[Pin, PinStyle, list[str]]]


def sheet_svg(sheet: Sheet) -> str:
    """Return a sheet as one `<svg>` that needs nothing else but the rules of `atlas.css`."""
    wide, narrow = (sheet.picture.width / min(sheet.shown, room) for room in (sheet.shown, NARROW))
    view = SheetView(
        wide=wide,
        narrow=narrow,
        line=min(THICKEST, max(THINNEST, sheet.step / wide / 2)),
        png=b64encode(sheet.picture.png).decode(),
        heat=_heat(sheet),
        names=list(_names(sheet)),
        pins=[(pin, STYLES[pin.kind], _tooltip(pin)) for pin in sheet.pins],
    )
    return render("sheet.html", sheet=sheet, view=view, drop=DROP)


def atlas_html(atlas: Atlas) -> str:
    """Return an atlas for a page with the rules of `atlas.css`; a page has one at most."""
    if not atlas.sheets:
        return '<div class="atlas"><p>There is nothing on any map to draw.</p></div>'
    pins = list(chain.from_iterable(sheet.pins for sheet in atlas.sheets))
    numbered = [(pin.numbers, pin.labels) for pin in pins if pin.kind is MapMarkKind.MILESTONE]
    kinds = {pin.kind for pin in pins}
    return render(
        "atlas.html",
        atlas=atlas,
        sheets=[(sheet, sheet_svg(sheet)) for sheet in atlas.sheets],
        kinds=[(kind, style) for kind, style in STYLES.items() if kind in kinds],
        milestones=sorted(chain.from_iterable(zip(*each, strict=True) for each in numbered)),
        drop=DROP,
        large=LARGE,
    )


def _heat(sheet: Sheet) -> list[tuple[int, str]]:
    """Return one path a level, of lines as thick as a square."""
    paths: defaultdict[int, list[str]] = defaultdict(list)
    for run in sheet.heat:
        middle = run.y + sheet.step // 2
        paths[level_of(run.times)].append(f"M{run.x} {middle}h{run.width}")
    return [(level, "".join(path)) for level, path in sorted(paths.items())]


def _names(sheet: Sheet) -> Iterator[tuple[MapRegion, bool]]:
    """Yield the maps that have room for their names, and whether only on a wide page; a single map has it elsewhere."""
    for region in sheet.regions if sheet.is_joined else ():
        on_wide, on_narrow = (_has_room(region, sheet, width) for width in (sheet.shown, NARROW))
        if on_wide or on_narrow:
            yield region, not on_narrow


def _has_room(region: MapRegion, sheet: Sheet, width: int) -> bool:
    scale = min(width, sheet.shown) / sheet.picture.width
    fits = len(region.name) * LETTER <= SPILL * region.width * scale
    return fits and region.height * scale >= LINE


def _tooltip(pin: Pin) -> list[str]:
    numbers = [f"{number}. " for number in pin.numbers] or [""] * len(pin.labels)
    lines = [f"{number}{label}" for number, label in zip(numbers, pin.labels, strict=True)]
    more = [f"and {len(lines) - MOST_LABELS} more"] if len(lines) > MOST_LABELS else []
    return [*lines[:MOST_LABELS], *more]
