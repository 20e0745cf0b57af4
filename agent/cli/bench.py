"""`bench`: one command for each measurement, and `all` to repeat every published one that is out of date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import typer

from agent.cli.flags import AS_JSON, ROM, argument, option, require_result_path
from agent.cli.output import INTERRUPTED, Output
from agent.shell import typed_in_checkout

if TYPE_CHECKING:
    from agent.lab.publish import Findings
    from emulator import Cartridge

    Report: TypeAlias = Callable[[str], object]
    Measure: TypeAlias = Callable[[Cartridge], Findings]

WRITE: Final = option(
    "Write the figures to this JSON file, with a picture beside it if there is one.", "PATH"
)
SEEDS: Final = "Seeds of the games to play, as A..B or one number."

bench = typer.Typer(help="Measure speed, battles or experience.", no_args_is_help=True)


@bench.command()
def speed(
    rom: Path | None = ROM,
    seed: int = option("Seed of the game to play.", default=0, min=0),
    ticks: int = option("Ticks that each round plays.", default=4_000, min=1),
    rounds: int = option("Number of rounds.", default=5, min=1),
    write: Path | None = WRITE,
    as_json: bool = AS_JSON,
) -> None:
    """Measure the speed of play."""
    from agent.lab.bench.speed import measure_speed

    what = "What play costs beside the emulator"
    measure = _reported(lambda on, report: measure_speed(on, seed, ticks, rounds, report))
    _publish(what, measure, rom, write, as_json)


@bench.command("side-by-side")
def side_by_side(
    rom: Path | None = ROM,
    seed: int = option("Seed of the game to play.", default=0, min=0),
    ticks: int = option("Ticks to play.", default=4_000, min=1),
    rounds: int = option("Number of rounds.", default=3, min=1),
    write: Path | None = WRITE,
    as_json: bool = AS_JSON,
) -> None:
    """Compare the speed of the agent with that of PyBoy alone."""
    from agent.lab.bench.side_by_side import measure_side_by_side

    what = "Frames a second of the agent, of PyBoy alone, and of PyBoy with a picture and RAM at each step"
    measure = _reported(lambda on, report: measure_side_by_side(on, seed, ticks, rounds, report))
    _publish(what, measure, rom, write, as_json)


@bench.command()
def battles(
    rom: Path | None = ROM,
    seeds: str = option("Seeds of the battles to fight.", "A..B", default="0..599"),
    met: str | None = option(
        "Fight the trainers that the games of these seeds meet, with the team that came to them.",
        "A..B",
    ),
    until: str | None = option(
        "Play the games of --met to this milestone. Default: the last one of the story.", "ID"
    ),
    write: Path | None = WRITE,
    as_json: bool = AS_JSON,
) -> None:
    """Compare the agent in battle with always the strongest move."""
    from agent.cli import measurements

    what = "Battles fought twice: by the agent, and by the strongest move always"
    _publish(what, lambda on: measurements.battles(on, seeds, met, until), rom, write, as_json)


@bench.command()
def experience(
    rom: Path | None = ROM,
    ticks: int = option("Ticks that a game lasts at most.", default=12_000, min=1),
    seeds: str = option(SEEDS, "A..B", default="0..599"),
    teach: str = option("Seeds of the games that fill memory.", "A..B", default="3000..3011"),
    until: str | None = option(
        "Play each game to this milestone. Default: the last one of the story.", "ID"
    ),
    each_use: bool = option("Also play without each single use of memory.", default=True),
    processes: int | None = option("Games to play at a time. Default: one per core.", min=1),
    keep_memory: Path | None = option("Save the memory that --teach filled to this file.", "PATH"),
    taught: Path | None = option("Start from such a file instead of playing --teach.", "PATH"),
    write: Path | None = WRITE,
    as_json: bool = AS_JSON,
) -> None:
    """Compare taught games with games that draw choices by lot."""
    from agent.cli.measurements import ExperienceOptions
    from agent.cli.measurements import experience as compare

    def measure(cartridge: Cartridge) -> Findings:
        options = ExperienceOptions(
            teach, seeds, until, ticks, processes, each_use, taught, keep_memory
        )
        return compare(cartridge, options)

    what = (
        "Games taught by others against the same games with an empty memory, which draws starter, shopping and"
        " training by lot, and against taught ones without each use"
    )
    _publish(what, measure, rom, write, as_json)


@bench.command("all")
def all_results(
    names: list[str] | None = argument(
        "Only these results. Default: all.", "[NAME]...", default=None
    ),
) -> None:
    """Repeat each published measurement that is stale. Exits 1 when one fails."""
    from agent.lab.publish import measure_all

    err = Output(stderr=True)
    try:
        succeeded = measure_all(err.say, names or ())
    except KeyboardInterrupt:
        err.say("interrupted; what was measured is kept, and the same command continues")
        raise typer.Exit(INTERRUPTED) from None
    raise typer.Exit(0 if succeeded else 1)


def _reported(measure: Callable[[Cartridge, Report], Findings]) -> Measure:
    """Return `measure` with progress lines on stderr.

    Ctrl-C ends it at the next line only, because KeyboardInterrupt would be lost inside of PyBoy.
    """
    from agent.app import interrupts

    def measured(cartridge: Cartridge) -> Findings:
        err, last = Output(stderr=True), ""
        with interrupts() as interrupt:

            def report(line: str) -> None:
                nonlocal last
                if interrupt.asked:
                    err.say(f"interrupted after {last!r}; there is no result")
                    raise typer.Exit(INTERRUPTED)
                last = line
                err.say(line)

            return measure(cartridge, report)

    return measured


def _publish(
    what: str, measure: Measure, rom: Path | None, write: Path | None, as_json: bool
) -> None:
    """Measure, write the findings to `write`, if given, and print them."""
    from agent.cli import measurements
    from agent.lab.publish import Origin, write_result
    from agent.lab.sources import recording
    from emulator import demo_cartridge_path, load_cartridge

    require_result_path(write)
    cartridge = load_cartridge(rom or demo_cartridge_path())
    with recording(here=True) as record:
        findings = measure(cartridge)
        seconds = record.seconds
        if write is not None:
            picture = findings.draw() if findings.draw is not None else None
            sources = record.sources(write.stem, here=True)
            origin = Origin(typed_in_checkout(), what, cartridge, seconds, sources)
            write_result(write, findings.rows, findings.figures, origin, picture)
    measurements.show(findings, json=as_json)
