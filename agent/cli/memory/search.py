"""`memory search`: what has any of some words, the best first."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.cli.memory.source import AsJson, looking
from agent.cli.memory.tables import listing
from agent.cli.output import Output
from agent.errors import UsageError
from agent.report.words import says
from memory import Match, Weights, weights_of

HEAD: Final = ("score", "id", "kind", "what it says")
PARTS: Final = ("words", "recency", "importance", "utility", "match")

In = Annotated[
    Path | None,
    typer.Option(
        "--in",
        metavar="PATH",
        help="A file of memory, a run's folder, or its run.sqlite. Default: memory.sqlite.",
        show_default=False,
    ),
]


def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help="What to look for.")],
    path: In = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many to list.")] = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the parts that each score is made of.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Search everything in a file for any of some words; word stems count, the best comes first."""
    out, text = Output(), " ".join(words)
    if not any(each.isalnum() for each in text):
        message = f"{text!r} has no letter and no figure; give words to look for"
        raise UsageError(message)
    with looking(path) as look:
        found = look.search(text, limit)
        weights = weights_of(look)
    if as_json:
        out.say(json.dumps([_as_json(each) for each in found]))
        return
    if not found:
        out.say(f"Nothing has any of the words {text!r}.")
        return
    rows = ((f"{m.score.total:.2f}", m.item.short, m.item.kind, says(m.item)) for m in found)
    out.print(listing(f"{len(found)} found for {text!r}, the best first", HEAD, rows, wide=3))
    if explain:
        out.say("A score adds up its parts, each from 0 to 1, by what the part counts:")
        parts = ([m.item.short, *(f"{_part(m, name):.2f}" for name in PARTS)] for m in found)
        head = ["id", *(f"{name} x{getattr(weights, name):.2f}" for name in PARTS)]
        out.print(listing("score by parts", head, parts))
        out.say(_meaning(weights))


def _meaning(weights: Weights) -> str:
    half = weights.half_s
    after = f"{half / 86_400:,.0f} days" if half > 86_400 else f"{half / 60:,.0f} game minutes"
    return (
        "words: how well the text fits, 1 for the best; recency: 1 for now, half after "
        f"{after}; importance: of 10; utility: how useful it proved when it was recalled; "
        "match: whether it is about a place or subject that was asked for, which words alone do not."
    )


def _part(match: Match, name: str) -> float:
    return float(getattr(match.score, name))


def _as_json(match: Match) -> dict[str, object]:
    parts = {name: _part(match, name) for name in PARTS}
    return {"score": match.score.total, "parts": parts, **match.item.as_json()}
