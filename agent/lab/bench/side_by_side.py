"""Frames a second of the agent beside the emulator: the same input, on one core, and with two processes at a time.

The emulator is measured alone, and as programs use it that look at each step: with a picture, and 8 KB of RAM read
through PyBoy's own `memory`.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from statistics import fmean
from time import perf_counter
from typing import Final

from agent.app.session import PlayLimits
from agent.app.summary import NoViewer
from agent.lab.bench.game import open_session, steps_of
from agent.lab.publish import Findings
from agent.lab.runner import play_all
from agent.lab.stats import Interval, Rounds
from agent.story.story import NEVER, Story
from agent.tools.progress import Asked, numbered
from emulator import FRAMES_PER_SECOND, Cartridge, PyBoyConsole, Step
from emulator.ram import WORK_RAM

ALONE: Final = "PyBoy alone, nothing drawn"
LOOKING: Final = "PyBoy, a picture and 8 KB of RAM at each step"
WHOLE: Final = "the agent, whole"
WAYS: Final = (ALONE, LOOKING, WHOLE)
AT_A_TIME: Final = (1, 2)  # processes


def measure_side_by_side(
    cartridge: Cartridge, seed: int, ticks: int, rounds: int, say: Callable[[str], object]
) -> Findings:
    """Return the frames a second of each of `WAYS`, over `rounds` of a game of `ticks` ticks; `say` gets each stage."""
    stage = numbered(say, 1 + rounds * len(AT_A_TIME))
    stage("playing the game once")
    steps = steps_of(cartridge, seed, ticks, NEVER)
    found: dict[int, dict[str, list[float]]] = {
        each: {way: [] for way in WAYS} for each in AT_A_TIME
    }
    cores: Sequence[int | None] = [None]
    if hasattr(os, "sched_getaffinity"):  # not on every system
        cores = sorted(os.sched_getaffinity(0))
    for number in range(rounds):
        for processes in AT_A_TIME:
            stage(f"round {number + 1}, {processes} at a time")
            for way in WAYS:
                lap = partial(run_lap, way, cartridge, seed, steps)
                own = [cores[at % len(cores)] for at in range(processes)]
                # A process of its own each: one that has played this game knows its odds and ways.
                speeds = play_all(lap, own, processes=max(AT_A_TIME), done=lambda _: None)
                found[processes][way].append(sum(speeds))
    figures = {
        "seed": seed,
        "ticks": len(steps),
        "frames": sum(step.frames for step in steps),
        "rounds": rounds,
        "frames_per_s": {
            f"{processes} at a time": {way: Rounds.of(speeds) for way, speeds in by_way.items()}
            for processes, by_way in found.items()
        },
    }
    rows = [
        {
            "way": way,
            **{f"frames/s, {each} at a time": round(fmean(found[each][way])) for each in AT_A_TIME},
            "times a Game Boy": round(fmean(found[1][way]) / FRAMES_PER_SECOND),
        }
        for way in WAYS
    ]
    title = f"side by side: {cartridge.name}, {len(steps):,} ticks"
    return Findings(title, figures, [rows], rows, partial(_draw, found))


def run_lap(
    way: str,
    cartridge: Cartridge,
    seed: int,
    steps: Sequence[Step],
    core: int | None,
    _asked: Asked,
) -> float:
    """Return the frames a second of one way to play the steps of a game, on one core if it is given."""
    with _on_core(core):
        if way == WHOLE:
            return _played(cartridge, seed, steps)
        return _pressed(cartridge, steps, is_looking=way == LOOKING)


@contextmanager
def _on_core(core: int | None) -> Iterator[None]:
    if core is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _played(cartridge: Cartridge, seed: int, steps: Sequence[Step]) -> float:
    story = Story.of(cartridge.kind)
    with open_session(cartridge, story, seed) as (session, _):
        began = perf_counter()
        session.play(PlayLimits(NEVER, len(steps)), NoViewer())
        return sum(step.frames for step in steps) / (perf_counter() - began)


def _pressed(cartridge: Cartridge, steps: Sequence[Step], *, is_looking: bool) -> float:
    with closing(PyBoyConsole(cartridge)) as console:
        began = perf_counter()
        for step in steps:
            console.perform(step, render=is_looking)
            if is_looking:
                console.screen()
                console.read(*WORK_RAM)
        return console.frame / (perf_counter() - began)


def _draw(found: Mapping[int, Mapping[str, Sequence[float]]]) -> bytes:
    from agent.lab.plots import intervals_plot

    series = {
        f"{processes} at a time": {
            way: Interval(fmean(speeds), min(speeds), max(speeds)) for way, speeds in by_way.items()
        }
        for processes, by_way in found.items()
    }
    return intervals_plot(
        series, "frames a second (mean, lowest and highest round)", from_zero=True
    )
