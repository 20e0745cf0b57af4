"""The proof that a night survives: hundreds of faults of every kind to games under the real supervisor, each game judged.

Writes the figures to docs/nights.md when asked to; exits 1 when anything was lost, doubled, not told or otherwise wrong.
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
from nightly.disk import see_own_mounts
from nightly.lane import Lane
from nightly.page import document
from nightly.plot import draw
from nightly.trouble import Game
from rich.console import Console
from rich.progress import Progress

FAILURES: Final = Path(__file__).resolve().parent.parent / ".cache" / "nights"
IN_MEMORY: Final = Path("/dev/shm")  # for what is not on a disk of its own; any folder will do


def main(
    faults: Annotated[int, typer.Option(min=1, help="How many faults.")] = 300,
    seed: Annotated[int, typer.Option(help="What is played, and what happens to it.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Games that are played side by side.")] = 2,
    write: Annotated[Path | None, typer.Option(metavar="PAGE", help="Write the figures.")] = None,
) -> None:
    """Do everything to nights that happens to nights, and judge each game by its files."""
    games: list[Game] = []
    disks: set[str] = set()
    with ExitStack() as stack:
        within = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="n", dir=within)))
        progress = stack.enter_context(Progress(console=Console(stderr=True)))
        bar = progress.add_task("troubling", total=faults)
        for disk, game in abreast(jobs, partial(play_all, folder, seed, faults, jobs)):
            games.append(game)
            disks.add(disk)
            progress.update(bar, advance=len(game.troubles))
            for problem in (*game.problems, *(p for t in game.troubles for p in t.problems)):
                progress.console.print(f"{game.name}: {problem}", highlight=False)
    games.sort(key=lambda game: game.name)
    disk = "; ".join(sorted(disks))
    if write is not None:
        picture = write.with_suffix(".png")
        write.write_text(document(games, seed, disk, picture.name), encoding="utf-8")
        draw(games, picture)
    print(document(games, seed, disk, None))
    complete = sum(len(game.troubles) for game in games) >= faults
    raise typer.Exit(0 if complete and not any(game.is_wrong for game in games) else 1)


def play_all(
    folder: Path, seed: int, faults: int, jobs: int, told: Connection, number: int
) -> None:
    """Play games until this job's share of the faults is done, telling of each."""
    see_own_mounts()
    home = folder / str(number)
    home.mkdir()
    lane = Lane(home, FAILURES, number, Random(f"{seed}:{number}"))
    for game in lane.games(share(faults, jobs, number)):
        told.send((lane.disk_says, game))


if __name__ == "__main__":
    typer.run(main)
