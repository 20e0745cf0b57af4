"""Output to a terminal, file or pipe that may close at any time: lines, tables and error lines."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Final, NoReturn

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from agent.tools.report.words import sanitized


class Output(Console):
    """A console that goes quiet when its pipe is closed, so that play continues.

    Control characters in names and texts are made visible; only its own styles control the terminal.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable, with control characters made visible."""
        for each in super().render(renderable, options):
            yield each if each.control else each._replace(text=sanitized(each.text))

    def on_broken_pipe(self) -> None:
        """Stop writing: the reader of the pipe, such as `| head`, has closed it."""
        self.quiet = True
        discard(self.file)

    def say(self, words: str) -> None:
        """Print one line literally."""
        self.print(Text(words), soft_wrap=True, highlight=False)


def fail(error: object, code: int) -> NoReturn:
    """End the process with one line on stderr; unwritten stdout is dropped."""
    discard(sys.stdout)
    Output(stderr=True).say(f"error: {error}")
    sys.exit(code)


def discard(stream: IO[str]) -> None:
    """Drop all further output to `stream`, including its buffer."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


TIGHT: Final = frozenset(
    {"id", "score", "edge", "from", "to", "done", "waiting", "closed", "lessons", "still here"}
)


def facts(title: str, rows: Iterable[tuple[str, str]]) -> Table:
    """Return a table of names and texts."""
    table = Table(title=Text(title), title_justify="left", show_header=False)
    table.add_column(style="dim", overflow="fold", max_width=26)
    table.add_column(overflow="fold", min_width=min(len(title), 50))  # wide enough for the title
    for name, words in rows:
        table.add_row(Text(name), Text(words))
    return table


def grid(rows: Mapping[str, str]) -> Table:
    """Return a table of names and texts without a frame."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, words in rows.items():
        table.add_row(name, Text(words))  # as Text, which is never read as markup
    return table


def rows_of(
    head: Sequence[str | Column], rows: Iterable[Sequence[str | Text]], title: str
) -> Table:
    """Return a table as wide as its content; a cell that is Text keeps its style."""
    table = Table(*head, title=title or None, title_justify="left")
    for row in rows:
        table.add_row(*(Text(each) if isinstance(each, str) else each for each in row))
    return table


def listing(
    title: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, wide: int = 0
) -> Table:
    """Return a table in which column `wide` takes the remaining width."""
    table = Table(title=Text(title), title_justify="left")
    for at, name in enumerate(head):
        if at == wide:
            table.add_column(name, overflow="fold", ratio=1)
        else:
            table.add_column(name, overflow="fold", no_wrap=name in TIGHT)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
