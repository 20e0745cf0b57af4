"""`memory explain`: why something is believed, how far, and for how long."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from agent.app import HOME
from agent.cli.memory.evidence import Witness
from agent.cli.memory.reasons import end, reasons
from agent.cli.memory.search import In
from agent.cli.memory.source import AsJson, looking, named
from agent.cli.memory.tables import facts
from agent.cli.output import Output
from agent.report.words import STATUS, ago, date, says
from memory import Item, Look


def explain(
    name: Annotated[
        str, typer.Argument(metavar="ID", help="What to explain, by its id or short name.")
    ],
    path: In = None,
    runs: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where the folders of runs lie that evidence leads to. Default: runs/.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain why one thing is believed: its evidence, its figures, and when it will be forgotten."""
    out = Output()
    with looking(path) as look:
        items = look.items()
        item = named(items, name)
        own = look.path.parent if look.is_run else None
        witness = Witness(items, runs or HOME / "runs", own)
        told = {
            "believed": list(_beliefs(item, look)),
            "evidence": list(_evidence(item, witness)),
            "figures": list(reasons(item, look.now)),
            "forgotten": [("", end(item, look.now))],
        }
    if as_json:
        plain = {
            part: [dict(zip(("what", "why"), each, strict=True)) for each in rows]
            for part, rows in told.items()
        }
        out.say(json.dumps({"id": item.id, "kind": item.kind, "says": says(item), **plain}))
        return
    out.say(f"{item.kind} {item.short}: {says(item)}")
    out.print(facts("why it is believed", told["believed"]))
    out.print(facts("what it rests on, step by step", told["evidence"]))
    out.print(facts("how its figures came to be", told["figures"]))
    out.print(facts("when it will be forgotten", told["forgotten"]))


def _beliefs(item: Item, look: Look) -> Iterator[tuple[str, str]]:
    yield "trusted", STATUS.get(item.status, item.status)
    yield "still holds", f"no: {item.closed}" if item.closed else "yes"
    if item.last:
        yield "last borne out", f"{date(item.last)}, {ago(item.last, look.now)}"


def _evidence(item: Item, witness: Witness) -> Iterator[tuple[str, str]]:
    number = 0
    for number, source in enumerate(item.evidence, 1):
        yield f"{number}", witness.says(source, item.run_id)
    if not number:
        yield "", "nobody noted any"
    if item.run_id:
        lesson = f"lesson {item.sequence:,}, " if item.sequence else ""
        yield "taught last by", f"{lesson}tick {item.tick:,}, {witness.where(item.run_id)}"
