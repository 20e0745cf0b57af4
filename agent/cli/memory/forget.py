"""`memory forget`: some things are let go of; a copy of the file is kept, and the archive keeps each of them."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.cli.memory.search import In
from agent.cli.memory.show import Kind
from agent.cli.memory.source import AsJson, looking, named
from agent.cli.memory.tables import listing
from agent.cli.output import Output
from agent.errors import UsageError
from agent.report.words import DAY_S, ago, says
from memory import Item, let_go_of, name_of

HEAD: Final = ("id", "kind", "what it says", "borne out")


def forget(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...", help="What to let go of, by ids or short names.", show_default=False
        ),
    ] = None,
    path: In = None,
    kind: Kind = None,
    older_than: Annotated[
        float | None,
        typer.Option(
            metavar="DAYS",
            min=0,
            help="Only what nothing has borne out for so many days.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let go of some things that outlive runs. They go to the file's archive, and a copy of the file is kept."""
    out, err = Output(), Output(stderr=True)
    if not names and kind is None and older_than is None:
        message = "that would be everything; name ids, or --kind and --older-than"
        raise UsageError(message)
    with looking(path) as look:
        if look.is_run:
            message = f"{look.path} is the record of a run, which stays whole; name a file of memory with --in"
            raise UsageError(message)
        items = look.items()
        chosen = [named(items, each) for each in names] if names else items
        chosen = [each for each in chosen if _is_meant(each, kind, older_than, look.now)]
        file, now = look.path, look.now
    if not chosen:
        out.say(json.dumps({"forgotten": [], "copy": None}) if as_json else "Nothing is like that.")
        return
    rows = ((each.short, each.kind, says(each), ago(each.last, now)) for each in chosen)
    listed = listing(f"to let go of: {len(chosen):,}", HEAD, rows, wide=2)
    (err if as_json else out).print(listed)
    if not yes and not _agreed(len(chosen), file):
        out.say("Nothing was changed.")
        raise typer.Exit(1)
    copy = let_go_of(file, {name_of(each) for each in chosen}, now=now)
    if as_json:
        gone = [{"id": each.id, "kind": each.kind, "table": each.table} for each in chosen]
        out.say(json.dumps({"forgotten": gone, "copy": str(copy)}))
        return
    out.say(f"{_counted(chosen)} went to the archive of {file}; the file as it was is {copy}.")


def _is_meant(item: Item, kind: str | None, older_than: float | None, now: float) -> bool:
    if kind is not None and item.kind != kind:
        return False
    return older_than is None or 0 < item.last < now - older_than * DAY_S


def _agreed(count: int, file: Path) -> bool:
    """Ask on a terminal; elsewhere nobody could answer."""
    if not sys.stdin.isatty():
        message = f"{count:,} would go from {file}, and nobody is there to ask; add --yes"
        raise UsageError(message)
    return typer.confirm(f"Let go of {'it' if count == 1 else f'these {count:,}'}?", err=True)


def _counted(chosen: Sequence[Item]) -> str:
    return f"1 {chosen[0].kind}" if len(chosen) == 1 else f"{len(chosen):,} things"
