"""Whether `verify` names what is wrong with cartridges that were broken on purpose, and nothing on the sound one.

Exits 1 when a fault is not named or the sound cartridge is found wrong, and 2 when no cartridge can be built here.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from tests.broken.building import broken_image, is_possible
from tests.broken.edits import Edit, read_edits
from tests.broken.page import document
from tests.broken.trying import Sound, Tried, look_at_sound, try_out


def main(
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this one; may be repeated.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=0, help="Games of the sound cartridge.")] = 10,
    jobs: Annotated[int, typer.Option(min=1, help="How many side by side.")] = 2,
    write: Annotated[Path | None, typer.Option(metavar="PAGE", help="Write the table.")] = None,
) -> None:
    """Break the demo in each known way and verify it, and verify it as it is."""
    if not is_possible():
        print("sdcc is not installed: no cartridge can be built", file=sys.stderr)
        raise typer.Exit(2)
    edits = chosen(only or [])
    console = Console(stderr=True)
    with console.status("compiling the sound cartridge"):
        broken_image(edits[0])
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        trying = pool.map(try_out, edits)
        looking = pool.map(look_at_sound, range(seeds))
        tried = list(track(trying, "verifying broken ones", total=len(edits), console=console))
        sound = list(track(looking, "verifying the sound one", total=seeds, console=console))
    tell(tried, sound)
    if write is not None:
        write.write_text(document(tried, sound), encoding="utf-8")
    missed = [each for each in tried if not each.is_named] + [each for each in sound if each.named]
    raise typer.Exit(1 if missed else 0)


def chosen(names: Sequence[str]) -> Sequence[Edit]:
    """Return the edits with these names, or all; a name that is none ends the program."""
    edits = {edit.name: edit for edit in read_edits()}
    if unknown := set(names) - edits.keys():
        print(f"no edit {', '.join(sorted(unknown))} in tests/broken/edits.toml", file=sys.stderr)
        raise typer.Exit(2)
    return [edits[name] for name in names or edits]


def tell(tried: Sequence[Tried], sound: Sequence[Sound]) -> None:
    """Print a line for each."""
    for each in tried:
        verdict = "named" if each.is_named else "NOT NAMED"
        print(f"{each.edit.name}: {verdict} at tick {each.verdict.played.ticks}: {each.named}")
    for game in sound:
        print(f"sound, seed {game.seed}: {game.headline} {game.named}")


if __name__ == "__main__":
    typer.run(main)
