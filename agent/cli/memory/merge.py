"""`memory merge`: several memories made one."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from agent.cli.output import Output
from agent.errors import UsageError
from memory import MemoryManagementAgent, Merged

NAMES = {
    "tactician_patterns": "patterns",
    "successful_strategies": "strategies",
    "mistake_records": "mistakes",
    "player_preferences": "preferences",
    "ltm_entries": "long-term entries",
}


def merge(
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="A B [MORE...]", help="Memory files; they are only read."),
    ],
    into: Annotated[
        Path,
        typer.Option(
            metavar="C",
            help="Where the one memory goes. One that is there is taken in, and a copy of it kept.",
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what came of it as one JSON object.")
    ] = False,
) -> None:
    """Make several memories one: what each run taught counts once, whatever copies it is in."""
    if into.is_dir() or not into.resolve().parent.is_dir():
        message = f"--into {into} names no file in a folder that exists; name one"
        raise UsageError(message)
    merged = MemoryManagementAgent.merge(sources, into)
    out = Output()
    if as_json:
        out.say(json.dumps(_as_json(merged)))
        return
    if not merged.changed:
        out.say(f"{into} holds all of it already; nothing was changed.")
    elif merged.copy is not None:
        out.say(f"What {into} was before is kept as {merged.copy}.")
    out.print(_table(merged, into))


def _table(merged: Merged, into: Path) -> Table:
    runs = "1 run" if len(merged.runs) == 1 else f"{len(merged.runs):,} runs"
    table = Table(title=f"{into.name}: what {runs} taught", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, count in merged.rows.items():
        table.add_row(NAMES[name], f"{count:,}")
    table.add_section()
    table.add_row("of these entries, agreed on by several runs", f"{merged.agreed:,}")
    table.add_row("known not to hold any more", f"{merged.closed:,}")
    table.add_row("words that another run's outweigh", f"{merged.contradicted:,}")
    table.add_row("let go of, kept in the archive", f"{merged.archived:,}")
    return table


def _as_json(merged: Merged) -> dict[str, object]:
    return {
        "changed": merged.changed,
        "copy": None if merged.copy is None else str(merged.copy),
        "runs": list(merged.runs),
        "rows": {NAMES[name]: count for name, count in merged.rows.items()},
        "agreed": merged.agreed,
        "closed": merged.closed,
        "contradicted": merged.contradicted,
        "archived": merged.archived,
    }
