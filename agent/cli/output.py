"""Output to a terminal, file or pipe that may close at any time: lines, tables, progress and error lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from agent.tools.report.words import counted, sanitized

if TYPE_CHECKING:
    from agent.app import Interrupt
    from agent.tools.progress import Bar, Done

INTERRUPTED: Final = 130
LINE_EVERY_S: Final = 30.0


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


class OptionalOutput(Output):
    """The output of a command that goes on without it: what cannot be written, as on a full disk, is dropped."""

    def _check_buffer(self) -> None:
        try:
            super()._check_buffer()
        except OSError:
            del self._buffer[:]  # there may be room for the next lines


@contextmanager
def optional_outputs() -> Iterator[tuple[Output, Output]]:
    """Yield the outputs to stdout and stderr of a command whose exit code does not depend on them."""
    try:
        yield OptionalOutput(), OptionalOutput(stderr=True)
    finally:
        _drop_unwritten(sys.stdout)
        _drop_unwritten(sys.stderr)


def fail(error: object, code: int) -> NoReturn:
    """End the process with one line on stderr, if it can be written; unwritten stdout is dropped."""
    discard(sys.stdout)
    OptionalOutput(stderr=True).say(f"error: {error}")
    _drop_unwritten(sys.stderr)
    sys.exit(code)


def _drop_unwritten(stream: IO[str] | None) -> None:
    """Drop what `stream` still holds if it cannot be written; else its flush at exit would set the exit code."""
    try:
        if stream is not None:
            stream.flush()
    except OSError:
        discard(stream)


def discard(stream: IO[str] | None) -> None:
    """Drop all further output to `stream`, including its buffer; None is a stream that was closed from the start."""
    if stream is None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


TIGHT: Final = frozenset(
    {"id", "score", "edge", "from", "to", "done", "waiting", "closed", "lessons", "still here"}
)


def facts(title: str, rows: Iterable[tuple[str, str]]) -> Table:
    """Return a table of names and texts."""
    names = Column(style="dim", overflow="fold", max_width=32)
    texts = Column(overflow="fold", min_width=min(len(title), 50))  # wide enough for the title
    return rows_of((names, texts), rows, title, show_header=False)


def grid(rows: Mapping[str, str]) -> Table:
    """Return a table of names and texts without a frame."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, words in rows.items():
        table.add_row(name, Text(words))  # as Text, which is never read as markup
    return table


def rows_of(
    head: Sequence[str | Column],
    rows: Iterable[Sequence[str | Text]],
    title: str,
    **look: Any,  # noqa: ANN401  # as rich.table.Table
) -> Table:
    """Return a table as wide as its content; a cell that is Text keeps its style, and `look` goes to rich."""
    table = Table(*head, title=Text(title) if title else None, title_justify="left", **look)
    for row in rows:
        table.add_row(*(Text(each) if isinstance(each, str) else each for each in row))
    return table


def listing(
    title: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, wide: int = 0
) -> Table:
    """Return a table in which column `wide` takes the remaining width."""
    columns = (
        Column(name, overflow="fold", ratio=1)
        if at == wide
        else Column(name, overflow="fold", no_wrap=name in TIGHT)
        for at, name in enumerate(head)
    )
    return rows_of(tuple(columns), rows, title)


@dataclass(slots=True)
class Progress:
    """The progress of one part of a command: how many of its things are complete."""

    what: str
    count: int
    show: Callable[[Progress], object]
    interrupt: Interrupt
    completed: int = 0

    def __str__(self) -> str:
        """Return it in words, such as "2,310 of 4,905 ticks"."""
        return f"{self.completed:,} of {counted(self.count, self.what)}"

    def done(self, more: int) -> None:
        """Count and show `more` things; raises KeyboardInterrupt when the end is requested."""
        self.completed = min(self.completed + more, self.count)
        self.show(self)
        if self.interrupt.asked:
            raise KeyboardInterrupt


def rare_lines(
    err: Output, clock: Callable[[], float] = perf_counter
) -> Callable[[Progress], object]:
    """Return what shows progress where there is no terminal: a line every half minute, and nothing for short work."""
    due = clock() + LINE_EVERY_S

    def show(progress: Progress) -> None:
        nonlocal due
        now = clock()
        if now >= due:
            due = now + LINE_EVERY_S
            err.say(str(progress))

    return show


@contextmanager
def progress(err: Output, interrupt: Interrupt) -> Iterator[Bar]:
    """Yield a function that starts progress on stderr: a bar on a terminal, else a line now and then.

    A requested end is noticed when a thing is complete, because KeyboardInterrupt would be lost inside of PyBoy. Then the
    command says how far it came, and exits with 130.
    """
    started: list[Progress] = []
    try:
        with _shown(err) as show:

            def start(what: str, count: int) -> Done:
                started.append(Progress(what, count, show, interrupt))
                show(started[-1])
                return started[-1].done

            yield start
    except KeyboardInterrupt:
        reached = f" after {started[-1]}" if started else ""
        err.say(f"interrupted{reached}; there is no result")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def _shown(err: Output) -> Iterator[Callable[[Progress], object]]:
    """Yield what shows progress; bars are removed at the end."""
    if not err.is_terminal or err.is_dumb_terminal:
        yield rare_lines(err)
        return
    from rich.progress import BarColumn, TaskID, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = ("{task.description}", BarColumn(), TimeRemainingColumn())
    with Bars(*columns, console=err, transient=True) as bars:
        tasks: dict[int, TaskID] = {}

        def show(each: Progress) -> None:
            if id(each) not in tasks:
                tasks[id(each)] = bars.add_task("", total=each.count)
            bars.update(tasks[id(each)], description=str(each), completed=each.completed)

        yield show
