"""An atlas as HTML: its key, and each sheet as SVG with path, pins and names. Styles are in `atlas.css` alone."""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from itertools import chain
from typing import Final, NamedTuple

from agent.tools.report.atlas.paths import level_of
from agent.tools.report.atlas.sheet import Atlas, MapMarkKind, MapRegion, Pin, Sheet, TrailEnd

NARROW: Final = 340  # CSS pixels that a phone has for a sheet
THINNEST: Final = 1.2  # CSS pixels of the route, which are half a square between these
THICKEST: Final = 2
MOST_LABELS: Final = 12  # in the tooltip of a pin
LETTER: Final = 6.2  # CSS pixels of a name, about
LINE: Final = 14
SPILL: Final = 1.2  # how far a name may reach out of its map
DROP: Final = "M0 0C-3-5-8-8-8-14a8 8 0 1 1 16 0c0 6-5 9-8 14z"  # its tip is on the square


class PinStyle(NamedTuple):
    """A letter in the head of a drop, which way that hangs, in degrees, and where the middle of the head then is."""

    letter: str
    turn: int
    x: int
    y: int


LOOKS: Final = {  # one of each can be on the same square
    MapMarkKind.MILESTONE: PinStyle("", 0, 0, -14),
    MapMarkKind.STUCK: PinStyle("?", 120, 12, 7),
    MapMarkKind.WHITEOUT: PinStyle("\N{MULTIPLICATION SIGN}", -120, -12, 7),
}


def sheet_svg(sheet: Sheet, *, prefix: str = "atlas") -> str:
    """Return a sheet as one `<svg>` that needs nothing else but the rules of `style`.

    Ids in it begin with `prefix`, which must differ where two atlases are on one page.
    """
    return "".join(
        [
            _head(sheet),
            *(f'<rect class="atlas-paper"{_box(region)}/>' for region in sheet.regions),
            f'<image class="atlas-map" width="{sheet.width}" height="{sheet.height}"'
            f' href="data:image/png;base64,{b64encode(sheet.png).decode()}"/>',
            *map(_veil, sheet.regions),
            *_heat(sheet),
            *_route(sheet, escape(f"{prefix}-{sheet.key}")),
            *_names(sheet),
            *map(_end, sheet.ends),
            *map(_pin, sheet.pins),
            "</svg>",
        ]
    )


def _head(sheet: Sheet) -> str:
    wide, narrow = (sheet.width / min(sheet.shown, room) for room in (sheet.shown, NARROW))
    line = min(THICKEST, max(THINNEST, sheet.step / wide / 2))
    crisp = " atlas-crisp" if sheet.shown >= sheet.width else ""
    return (
        f'<svg class="atlas-sheet{crisp}" viewBox="0 0 {sheet.width} {sheet.height}" width="{sheet.shown}"'
        f' style="--atlas-wide:{wide:.3f};--atlas-narrow:{narrow:.3f};--atlas-line:{line:.1f}px"'
        f' role="img" aria-label="{escape(sheet.title)}">'
    )


def _box(region: MapRegion) -> str:
    return f' x="{region.x}" y="{region.y}" width="{region.width}" height="{region.height}"'


def _veil(region: MapRegion) -> str:
    name = "atlas-seen" if region.visited else "atlas-unseen"
    return f'<rect class="{name}"{_box(region)}><title>{escape(region.name)}</title></rect>'


def _heat(sheet: Sheet) -> Iterator[str]:
    """Yield one path a level, of lines as thick as a square."""
    paths: defaultdict[int, list[str]] = defaultdict(list)
    for run in sheet.heat:
        middle = run.y + sheet.step // 2
        paths[level_of(run.times)].append(f"M{run.x} {middle}h{run.width}")
    for level, path in sorted(paths.items()):
        yield (
            f'<path class="atlas-heat" style="--atlas-level:{level}" stroke-width="{sheet.step}"'
            f' d="{"".join(path)}"/>'
        )


def _route(sheet: Sheet, name: str) -> Iterator[str]:
    """Yield the way twice from one set of paths: broad, to set it off from the picture, and coloured."""
    if sheet.jumps:
        path = "".join(f"M{jump.x} {jump.y}L{jump.to_x} {jump.to_y}" for jump in sheet.jumps)
        yield f'<path class="atlas-jumps" d="{path}"/>'
    if sheet.route:
        yield f'<use class="atlas-casing" href="#{name}-route"/><g id="{name}-route">'
        for stretch in sheet.route:
            yield (
                f'<path class="atlas-route" style="--atlas-time:{stretch.share}" d="{stretch.path}"/>'
            )
        yield "</g>"


def _names(sheet: Sheet) -> Iterator[str]:
    """Yield the names of maps that have room for them; a single map has its name elsewhere."""
    if sheet.is_joined:
        for region in sheet.regions:
            room = [_has_room(region, sheet, width) for width in (sheet.shown, NARROW)]
            if any(room):
                yield _name(region, wide_only=not room[1])


def _has_room(region: MapRegion, sheet: Sheet, width: int) -> bool:
    scale = min(width, sheet.shown) / sheet.width
    fits = len(region.name) * LETTER <= SPILL * region.width * scale
    return fits and region.height * scale >= LINE


