"""A long run in one process: ten hours of game time on the demo cartridge, and what grows meanwhile.

After the story the agent goes on a tour (`hours/tour.py`); play never idles. Exits 1 when a figure is above its budget.
"""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer
from hours.budgets import verdicts
from hours.growth import EVERY, TIMED, Sampler, Soak, console_alone
from hours.page import page, plot
from hours.tour import brawl, tour
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn

from agent.app import Interrupt, Summary, record_of
from agent.app.play import NEVER, session_in
from agent.app.session import PlayLimits
from agent.story import Story
from emulator import Step, demo_cartridge_path, load_cartridge
from memory import BATTLE, RunStore

TEN_HOURS: Final = 2_200_000  # frames
SHORTEST: Final = 50_000  # of which a tenth has something in it
COLUMNS: Final = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn())


@dataclass(frozen=True, slots=True)
class Played:
    """What is left of a run whose folder is gone."""

    summary: Summary
    steps: list[Step]
    outcomes: Counter[str]


def main(
    frames: Annotated[int, typer.Option(min=SHORTEST, help="How many frames to play.")] = TEN_HOURS,
    seed: Annotated[int, typer.Option(min=0, help="Which game.")] = 0,
    write: Annotated[
        Path | None, typer.Option(help="Write the page here, and the plot beside it.")
    ] = None,
) -> None:
    """Play on and on, and tell what grew."""
    with Progress("soak", *COLUMNS, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("soak", total=frames)
        found = soak(frames, seed, lambda frame: progress.update(task, completed=frame))
    picture = None if write is None else write.with_suffix(".png")
    text = page(found, "" if picture is None else picture.name)
    if write is not None and picture is not None:
        picture.write_bytes(plot(found))
        write.write_text(text, encoding="utf-8")
    print(text)
    raise typer.Exit(0 if all(each.is_met for each in verdicts(found)) else 1)


def soak(frames: int, seed: int, tell: Callable[[int], object]) -> Soak:
    """Play `frames` frames in one session of this process, then the same on a console in another."""
    interrupt = Interrupt()
    with TemporaryDirectory(prefix="soak-") as folder:
        sampler = Sampler(Path(folder), frames, interrupt, tell)
        played = _play(Path(folder), seed, interrupt, sampler)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        alone = pool.submit(console_alone, played.steps, EVERY).result()
    return Soak(
        summary=played.summary,
        samples=sampler.samples,
        lapses=sampler.lapses,
        doings=sampler.doings,
        outcomes=played.outcomes,
        bought=sampler.bought,
        alone=alone,
    )


def _play(home: Path, seed: int, interrupt: Interrupt, sampler: Sampler) -> Played:
    cartridge = load_cartridge(demo_cartridge_path())
    story = Story.of(cartridge.kind)
    with (
        sampler.stopwatch.on(TIMED),
        session_in(home, cartridge, story, seed, interrupt, tour, brawl) as (session, store),
    ):
        summary = session.play(PlayLimits(NEVER, float("inf")), sampler)
        steps = [record_of(row).step for row in store.steps()]
        return Played(summary, steps, _outcomes(store))


def _outcomes(store: RunStore) -> Counter[str]:
    return Counter(str(event.payload["outcome"]) for event in store.events(BATTLE))


if __name__ == "__main__":
    typer.run(main)
