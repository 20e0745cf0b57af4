"""What a checkpoint costs while play waits, and how long a new process takes to resume play from one."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final

from agent.app import HOME, TickView
from agent.app.play import NoViewer
from agent.app.session import PlayLimits
from agent.errors import RunError
from agent.lab.bench.game import GOAL, session_of
from agent.lab.bench.limits import FigureBound, MemoryFigure, MemoryFigures, figures_as_markdown
from agent.lab.bench.stopwatch import Parts, Stopwatch
from agent.lab.stats import Distribution
from agent.story import Story
from emulator import Cartridge
from memory import read_run

GAMES: Final = 20
RESUMES: Final = 20
WHOLE: Final = "a checkpoint, with the record since the last commit"
REST: Final = "of it all else"
PARTS: Final[Parts] = {
    "emulator.pyboy_console:PyBoyConsole.save": "of it PyBoy's own saving",
    "memory.store.run_store:RunStore.commit": "of it the transaction",
    "agent.app.checkpoints:Delivery.hand_on": "of it handing on what was learnt",
    "agent.app.checkpoints:Checkpoints.save": REST,
}
BOUND: Final = FigureBound(WHOLE, limit=30.0, aim=20.0)
BY_PROCESSOR: Final = FigureBound(f"{WHOLE}, by processor", limit=30.0, aim=20.0)
BACK: Final = FigureBound(
    "from the start of a process to its first tick", limit=2_000.0, aim=1_000.0
)
LONGEST_S: Final = 60
ABOUT: Final = (
    "A verdict is on the 99th percentile. A checkpoint is made between two ticks, at power-on, at each milestone, before",
    "a battle that bars the way, every 1,000 ticks and at the end: game, mind and memory in one transaction, with what was",
    "recorded since the last commit. Games are played by turns with times of the wall and of the processor; the parts are",
    "of the wall. PyBoy writes its state byte by byte, 178,100 of them for the demo, each through a call of Python: nothing",
    "of ours makes that quicker. Going on is measured in new processes, from the start of Python to the first tick that is",
    "played, with all that lies between: imports, opening and checking both files, the console, the checkpoint.",
)


def measure_moments(cartridge: Cartridge, say: Callable[[str], object]) -> MemoryFigures:
    """Play the story `GAMES` times by turns for the wall's clock and the processor's, and go on with a run `RESUMES` times."""
    story = Story.of(cartridge.kind)
    by_wall: list[Counter[str]] = []
    by_processor: list[Counter[str]] = []
    for seed in range(GAMES):
        say(f"game {seed + 1} of {GAMES}")
        by_wall += _checkpoints(cartridge, story, seed, perf_counter)
        by_processor += _checkpoints(cartridge, story, seed, process_time)
    say(f"going on {RESUMES} times")
    resumes = list(_resumes(cartridge, story))
    return MemoryFigures(
        cartridge=cartridge.name,
        held={"checkpoints": len(by_wall), "games": GAMES, "resumes": len(resumes)},
        figures=[
            _figure(BOUND, [lap.total() for lap in by_wall]),
            _figure(BY_PROCESSOR, [lap.total() for lap in by_processor]),
            *(
                _figure(FigureBound(part, None, None), [lap[part] for lap in by_wall])
                for part in PARTS.values()
            ),
            _figure(BACK, resumes),
        ],
    )


def _figure(bound: FigureBound, seconds: list[float]) -> MemoryFigure:
    return MemoryFigure(bound, Distribution.of([1_000 * each for each in seconds]))


def _checkpoints(
    cartridge: Cartridge, story: Story, seed: int, clock: Callable[[], float]
) -> list[Counter[str]]:
    """Return what each checkpoint of a game took, in seconds by part."""
    laps: list[Counter[str]] = []
    stopwatch = Stopwatch(clock)

    class Laps(NoViewer):
        def show(self, moment: TickView) -> None:
            lap = stopwatch.lap()
            if REST in lap:
                laps.append(Counter(lap))

    with stopwatch.on(PARTS), session_of(cartridge, story, seed) as (session, _):
        session.play(PlayLimits(GOAL, float("inf")), Laps())
    return laps


def _resumes(cartridge: Cartridge, story: Story) -> Iterator[float]:
    """Yield how long each of many processes takes from its start to its first tick."""
    with TemporaryDirectory(prefix="bench-") as folder:
        home = Path(folder)
        rom = home / "image.gb"
        rom.write_bytes(cartridge.rom)
        command = [sys.executable, "-m", "agent", "play", "--memory", str(home / "memory.sqlite")]
        first = [*command, "--rom", str(rom), "--run", str(home / "run"), "--ticks", "1200"]
        subprocess.run(first, cwd=HOME, check=True, capture_output=True, timeout=LONGEST_S)
        with closing(read_run(home / "run")) as run:
            ticks = len(list(run.store.steps()))
        for number in range(RESUMES):
            again = home / f"again-{number}"
            shutil.copytree(home / "run", again)
            flags = ["--rom", str(rom), "--resume", str(again), "--ticks", str(ticks + 50)]
            yield _first_tick([*command, *flags], ticks)


def _first_tick(command: list[str], before: int) -> float:
    """Return after how many seconds a new process tells of a tick later than `before`."""
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
    message = "the process that went on with a run told of no tick"
    raise RunError(message)


def moments_page(figures: MemoryFigures) -> str:
    """Return the page that `bench moments --write` leaves."""
    lines = [
        "# Moments to come back to, measured",
        "",
        f"Written by `python -m agent bench moments --write docs/bench_moments.md`, on {os.cpu_count()} cores; every",
        f"figure is from one run of it. {figures.cartridge}, {figures.what_was_held}.",
        "",
        *ABOUT,
        "",
        *figures_as_markdown(figures),
    ]
    return "\n".join(lines) + "\n"
