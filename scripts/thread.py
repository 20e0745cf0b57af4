"""The proof that a conversation never runs out, whatever happens to its process: one of thousands of turns, killed on and on.

Exits 1 when a message was lost, covered twice or left out, or when recorded play comes to too much or misses a milestone.
"""

import tempfile
from pathlib import Path
from typing import Annotated, Final

import typer
from dialogues.lane import Told, killed_again_and_again
from dialogues.life import CONFIG
from dialogues.page import document, is_sound
from dialogues.play import compressed
from dialogues.plot import draw
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

TOGETHER: Final = 0.7  # of the times, where two processes are to be on one thread
COLUMNS: Final = (
    "{task.description}",
    BarColumn(),
    MofNCompleteColumn(),
    TimeRemainingColumn(),
)


def main(
    turns: Annotated[int, typer.Option(min=1, help="How many turns at least.")] = 10_000,
    crashes: Annotated[int, typer.Option(min=1, help="How many kills at least.")] = 2_000,
    games: Annotated[int, typer.Option(min=1, help="How many games to talk about.")] = 10,
    seed: Annotated[int, typer.Option(help="What is said and where the kills go.")] = 0,
    write: Annotated[Path | None, typer.Option(metavar="PAGE", help="Write the figures.")] = None,
) -> None:
    """Talk on and on, kill it, examine what it kept; then talk about recorded play."""
    config = CONFIG
    told, pairs = Told(), Told()
    with (
        tempfile.TemporaryDirectory() as folder,
        Progress(*COLUMNS, console=Console(stderr=True)) as progress,
    ):
        talking = progress.add_task("turns", total=turns)
        killing = progress.add_task("kills", total=crashes)
        for told in killed_again_and_again(Path(folder) / "t.sqlite", seed, turns, crashes):
            progress.update(talking, completed=min(told.turns, turns))
            progress.update(killing, completed=min(told.killed, crashes))
        pairing = progress.add_task("kills of two at once", total=crashes // 5)
        lane = Path(folder) / "pairs.sqlite"
        for pairs in killed_again_and_again(lane, seed, turns // 20, crashes // 5, TOGETHER):
            progress.update(pairing, completed=min(pairs.killed, crashes // 5))
        progress.add_task("playing", total=None)
        play = compressed(Path(folder), games, config)
    if write is not None:
        picture = write.with_suffix(".png")
        page = document((told, pairs), play, config, seed, picture.name)
        write.write_text(page, encoding="utf-8")
        draw(told.saw, config, picture)
    print(document((told, pairs), play, config, seed, None))
    raise typer.Exit(0 if is_sound((told, pairs), play) else 1)


if __name__ == "__main__":
    typer.run(main)
