"""Pictures of any moment of a recording, drawn by driving it again from the checkpoint before."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent.errors import UsageError
from agent.tools.replay.recording import Recording
from emulator import FRAMES_PER_SECOND, PyBoyConsole, Screen, StepRecord, mismatch


class TickRange(NamedTuple):
    """From the beginning of tick `first` to the end of tick `last`."""

    first: int
    last: int


class Picture(NamedTuple):
    """What the screen showed, and for how many frames."""

    screen: Screen
    frames: int


def frames_of(recording: Recording, stretch: TickRange) -> int:
    """Return how many frames a stretch lasts.

    Raises:
        UsageError: when the recording has no such ticks.
    """
    first, last = stretch
    if not 1 <= first <= last <= len(recording.records):
        ticks = f"tick {first} is" if first == last else f"ticks {first} to {last} are"
        message = f"{ticks} not in the recording, which has 1 to {len(recording.records)}"
        raise UsageError(message)
    return sum(each.step.frames for each in recording.records[first - 1 : last])


def seconds(frames: int) -> float:
    """Return game time."""
    return frames / FRAMES_PER_SECOND


def snapshot(console: PyBoyConsole, recording: Recording, tick: int, *, at: int) -> Screen:
    """Return what the screen showed at the end of `tick`, from a console that stands at the end of tick `at`.

    Raises:
        Divergence: where the game is not as it was recorded; nobody wants pictures of another one.
    """
    _drive(console, recording.records[at:tick])
    return console.screen()


def film(
    console: PyBoyConsole, recording: Recording, stretch: TickRange, *, at: int, every: int
) -> Iterator[Picture]:
    """Yield the pictures of a stretch, looking each `every` frames, from a console at the end of tick `at`.

    What does not change meanwhile is one picture.

    Raises:
        Divergence: where the game is not as it was recorded.
    """
    first, last = stretch
    _drive(console, recording.records[at : first - 1])
    shown, since = None, console.frame
    for record in recording.records[first - 1 : last]:
        for screen in console.film(record.step, every):
            if shown is not None and screen != shown:
                yield Picture(shown, console.frame - since)
                since = console.frame
            shown = screen
        _require_same(console, record)
    if shown is not None:
        yield Picture(shown, console.frame - since)


def _drive(console: PyBoyConsole, records: Sequence[StepRecord]) -> None:
    """Drive steps, and draw the end of the last."""
    for number, each in enumerate(records, start=1):
        console.perform(each.step, render=number == len(records))
        _require_same(console, each)


def _require_same(console: PyBoyConsole, record: StepRecord) -> None:
    differs = mismatch(console, record)
    if differs is not None:
        raise differs
