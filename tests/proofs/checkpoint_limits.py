"""The time of a checkpoint while play waits, and the time of a new process to resume play from one.

A checkpoint is made between two ticks: at power-on, at each milestone, before a trainer that blocks the path, every
1,000 ticks and at the end. Game, mind and memory are stored in one transaction, with the record since the last commit.
PyBoy writes its state byte by byte, 178,100 of them for the demo, each through a Python call, which this project cannot
speed up. Resuming is measured from the start of Python to the first tick that is played.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from agent import HOME
from agent.app.checkpoints import Checkpoints
from agent.app.session import PlayLimits
from agent.app.summary import NoViewer
from agent.errors import RunError
from agent.lab.bench.game import GOAL, open_session
from agent.lab.bench.stopwatch import ObservedCall, Parts, calls_of
from agent.story.story import Story
from emulator import Cartridge, PyBoyConsole, demo_cartridge_path, load_cartridge
from memory import RunStore, read_run
from tests.proofs.limits import NO_BOUNDS, figure, limits_row
from tests.proofs.workers import Row

PARTS: Final[Parts] = {
    PyBoyConsole.save: "PyBoy's own saving",
    RunStore.commit: "a transaction",
    Checkpoints.deliver_lessons: "handing on what was learnt, at another time",
}
WHOLE: Final = "a checkpoint, with the record since the last commit"
BACK: Final = "from the start of a process to its first tick"
LONGEST_S: Final = 60


def checkpoints_job(size: int, _number: int) -> Row:
    """Return the figures of so many games, and of a run resumed as often."""
    cartridge = load_cartridge(demo_cartridge_path())
    story = Story.of(cartridge.kind)
    saved: list[ObservedCall] = []
    parts: dict[str, list[float]] = {name: [] for name in PARTS.values()}
    for seed in range(size):
        with (
            calls_of([Checkpoints.save, *PARTS]) as calls,
            open_session(cartridge, story, seed) as (play, _),
        ):
            play.play(PlayLimits(GOAL, float("inf")), NoViewer())
        saved += calls[Checkpoints.save]
        for function, name in PARTS.items():
            parts[name] += [each.wall_s for each in calls[function]]
    starts = list(_resumes(cartridge, size))
    held = {"checkpoints": len(saved), "games": size, "resumes": size}
    figures = [
        figure(WHOLE, (30.0, 20.0), [each.wall_s for each in saved]),
        figure(f"{WHOLE}, by processor", (30.0, 20.0), [each.cpu_s for each in saved]),
        *(figure(name, NO_BOUNDS, took) for name, took in parts.items()),
        figure(BACK, (2_000.0, 1_000.0), starts),
    ]
    return limits_row("checkpoints", held, figures)


def _resumes(cartridge: Cartridge, resumes: int) -> Iterator[float]:
    """Yield the seconds from the start to the first tick of each of many processes."""
    with TemporaryDirectory(prefix="bench-") as folder:
        home = Path(folder)
        rom = home / "image.gb"
        rom.write_bytes(cartridge.rom)
        command = [sys.executable, "-m", "agent", "play", "--memory", str(home / "memory.sqlite")]
        first = [*command, "--rom", str(rom), "--run", str(home / "run"), "--ticks", "1200"]
        subprocess.run(first, cwd=HOME, check=True, capture_output=True, timeout=LONGEST_S)
        with closing(read_run(home / "run")) as run:
            ticks = len(list(run.store.record.steps()))
        for number in range(resumes):
            again = home / f"again-{number}"
            shutil.copytree(home / "run", again)
            flags = ["--rom", str(rom), "--resume", str(again), "--ticks", str(ticks + 50)]
            yield _first_tick([*command, *flags], ticks)


def _first_tick(command: list[str], before: int) -> float:
    """Return the seconds until a new process reports a tick later than `before`."""
    reading, writing = os.pipe()
    start = perf_counter()
    with (
        os.fdopen(reading, encoding="utf-8") as pulse,
        subprocess.Popen(
            [*command, "--pulse", str(writing)],
            cwd=HOME,
            pass_fds=[writing],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ),
    ):
        os.close(writing)
        for line in pulse:
            if json.loads(line)["tick"] > before:
                return perf_counter() - start
    message = "the process that resumed a run reported no tick"
    raise RunError(message)
