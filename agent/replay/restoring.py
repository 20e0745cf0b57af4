"""Bringing consoles to moments of recordings, and counting how often."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from agent.replay.recording import Recording
from emulator import Console, StateError
from memory import CheckpointMark, CorruptStore, MissingCheckpoint

SwitchOn: TypeAlias = Callable[[], Console]


class Brought(NamedTuple):
    """The tick that a console was brought to, and what was passed over on the way there."""

    tick: int
    notes: tuple[str, ...]


def bring(console: Console, recording: Recording, latest: int) -> Brought:
    """Bring a fresh console to the last moment up to tick `latest` that can be restored; power-on always can."""
    notes: list[str] = []
    for mark in reversed(recording.marks):
        if mark.tick <= latest:
            refused = restore(console, recording, mark)
            if not refused:
                return Brought(mark.tick, tuple(notes))
            notes.append(refused)
    return Brought(0, tuple(notes))


def restore(console: Console, recording: Recording, mark: CheckpointMark) -> str:
    """Bring a console to a checkpoint and return '', or what to say where that cannot be loaded."""
    try:
        console.load(recording.state_of(mark))
    except (StateError, CorruptStore, MissingCheckpoint) as error:
        return f"the checkpoint of tick {mark.tick} is passed over: {error}"
    return ""


class Restoring:
    """Consoles for one search; what it took is counted, and what could not be used is noted.

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
        """Return whether a console could be brought to a checkpoint."""
        refused = restore(console, recording, mark)
        self._note(refused)
        self.restores += not refused
        return not refused

    def nearest(self, recording: Recording, latest: int) -> tuple[Console, int]:
        """Return a console at the last moment up to tick `latest` that can be restored, and its tick."""
        console = self.instrument()
        tick, notes = bring(console, recording, latest)
        self.restores += 1
        for each in notes:
            self._note(each)
        return console, tick

    def close(self) -> None:
        """Switch all consoles off."""
        for each in self._consoles:
            each.close()

    def _note(self, words: str) -> None:
        if words and words not in self.notes:
            self.notes.append(words)
