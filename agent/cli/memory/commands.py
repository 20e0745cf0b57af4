"""The commands of `memory`, by their flags. What they do is imported when one is used."""

from pathlib import Path
from typing import Final

import typer

from agent.cli import flags
from agent.cli.flags import argument, option, switch

FILE: Final = (
    "A memory file, the folder of a run, or its run.sqlite; `last` is the run played last."
    " Default: memory.sqlite."
)
SOURCE: Final = argument(FILE, "[PATH]", default=None, callback=flags.run_named)
IN: Final = option(FILE, "PATH", "--in", callback=flags.run_named)
KIND: Final = option(
    "Only this kind, such as pattern, strategy, mistake, preference, battle or milestone_time.", "K"
)

memory = typer.Typer(help="Show, search and maintain the memory of runs.", no_args_is_help=True)


@memory.command()
def show(
    path: Path | None = SOURCE,
    name: str | None = argument(
        "The id or short name of one item to show in full.", "[ID]", default=None
    ),
    kind: str | None = KIND,
    limit: int = option("Items of each kind to list.", default=10, min=1),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Show the totals of a memory file and its items, or one item."""
    from agent.cli.memory.show import show

    show(path, name, kind, limit, as_json=as_json)


@memory.command("map")
def map_memory(path: Path | None = SOURCE, as_json: bool = flags.AS_JSON) -> None:
    """Show the scopes of memory, the edges between them, and gaps."""
    from agent.cli.memory.map import map_memory

    map_memory(path, as_json=as_json)


@memory.command()
def search(
    words: list[str] = argument("Words to search for.", "WORDS..."),
    path: Path | None = IN,
    limit: int = option("Items to list.", default=10, min=1, max=100),
    explain: bool = switch("--explain", "Show the parts of each score."),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Search all items of a file for any of some words, best first. Word stems count."""
    from agent.cli.memory.show import search

    search(words, path, limit, explain=explain, as_json=as_json)


@memory.command()
def progress(path: Path | None = SOURCE, as_json: bool = flags.AS_JSON) -> None:
    """Show milestones, choices and trainers over all games.

    Choices are compared as in play, by their weighed ticks: later ones count less, and what other choices explain
    does not count.
    """
    from agent.cli.memory.progress import progress

    progress(path, as_json=as_json)


@memory.command()
def explain(
    name: str = argument("The id or short name of an item.", "ID"),
    path: Path | None = IN,
    runs: Path | None = option(
        "The folder of the runs that evidence refers to. Default: runs/.", "DIR"
    ),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Explain an item: its evidence and expiry."""
    from agent.cli.memory.explain import explain

    explain(name, path, runs, as_json=as_json)


@memory.command()
def forget(
    names: list[str] | None = argument(
        "Ids or short names of the items to forget.", "[ID]...", default=None
    ),
    path: Path | None = IN,
    kind: str | None = KIND,
    older_than: float | None = option(
        "Only items not confirmed for this many days.", "DAYS", min=0
    ),
    yes: bool = switch("--yes", "Do not ask for confirmation."),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Forget items of a memory file. They go to its archive, and a copy of the file is made."""
    from agent.cli.memory.maintenance import forget

    forget(names, path, kind, older_than, yes=yes, as_json=as_json)


@memory.command()
def restore(
    names: list[str] | None = argument(
        "Ids or short names of the items to restore. Without any, the archive is listed.",
        "[ID]...",
        default=None,
    ),
    path: Path | None = IN,
    kind: str | None = KIND,
    everything: bool = switch("--all", "Restore all that the archive holds."),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Show the archive of a memory, or bring its items back.

    The file is copied first.
    """
    from agent.cli.memory.maintenance import restore

    restore(names, path, kind, everything=everything, as_json=as_json)


@memory.command()
def export(
    to: Path = option("The new file to write, with the ending .json or .csv.", "FILE", default=...),
    path: Path | None = SOURCE,
) -> None:
    """Write all items of a memory file to a new file."""
    from agent.cli.memory.export import export

    export(to, path)


@memory.command()
def check(
    path: Path | None = SOURCE,
    repair: bool = switch(
        "--repair", "Repair what has an obvious repair, after making a copy of the file."
    ),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Check a memory file for errors, orphans and stale items. Exits 0 when it is sound, else 1."""
    from agent.cli.memory.maintenance import check

    check(path, repair=repair, as_json=as_json)


@memory.command()
def merge(
    sources: list[Path] = argument("Memory files, which are only read.", "A B [MORE...]"),
    into: Path = option(
        "The merged file. An existing one is merged as well, after a copy of it is made.",
        "C",
        default=...,
    ),
    as_json: bool = switch("--json", "Print the result as one JSON object."),
) -> None:
    """Merge memory files; the lessons of each run count once."""
    from agent.cli.memory.maintenance import merge

    merge(sources, into, as_json=as_json)
