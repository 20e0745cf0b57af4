"""Bringing consoles to moments of recordings, and counting how often."""

from collections.abc import Callable
from typing import TypeAlias

from agent.replay.recording import Recording
from emulator import Console, Ram, StateError
from memory import CheckpointMark, CorruptStore, MissingCheckpoint

SwitchOn: TypeAlias = Callable[[], Console]


class Restoring:
    """Consoles for one search; what it took is counted, and what could not be used is noted once.

    Power-on is a moment like any other, and costs a restore as well.
    """

    def __init__(self, switch_on: SwitchOn) -> None:
        self._switch_on = switch_on
        self._consoles: list[Console] = []
        self.restores = 0
        self.ticks = 0
        self.notes: list[str] = []

    def instrument(self) -> Console:
        """Return a fresh console that is about to be brought to some moment."""
        self._consoles.append(self._switch_on())
        return self._consoles[-1]

    def power_on(self) -> Console:
        """Return a console at power-on."""
        self.restores += 1
        return self.instrument()

    def restore(self, console: Console, recording: Recording, mark: CheckpointMark) -> bool:
        """Bring a console to a checkpoint; False, with a note, where that cannot be loaded."""
        try:
            console.load(recording.state_of(mark))
        except (StateError, CorruptStore, MissingCheckpoint) as error:
            note = f"the checkpoint of tick {mark.tick} is passed over: {error}"
            self.notes += [] if note in self.notes else [note]
            return False
        self.restores += 1
        return True

    def nearest(self, recording: Recording, tick: int) -> tuple[Console, int]:
        """Return a console at the last moment up to `tick` that can be restored, and its tick."""
        console = self.instrument()
        for mark in reversed(recording.marks):
            if mark.tick <= tick and self.restore(console, recording, mark):
                return console, mark.tick
        self.restores += 1
        return console, 0

    def ram(self, console: Console, recording: Recording, mark: CheckpointMark) -> Ram | None:
        """Return what RAM was at a checkpoint; None where that cannot be loaded."""
        return console.ram() if self.restore(console, recording, mark) else None

    def close(self) -> None:
        """Switch all consoles off."""
        for each in self._consoles:
            each.close()
