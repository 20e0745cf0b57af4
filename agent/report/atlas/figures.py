"""All of an atlas as a piece of a page: the key, the sheets side by side, and what could not be drawn."""

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from itertools import chain
from typing import Final

from agent.report.atlas.sheet import Atlas, Sheet
from agent.report.atlas.svg import DROP, LOOKS, sheet_svg
from agent.report.atlas.trail import MarkKind

LARGE: Final = 260  # CSS pixels: wider sheets have a row of their own on a phone
SAYS: Final = {
    MarkKind.MILESTONE: "a milestone",
    MarkKind.STUCK: "got stuck",
    MarkKind.WHITEOUT: "all fainted",
}
ENDS: Final = {"atlas-first": "began", "atlas-last": "ended"}


def style() -> str:
    """Return the rules that an atlas needs, once a page; they say which variables a page may set anew."""
    return (files("agent.report.atlas") / "atlas.css").read_text(encoding="utf-8")


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
        *(_entry(_drop(kind), SAYS[kind]) for kind in MarkKind if kind in kinds),
    ]
    return f'<ul class="atlas-key">{"".join(entries)}</ul>'


def _drop(kind: MarkKind) -> str:
    letter = LOOKS[kind].letter
    head = f'<path transform="translate(0 14)" d="{DROP}"/><text>{letter}</text>'
    return f'<g class="atlas-pin atlas-{kind.value}">{head}</g>'


def _entry(sign: str, says: str) -> str:
    return f'<li><svg class="atlas-sign" viewBox="-9 -9 18 18" aria-hidden="true">{sign}</svg>{says}</li>'


def _milestones(atlas: Atlas) -> str:
    """Return what the numbers of milestones stand for: tooltips are not for fingers."""
    pins = chain.from_iterable(sheet.pins for sheet in atlas.sheets)
    numbered = [(pin.numbers, pin.labels) for pin in pins if pin.kind is MarkKind.MILESTONE]
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
