"""Which file a command looks into, and what in it a name means."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.app import HOME
from agent.errors import UsageError
from memory import CorruptStore, Item, Look, looking_at

COMMAND: Final = "python -m agent memory"
SHOWN: Final = 5  # of those that one name may mean

Source = Annotated[
    Path | None,
    typer.Argument(
        metavar="[PATH]",
        help="A file of memory, a run's folder, or its run.sqlite. Default: memory.sqlite.",
        show_default=False,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print it as one JSON object on the last line.")
]


def file_of(path: Path | None) -> Path:
    """Return the file that a command is about: what was named, or what play keeps by default."""
    return HOME / "memory.sqlite" if path is None else path


def today() -> float:
    """Return the date by which knowledge has faded, in epoch seconds."""
    return datetime.now(UTC).timestamp()


@contextmanager
def looking(path: Path | None) -> Iterator[Look]:
    """Lend a look at what was named; a damaged file comes with what can be done about it."""
    file = file_of(path)
    try:
        with looking_at(file, now=today()) as look:
            yield look
    except CorruptStore as error:
        message = f"{str(error).rstrip('.')}; `{COMMAND} check {file} --repair` saves what can still be read"
        raise CorruptStore(message) from error


def named(items: Sequence[Item], name: str) -> Item:
    """Return the one item that `name` means; raise UsageError where it means none or several."""
    found = [each for each in items if each.id == name] or [
        each for each in items if each.is_called(name)
    ]
    if not found:
        message = f"nothing is called {name!r}; `{COMMAND} show` and `search` list what there is"
        raise UsageError(message)
    if len(found) > 1:
        each = ", ".join(f"{item.short} ({item.kind})" for item in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        message = f"{name!r} may mean {each}{more}; give more of it"
        raise UsageError(message)
    return found[0]
