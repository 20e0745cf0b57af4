"""Screens that play came across: pictures with text on them, each beside what the tile map said of it."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from agent.bench.game import steps_of
from emulator import Cartridge, Console, Doubt, PyBoyConsole, Screen, State, Step, read_state

WANTED: Final = 240
SEEDS: Final = 8  # games to look for them in
LONGEST: Final = 5_000  # ticks of a game; the story is over before
# The game carries its tile map to the picture a third a frame: a younger one is not all there yet.
SETTLED: Final = 3
DARK: Final = {Doubt.FADING, Doubt.SCREEN_OFF}


class Sample(NamedTuple):
    """A picture, and the rows of text on the logical screen at that moment."""

    screen: Screen
    rows: tuple[str, ...]


def gather(cartridge: Cartridge, seed: int) -> list[Sample]:
    """Return distinct pictures with text, from the games of `seed` and those after it."""
    found: dict[Screen, Sample] = {}
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


def _seen(console: Console, steps: Sequence[Step]) -> Iterator[Sample]:
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
            yield Sample(console.screen(), rows)


def _is_lit(state: State) -> bool:
    return DARK.isdisjoint(state.control.reasons)


def _frames(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield the same input a frame at a time."""
    for step in steps:
        for _ in range(step.hold):
            yield Step(step.button, 1, 0)
        for _ in range(step.settle):
            yield Step(None, 0, 1)
