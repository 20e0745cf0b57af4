"""A moment of play to try something out at, and to come back to as if nothing had happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from emulator import Button, PyBoyConsole, Ram, State, Step, read_state

PRESS: Final = 3  # frames: long enough to be seen, and short enough to count once


class Aside:
    """Lends the machine; whoever is done with it calls `back`."""

    def __init__(self, console: PyBoyConsole) -> None:
        self._console = console
        self._moment = console.save()

    @property
    def ram(self) -> Ram:
        """What RAM holds now."""
        return self._console.ram()

    @property
    def frame(self) -> int:
        """Frames since power-on."""
        return self._console.frame

    @property
    def state(self) -> State:
        """The state of now."""
        return read_state(self.ram, self.frame)

    def back(self) -> None:
        """Return to the moment that this began at."""
        self._console.load(self._moment)

    def poke(self, address: int, data: bytes) -> None:
        """Set up what is tried out."""
        self._console.poke(address, data)

    def press(self, button: Button, *, hold: int = PRESS, settle: int = 8) -> State:
        """Press a button, and return what follows."""
        self._console.perform(Step(button, hold, settle))
        return self.state

    def wait(self, frames: int) -> State:
        """Let frames pass without a button, and return what follows."""
        self._console.perform(Step(None, 0, frames))
        return self.state

    def frames(self, button: Button | None, count: int) -> Iterator[Ram]:
        """Let frames pass one by one with a button down, or none, and yield what RAM holds after each."""
        step = Step(None, 0, 1) if button is None else Step(button, 1, 0)
        for _ in range(count):
            self._console.perform(step)
            yield self._console.ram()

    def until(
        self, reached: Callable[[Ram], bool], within: int, button: Button | None = None
    ) -> bool:
        """Let frames pass until RAM shows something, at most so many, and return whether it did."""
        return any(reached(ram) for ram in self.frames(button, within))
