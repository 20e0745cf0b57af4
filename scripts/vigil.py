"""A night of at least eight hours of game time on the demo cartridge, unattended, and what grew meanwhile.

Exits 1 when the night ended otherwise than by its limit, or a figure is above its budget.
"""

import shutil
import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from hours.vigil import Vigil, vigil_of, vigil_verdicts
from hours.vigil_page import vigil_page, vigil_plot

from agent.cli.overnight import overnight
from agent.tools.overnight import Supervisor


def main(
    game_hours: Annotated[float, typer.Option(min=0.01, help="How long to play.")] = 8.0,
    seed: Annotated[int, typer.Option(min=0, help="Which game.")] = 0,
    write: Annotated[
        Path | None, typer.Option(help="Write the page here, and the plot beside it.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the folder of the run here.")
    ] = None,
) -> None:
    """Play a night under the supervisor, and tell what grew."""
    with TemporaryDirectory(prefix="vigil-") as folder:
        vigil = play(Path(folder), game_hours, seed)
        if keep is not None:
            shutil.copytree(Path(folder) / "run", keep)
    picture = None if write is None else write.with_suffix(".png")
    text = vigil_page(vigil, game_hours, "" if picture is None else picture.name)
    if write is not None and picture is not None:
        picture.write_bytes(vigil_plot(vigil))
        write.write_text(text, encoding="utf-8")
    print(text)
    raise typer.Exit(0 if all(each.is_met for each in vigil_verdicts(vigil, game_hours)) else 1)


def play(home: Path, hours: float, seed: int) -> Vigil:
    """Play a night in `home` that has only one limit, by the ordinary command, and return what it wrote."""
    command = import_module("agent.cli.overnight")  # the package has a function of this name
    program = (sys.executable, "-m", "hours.toured")
    setattr(command, "Supervisor", partial(Supervisor, program=program))  # noqa: B010
    with suppress(typer.Exit):
        overnight(run=home / "run", memory=home / "memory.sqlite", game_hours=hours, seed=seed)
    return vigil_of(home / "run")


if __name__ == "__main__":
    typer.run(main)
