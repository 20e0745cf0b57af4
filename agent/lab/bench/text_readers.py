"""How well and how fast text is read from pixels, on screens that play came across."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from time import perf_counter
from typing import Final, NamedTuple

from agent.lab.bench.game import steps_of
from agent.lab.stats import Distribution
from emulator import Cartridge, Console, PyBoyConsole, Screen, State, Step, read_state
from emulator.ram.control import Doubt
from emulator.screen.glyphs import TextReader, accuracy

WANTED: Final = 240
SEEDS: Final = 8  # games to look for them in
LONGEST: Final = 5_000  # ticks of a game; the story is over before
# The game carries its tile map to the picture a third a frame: a younger one is not all there yet.
SETTLED: Final = 3
DARK: Final = {Doubt.FADING, Doubt.SCREEN_OFF}


@dataclass(frozen=True, slots=True)
class ReaderFigures:
    """How one reader of screens did; `accuracy` is the share of characters that are as the tile map says."""

    screens: int
    accuracy: float
    perfect: int
    ms: Distribution


class TextSample(NamedTuple):
    """A picture, and the rows of text on the logical screen at that moment."""

    screen: Screen
    rows: tuple[str, ...]


def gather(cartridge: Cartridge, seed: int) -> list[TextSample]:
    """Return distinct pictures with text, from the games of `seed` and those after it."""
    found: dict[Screen, TextSample] = {}
    for each in range(seed, seed + SEEDS):
        console = PyBoyConsole(cartridge)
        try:
            for sample in _seen(console, steps_of(cartridge, each, LONGEST)):
                found.setdefault(sample.screen, sample)
                if len(found) == WANTED:
                    return list(found.values())
        finally:
            console.close()
    return list(found.values())


def _seen(console: Console, steps: Sequence[Step]) -> Iterator[TextSample]:
    """Yield the settled screens with text, frame by frame."""
    last: tuple[str, ...] = ()
    frames = 0
    for frame in _frames(steps):
        console.perform(frame, render=True)
        state = read_state(console.ram(), console.frame)
        rows = state.screen_rows
        frames = frames + 1 if rows == last else 0
        last = rows
        if frames >= SETTLED and any(map(str.strip, rows)) and _is_lit(state):
            yield TextSample(console.screen(), rows)


def _is_lit(state: State) -> bool:
    return DARK.isdisjoint(state.control.reasons)


def _frames(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield the same input a frame at a time."""
    for step in steps:
        for _ in range(step.hold):
            yield Step(step.button, 1, 0)
        for _ in range(step.settle):
            yield Step(None, 0, 1)


def read_all(samples: Sequence[TextSample], reader: TextReader) -> ReaderFigures:
    """Return how `reader` does on at least one sample; the rows that the tile map holds are right."""
    shares, times = [], []
    for screen, rows in samples:
        start = perf_counter()
        read = reader.read(screen)
        times.append((perf_counter() - start) * 1_000)
        shares.append(accuracy(rows, read).share)
    return ReaderFigures(len(samples), fmean(shares), shares.count(1.0), Distribution.of(times))


def some(samples: Sequence[TextSample], wanted: int) -> Sequence[TextSample]:
    """Return so many samples at most, from all over them."""
    return samples[:: -(-len(samples) // wanted)] if samples else ()
