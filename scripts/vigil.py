"""A night of at least eight hours of game time on the demo cartridge, unattended, and what grew meanwhile.

Exits 1 when the night ended otherwise than by its limit, or a figure is above its budget.
"""

import shutil
import sys
from contextlib import ExitStack
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from hours.vigil import Vigil, vigil_of, vigil_verdicts
from hours.vigil_page import vigil_page, vigil_plot
from rich.console import Console
from rich.status import Status

from agent.app import Interrupt
from agent.overnight import Beat, Limits, Line, NightSettings, Supervisor


class Watcher:
    """Tells in one line where the night is."""

    def __init__(self, status: Status) -> None:
        self._status = status

    def told(self, line: Line) -> None:
        """Say of a fault that it was one."""
        if line["what"] == "fault":
            self._status.console.print(f"{line['kind']}: {line['says']}", highlight=False)

    def saw(self, beat: Beat, night_s: float) -> None:
        """Say how far it is."""
        self._status.update(f"frame {beat.frame:,} after {night_s:.0f} s, {beat.place}")


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
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory(prefix="vigil-")))
        status = stack.enter_context(Console(stderr=True).status("the night begins"))
        vigil = play(home, game_hours, seed, Watcher(status))
        if keep is not None:
            shutil.copytree(home / "run", keep)
    picture = None if write is None else write.with_suffix(".png")
    text = vigil_page(vigil, game_hours, "" if picture is None else picture.name)
    if write is not None and picture is not None:
        picture.write_bytes(vigil_plot(vigil))
        write.write_text(text, encoding="utf-8")
    print(text)
    raise typer.Exit(0 if all(each.is_met for each in vigil_verdicts(vigil, game_hours)) else 1)


def play(home: Path, hours: float, seed: int, viewer: Watcher) -> Vigil:
    """Play a night in `home` that has only one limit."""
    settings = NightSettings(
        run=home / "run",
        memory=home / "memory.sqlite",
        first_flags=("--seed", str(seed)),
        limits=Limits(game_hours=hours, hours=inf),
    )
    program = (sys.executable, "-m", "hours.toured")
    Supervisor(settings, Interrupt(), viewer, program=program).play()
    return vigil_of(home / "run")


if __name__ == "__main__":
    typer.run(main)