def _name(region: MapRegion, *, wide_only: bool) -> str:
    classes = "atlas-name" + " atlas-unseen-name" * (not region.visited)
    classes += " atlas-wide-only" * wide_only
    text = f'<text class="{classes}" x="4" y="12">{escape(region.name)}</text>'
    return _on_square(region.x, region.y, text)


def _end(end: TrailEnd) -> str:
    says = "here it ended" if end.is_last else "here it began"
    name = "atlas-last" if end.is_last else "atlas-first"
    title = f"<title>{says}, tick {end.tick:,}</title>"
    return _on_square(end.x, end.y, f'<circle class="{name}" r="5">{title}</circle>')


def _pin(pin: Pin) -> str:
    look = LOOKS[pin.kind]
    more = "+" if len(pin.numbers) > 1 else ""
    text = f"{pin.numbers[0]}{more}" if pin.numbers else look.letter
    drop = (
        f'<g class="atlas-pin atlas-{pin.kind.value}"><title>{escape(_tooltip(pin))}</title>'
        f'<path transform="rotate({look.turn})" d="{DROP}"/>'
        f'<text x="{look.x}" y="{look.y}">{text}</text></g>'
    )
    return _on_square(pin.x, pin.y, drop)


def _tooltip(pin: Pin) -> str:
    numbers = [f"{number}. " for number in pin.numbers] or [""] * len(pin.labels)
    lines = [f"{number}{label}" for number, label in zip(numbers, pin.labels, strict=True)]
    more = [f"and {len(lines) - MOST_LABELS} more"] if len(lines) > MOST_LABELS else []
    return "\n".join([*lines[:MOST_LABELS], *more])


def _on_square(x: int, y: int, what: str) -> str:
    """Return something that is drawn in CSS pixels, whatever the size of the sheet."""
    return f'<g transform="translate({x} {y})"><g class="atlas-size">{what}</g></g>'


LARGE: Final = 260  # CSS pixels: wider sheets have a row of their own on a phone
SAYS: Final = {
    MapMarkKind.MILESTONE: "a milestone",
    MapMarkKind.STUCK: "got stuck",
    MapMarkKind.WHITEOUT: "all fainted",
}
ENDS: Final = {"atlas-first": "began", "atlas-last": "ended"}


def style() -> str:
    """Return the rules that an atlas needs, once a page; they say which variables a page may set anew."""
    return (files("agent.tools.report.atlas") / "atlas.css").read_text(encoding="utf-8")


def atlas_html(atlas: Atlas, *, prefix: str = "atlas") -> str:
    """Return an atlas for a page with the rules of `style`.

    Ids in it begin with `prefix`, which must differ where two atlases are on one page.
    """
    if not atlas.sheets:
        return '<div class="atlas"><p>There is nothing on any map to draw.</p></div>'
    return "\n".join(
        [
            '<div class="atlas">',
            _key(atlas),
            _milestones(atlas),
            *(_figure(sheet, prefix) for sheet in atlas.sheets),
            *_missing(atlas),
            "</div>",
        ]
    )


def _key(atlas: Atlas) -> str:
    kinds = {pin.kind for sheet in atlas.sheets for pin in sheet.pins}
    entries = [
        '<li>early<span class="atlas-ramp"></span>late</li>',
        '<li><span class="atlas-often"></span>walked again and again</li>',
        *(_entry(f'<circle class="{name}" r="5"/>', says) for name, says in ENDS.items()),
        *(_entry(_drop(kind), SAYS[kind]) for kind in MapMarkKind if kind in kinds),
    ]
    return f'<ul class="atlas-key">{"".join(entries)}</ul>'


def _drop(kind: MapMarkKind) -> str:
    letter = LOOKS[kind].letter
    head = f'<path transform="translate(0 14)" d="{DROP}"/><text>{letter}</text>'
    return f'<g class="atlas-pin atlas-{kind.value}">{head}</g>'


def _entry(sign: str, says: str) -> str:
    return f'<li><svg class="atlas-sign" viewBox="-9 -9 18 18" aria-hidden="true">{sign}</svg>{says}</li>'


def _milestones(atlas: Atlas) -> str:
    """Return what the numbers of milestones stand for: tooltips are not for fingers."""
    pins = chain.from_iterable(sheet.pins for sheet in atlas.sheets)
    numbered = [(pin.numbers, pin.labels) for pin in pins if pin.kind is MapMarkKind.MILESTONE]
    found = sorted(chain.from_iterable(zip(*each, strict=True) for each in numbered))
    items = "".join(f"<li><b>{number}</b> {escape(label)}</li>" for number, label in found)
    return f'<ul class="atlas-key">{items}</ul>' if items else ""


def _figure(sheet: Sheet, prefix: str) -> str:
    names = ["atlas-joined"] * sheet.is_joined + ["atlas-large"] * (sheet.shown >= LARGE)
    caption = f"<figcaption>{escape(sheet.title)}</figcaption>"
    return f'<figure class="{" ".join(names)}">{sheet_svg(sheet, prefix=prefix)}{caption}</figure>'


def _missing(atlas: Atlas) -> Iterator[str]:
    if atlas.dropped:
        yield (
            f'<p class="atlas-note">{atlas.dropped:,} of {atlas.visits:,} moments are not drawn:'
            " they were between two maps, or on no square of any.</p>"
        )
    if atlas.unplaced:
        yield f'<p class="atlas-note">{atlas.unplaced:,} marks are on no map that was visited.</p>'
