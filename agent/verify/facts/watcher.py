"""What all who look on have in common: nothing to do unless they say so."""

from __future__ import annotations

from collections.abc import Sequence

from agent.verify.fact import Fact, Notebook
from emulator import Button, Ram, State


class Onlooker:
    """A watcher that looks at nothing."""

    facts: Sequence[Fact] = ()

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Look away."""

    def moment(self, state: State) -> None:
        """Look away."""

    def begin_anew(self) -> None:
        """Have nothing to forget."""
