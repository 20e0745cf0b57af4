"""Play the games side by side, with a bar, and write the page."""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from agent.storyworld.playing import End
from playthroughs.game import played
from playthroughs.page import page


def main(
    count: Annotated[int, typer.Option(min=1, help="How many games.")] = 100,
    write: Annotated[Path | None, typer.Option(help="The page to write.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes.")] = 2,
) -> None:
    """Play Red's story in the model, from as many legal moments."""
    with ProcessPoolExecutor(jobs) as pool:
        games = pool.map(played, range(count), chunksize=4)
        told = list(track(games, "playing", count, console=Console(stderr=True)))
    text = page(told)
    if write is not None:
        write.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    if any(each.end is not End.FAME for each in told):
        raise typer.Exit(1)


typer.run(main)
