"""Output to a terminal, a file or a pipe that may close at any moment: lines, tables, and the one line of an error."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from agent.tools.report.words import visible


class Output(Console):
    """A console that goes quiet when nobody reads it any more, so that play can go on.

    What it prints of names and texts moves no cursor, clears no screen and hides nothing: only its own styles do.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the pieces of a renderable, with signs in the place of what a terminal would obey."""
        for each in super().render(renderable, options):
            yield each if each.control else each._replace(text=visible(each.text))

    def on_broken_pipe(self) -> None:
        """Write no more; `| head` has seen enough."""
        self.quiet = True
        discard(self.file)

    def say(self, words: str) -> None:
        """Print one line just as it is."""
        self.print(Text(words), soft_wrap=True, highlight=False)


def fail(error: object, code: int) -> None:
    """End the process with one line on stderr; what could not be written to stdout is dropped."""
    discard(sys.stdout)
    Output(stderr=True).say(f"error: {error}")
    sys.exit(code)


def discard(stream: IO[str]) -> None:
    """Let whatever else goes to `stream` vanish, what waits in its buffer included."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


TIGHT: Final = frozenset(
    {"id", "score", "edge", "from", "to", "done", "waiting", "closed", "lessons", "still here"}
)


def facts(title: str, rows: Iterable[tuple[str, str]]) -> Table:
    """Return names and what there is to say of each."""
    table = Table(title=Text(title), title_justify="left", show_header=False)
    table.add_column(style="dim", overflow="fold", max_width=26)
    table.add_column(overflow="fold", min_width=min(len(title), 50))  # or a title would be folded
    for name, words in rows:
        table.add_row(Text(name), Text(words))
    return table


def grid(rows: Mapping[str, str]) -> Table:
    """Return names and words side by side, without a frame."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, words in rows.items():
        table.add_row(name, Text(words))  # as Text, so that no word is taken for markup
    return table


def rows_of(
    head: Sequence[str | Column], rows: Iterable[Sequence[str | Text]], title: str
) -> Table:
    """Return a row each, as wide as what is in it; a cell that comes as Text keeps its style."""
    table = Table(*head, title=title or None, title_justify="left")
    for row in rows:
        table.add_row(*(Text(each) if isinstance(each, str) else each for each in row))
    return table


def listing(
    title: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, wide: int = 0
) -> Table:
    """Return a row each; the column number `wide` takes the room that the others leave."""
    table = Table(title=Text(title), title_justify="left")
    for at, name in enumerate(head):
        if at == wide:
            table.add_column(name, overflow="fold", ratio=1)
        else:
            table.add_column(name, overflow="fold", no_wrap=name in TIGHT)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
