"""The proof that a model which fails costs nothing of play: many seeds by rules, and with one that fails three calls in ten.

Exits 1 when a game earned less than by rules, did not replay, went beyond a ceiling, or left a key behind.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Final

import typer
from counsel.game import Game, Wanted, play_apart
from counsel.page import document, unmet
from counsel.plot import draw
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from agent.cli.flags import seeds_of

TIMEOUT_S: Final = 1.0  # of an answer; loopback takes milliseconds
COLUMNS: Final = ("playing", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


def main(
    seeds: Annotated[str, typer.Option(metavar="A..B", help="Which games to play.")] = "100..119",
    scenario: Annotated[
        str, typer.Option(help="What the service does, by name or path.")
    ] = "faulty",
    faults: Annotated[float, typer.Option(min=0, max=1, help="Which share of calls fails.")] = 0.3,
    every: Annotated[
        int, typer.Option(min=0, help="Ticks after which one asks without need.")
    ] = 100,
    jobs: Annotated[int, typer.Option(min=1, help="How many side by side.")] = 2,
    write: Annotated[
        Path | None,
        typer.Option(metavar="PAGE", help="Write the page here, and the plot beside it."),
    ] = None,
) -> None:
    """Play each seed by rules and with a model that fails, and examine what comes of it."""
    wanted = [
        # Every second game has the ceilings that ship, which three lost calls in ten soon reach.
        Wanted(seed, scenario, faults, every, TIMEOUT_S, is_wide=bool(seed % 2))
        for seed in seeds_of(seeds)
    ]
    games: list[Game] = []
    with (
        Progress(*COLUMNS, console=Console(stderr=True)) as progress,
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool,
    ):
        bar = progress.add_task("playing", total=len(wanted))
        for game in pool.map(play_apart, wanted):
            games.append(game)
            progress.update(bar, advance=1)
            for problem in game.problems:
                progress.console.print(f"seed {game.wanted.seed}: {problem}", highlight=False)
    picture = None if write is None else write.with_suffix(".png")
    text = document(games, "" if picture is None else picture.name)
    if write is not None and picture is not None:
        write.write_text(text, encoding="utf-8")
        draw(games, picture)
    print(text)
    raise typer.Exit(1 if unmet(games) or any(each.problems for each in games) else 0)


if __name__ == "__main__":
    typer.run(main)
