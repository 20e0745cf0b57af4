"""Writing to a terminal, a file or a pipe that may close at any moment."""

import os
import sys
from typing import IO

from rich.console import Console
from rich.text import Text


class Output(Console):
    """A console that goes quiet when nobody reads it any more, so that play can go on."""

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
