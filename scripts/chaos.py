"""The proof that a kill costs nothing that was kept: thousands of them, and both files examined after each.

Plays the demo for real, on one memory for many runs, kills it with SIGKILL and goes on by the ordinary resume.
Writes the figures to docs/chaos.md when asked to; exits 1 when anything was lost, counted twice, or otherwise wrong.
"""

import os
import tempfile
from contextlib import ExitStack
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Annotated, Final

import typer
from kills.abreast import abreast, share
from kills.kill import Kill
from kills.lane import Lane, Places
from kills.page import document
from kills.plot import draw
from rich.console import Console
from rich.progress import Progress

FAILURES: Final = Path(__file__).resolve().parent.parent / ".cache" / "chaos"
MEMORY: Final = Path("/dev/shm")  # for copies that are looked at once; any folder will do


def main(
    kills: Annotated[int, typer.Option(min=1, help="How many kills.")] = 2_000,
    seed: Annotated[int, typer.Option(help="What is played and where the kills go.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Memories that are played on side by side.")] = 2,
    write: Annotated[Path | None, typer.Option(metavar="PAGE", help="Write the figures.")] = None,
) -> None:
    """Kill a playing agent, examine what it kept, and resume it."""
    told: list[Kill] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        progress = stack.enter_context(Progress(console=Console(stderr=True)))
        bar = progress.add_task("killing", total=kills)
        for kill in abreast(jobs, partial(kill_all, folder, seed, kills, jobs)):
            told.append(kill)
            progress.update(bar, advance=int(kill.is_kill))
            for problem in kill.problems:
                progress.console.print(f"{kill.name}: {problem}", highlight=False)
    if write is not None:
        write.write_text(document(told, seed, write.with_suffix(".png").name), encoding="utf-8")
        draw(told, write.with_suffix(".png"))
    print(document(told, seed, None))
    complete = sum(each.is_kill for each in told) >= kills
    raise typer.Exit(0 if complete and not any(each.problems for each in told) else 1)


def kill_all(folder: Path, seed: int, kills: int, jobs: int, told: Connection, number: int) -> None:
    """Kill this job's share of times on one memory, telling of each."""
    home = folder / f"lane-{number}"
    home.mkdir()
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as scratch:
        lane = Lane(Places(home, Path(scratch), FAILURES), number, Random(f"{seed}:{number}"))
        for kill in lane.kills(share(kills, jobs, number)):
            told.send(kill)


if __name__ == "__main__":
    typer.run(main)
