"""`bench`: measure speed, battles, memory, a model, experience, checkpoints, or what memory knows."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.app import interrupts
from agent.cli.flags import Rom
from agent.cli.output import Output
from agent.errors import UsageError
from emulator import Cartridge, demo_cartridge_path, load_cartridge

MANY: Final = "0..599"  # seeds of what is counted
FEW: Final = "600..605"  # and of what is asked


class Measurement(StrEnum):
    """What `bench` measures."""

    SPEED = "speed"
    BATTLES = "battles"
    EXPERIENCE = "experience"
    EXAM = "exam"
    MEMORY = "memory"
    MODEL = "model"
    MOMENTS = "moments"


def bench(
    what: Annotated[
        Measurement,
        typer.Argument(
            help="What to measure: speed, battles against a simple policy, memory, a model, experience, an exam, or moments to come back to."
        ),
    ] = Measurement.SPEED,
    rom: Rom = None,
    seed: Annotated[int, typer.Option(min=0, help="Which game to play.")] = 0,
    ticks: Annotated[
        int,
        typer.Option(
            min=1,
            help="How many ticks a round plays, or a game of experience at most; the demo's story takes half of 4000.",
        ),
    ] = 4_000,
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds to play.")] = 5,
    seeds: Annotated[
        str | None,
        typer.Option(
            metavar="A..B",
            help="Which battles to fight, or games to play for experience. Default: 0..599; for an exam 600..605.",
            show_default=False,
        ),
    ] = None,
    teach: Annotated[
        str, typer.Option(metavar="A..B", help="Which games teach, for experience.")
    ] = "3000..3011",
    until: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Play games of experience to this milestone. Default: the last one of the story.",
            show_default=False,
        ),
    ] = None,
    each_use: Annotated[
        bool, typer.Option(help="Switch off each use of memory in turn as well, for experience.")
    ] = True,
    processes: Annotated[
        int | None,
        typer.Option(
            min=1, help="Games of experience at a time. Default: one a core.", show_default=False
        ),
    ] = None,
    keep_memory: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Keep what experience taught in this new file.",
            show_default=False,
        ),
    ] = None,
    taught: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Begin experience with such a file instead of playing --teach.",
            show_default=False,
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Write the figures as a page.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the figures as one JSON object on the last line."),
    ] = False,
) -> None:
    """Measure what play costs and how well text is read; or how much oftener battles are won; or what memory costs, or knows; or what asking a model costs."""
    if write is not None and (write.is_dir() or not write.parent.is_dir()):
        message = f"--write {write} names no file in a folder that exists; name one"
        raise UsageError(message)
    cartridge = load_cartridge(rom or demo_cartridge_path())
    # Each is loaded where it is wanted: play should not wait for what it does not measure.
    match what:
        case Measurement.SPEED:
            _speed(cartridge, write, seed=seed, ticks=ticks, rounds=rounds, as_json=as_json)
        case Measurement.BATTLES:
            from agent.cli.measurements import bench_battles

            bench_battles(cartridge, seeds or MANY, write, as_json=as_json)
        case Measurement.EXPERIENCE:
            from agent.cli.measurements import ExperienceOptions, bench_experience

            wanted = ExperienceOptions(
                teach, seeds or MANY, until, ticks, processes, each_use, taught, keep_memory, write
            )
            bench_experience(cartridge, wanted, as_json=as_json)
        case Measurement.EXAM:
            from agent.cli.measurements import bench_exam

            bench_exam(cartridge, seeds or FEW, write, as_json=as_json)
        case Measurement.MEMORY | Measurement.MODEL | Measurement.MOMENTS:
            from agent.cli.measurements import bench_memory, bench_model, bench_moments

            costs = {
                Measurement.MEMORY: bench_memory,
                Measurement.MODEL: bench_model,
                Measurement.MOMENTS: bench_moments,
            }
            with _saying() as say:
                costs[what](cartridge, write, say, as_json=as_json)


def _speed(
    cartridge: Cartridge, write: Path | None, *, seed: int, ticks: int, rounds: int, as_json: bool
) -> None:
    from agent.cli.measurements import figures_table
    from agent.lab.bench import measure_speed, speed_page

    with _saying() as say:
        figures = measure_speed(cartridge, seed=seed, ticks=ticks, rounds=rounds, say=say)
    if write is not None:
        write.write_text(speed_page(figures), encoding="utf-8")
    out = Output()
    if as_json:
        out.say(json.dumps(figures.as_json()))
    else:
        out.print(figures_table(figures))


@contextmanager
def _saying() -> Iterator[Callable[[str], object]]:
    """Lend what says how far a measurement is; Ctrl-C ends it between two parts: inside of PyBoy it would be lost."""
    err = Output(stderr=True)
    with interrupts() as interrupt:

        def say(words: str) -> None:
            if interrupt.asked:
                raise KeyboardInterrupt
            err.say(words)

        yield say
