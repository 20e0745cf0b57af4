"""Writing to a terminal, a file or a pipe that may close at any moment."""

import os
import sys
from collections.abc import Iterable
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from agent.report.visible import visible


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
