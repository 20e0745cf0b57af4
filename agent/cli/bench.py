"""`bench`: one command for each measurement, and `all` to repeat every published one that is out of date."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

import typer

from agent.app import interrupts
from agent.cli import flags
from agent.cli.flags import command_line, option, require_result_path, switch
from agent.cli.output import Output
from agent.lab.publish import Findings, Origin, write_result
from emulator import Cartridge, demo_cartridge_path, load_cartridge

Report: TypeAlias = Callable[[str], object]

WRITE: Final = option(
    "Write the figures to this JSON file, with a picture beside it if there is one.", "PATH"
)
SMALLER: Final = switch("--quick", "Use smaller counts, to take less time.")
SEEDS_HELP: Final = "Seeds of the games to play, as A..B or one number."

bench = typer.Typer(
    help="Measure speed, battles, memory, a model or checkpoints.", no_args_is_help=True
)

# Each measurement is imported by its own command only, so that other commands start fast.


@bench.command()
def speed(
    rom: Path | None = flags.ROM,
    seed: int = option("Seed of the game to play.", default=0, min=0),
    ticks: int = option("Ticks that each round plays.", default=4_000, min=1),
    rounds: int = option("Number of rounds.", default=5, min=1),
    write: Path | None = WRITE,
    as_json: bool = flags.AS_JSON,
) -> None:
    """Measure the speed of play and of reading text from pixels."""
    from agent.lab.bench.speed import measure_speed

    cartridge = _cartridge(rom, write)
    with _progress_lines() as report:
        findings = measure_speed(cartridge, seed, ticks, rounds, report)
    what = "What play costs beside the emulator, and how well text is read from pixels"
    _publish(findings, what, cartridge, write, as_json=as_json)


@bench.command()
def battles(
    rom: Path | None = flags.ROM,
    seeds: str = option("Seeds of the battles to fight.", "A..B", default="0..599"),
    write: Path | None = WRITE,
    as_json: bool = flags.AS_JSON,
) -> None:
    """Compare the agent in battle with the strongest move each turn."""
    from agent.cli import measurements

    cartridge = _cartridge(rom, write)
    findings = measurements.battles(cartridge, seeds)
    what = "Battles fought twice: by the agent, and by the strongest move always"
    _publish(findings, what, cartridge, write, as_json=as_json)


@bench.command()
def experience(
    rom: Path | None = flags.ROM,
    ticks: int = option("Ticks that a game lasts at most.", default=4_000, min=1),
    seeds: str = option(SEEDS_HELP, "A..B", default="0..599"),
    teach: str = option(
        "Seeds of the games that fill the memory first.", "A..B", default="3000..3011"
    ),
    until: str | None = option(
        "Play each game to this milestone. Default: the last one of the story.", "ID"
    ),
    each_use: bool = option(
        "Play the games also with each use of memory switched off in turn.", default=True
    ),
    processes: int | None = option("Games to play at a time. Default: one per core.", min=1),
    keep_memory: Path | None = option("Save the memory that --teach filled to this file.", "PATH"),
    taught: Path | None = option(
        "Start from this file of --keep-memory instead of playing --teach.", "PATH"
    ),
    write: Path | None = WRITE,
    as_json: bool = flags.AS_JSON,
) -> None:
    """Compare the same games with and without memory of other games."""
    from agent.cli import measurements

    cartridge = _cartridge(rom, write)
    wanted = measurements.ExperienceOptions(
        teach, seeds, until, ticks, processes, each_use, taught, keep_memory
    )
    findings = measurements.experience(cartridge, wanted)
    what = "What memory and each use of it change in the same games"
    _publish(findings, what, cartridge, write, as_json=as_json)


@bench.command()
def exam(
    rom: Path | None = flags.ROM,
    seeds: str = option(SEEDS_HELP, "A..B", default="600..605"),
    write: Path | None = WRITE,
    as_json: bool = flags.AS_JSON,
) -> None:
    """Compare what memory answers about games with their recordings."""
    from agent.cli import measurements

    cartridge = _cartridge(rom, write)
    findings = measurements.exam(cartridge, seeds)
    what = "What memory knows of games, against their recordings"
    _publish(findings, what, cartridge, write, as_json=as_json)


@bench.command()
def memory(
    rom: Path | None = flags.ROM,
    write: Path | None = WRITE,
    quick: bool = SMALLER,
    as_json: bool = flags.AS_JSON,
) -> None:
    """Measure time and size of a full memory against their limits."""
    from agent.lab.bench.memory import QUICK_MEMORY, MemoryEffort, measure_memory

    cartridge = _cartridge(rom, write)
    with _progress_lines() as report:
        findings = measure_memory(cartridge, report, QUICK_MEMORY if quick else MemoryEffort())
    what = "What memory costs at full capacity, against its limits"
    _publish(findings, what, cartridge, write, as_json=as_json)


@bench.command()
def model(
    rom: Path | None = flags.ROM,
    write: Path | None = WRITE,
    quick: bool = SMALLER,
    as_json: bool = flags.AS_JSON,
) -> None:
    """Measure time and tokens that questions to a model take."""
    from agent.lab.bench.model import QUICK_MODEL, ModelEffort, measure_model

    cartridge = _cartridge(rom, write)
    with _progress_lines() as report:
        findings = measure_model(cartridge, report, QUICK_MODEL if quick else ModelEffort())
    what = "What asking a model costs beside the service, in time and tokens"
    _publish(findings, what, cartridge, write, as_json=as_json)


@bench.command()
def moments(
    rom: Path | None = flags.ROM,
    write: Path | None = WRITE,
    quick: bool = SMALLER,
    as_json: bool = flags.AS_JSON,
) -> None:
    """Measure time and size of checkpoints, and of resuming."""
    from agent.lab.bench.checkpoints import GAMES, QUICK, RESUMES, measure_checkpoints

    cartridge = _cartridge(rom, write)
    with _progress_lines() as report:
        games, resumes = (QUICK, QUICK) if quick else (GAMES, RESUMES)
        findings = measure_checkpoints(cartridge, report, games, resumes)
    what = "What a checkpoint costs, and resuming from one"
    _publish(findings, what, cartridge, write, as_json=as_json)


@bench.command("all")
def all_results(quick: bool = SMALLER) -> None:
    """Repeat each published measurement older than the code. Exits 1 when one fails."""
    from agent.lab.measure import measure_all

    raise typer.Exit(0 if measure_all(Output(stderr=True).say, quick=quick) else 1)


def _cartridge(rom: Path | None, write: Path | None) -> Cartridge:
    """Return the cartridge to measure on, once `write` is known to be a possible result file."""
    require_result_path(write)
    return load_cartridge(rom or demo_cartridge_path())


@contextmanager
def _progress_lines() -> Iterator[Report]:
    """Yield a function that prints a line of progress, or raises KeyboardInterrupt after Ctrl-C.

    The interrupt waits for such a line, because inside PyBoy it would be lost.
    """
    err = Output(stderr=True)
    with interrupts() as interrupt:

        def report(line: str) -> None:
            if interrupt.asked:
                raise KeyboardInterrupt
            err.say(line)

        yield report


def _publish(
    findings: Findings, what: str, cartridge: Cartridge, write: Path | None, *, as_json: bool
) -> None:
    """Write the findings to `write`, where one is given, and print them."""
    from agent.cli import measurements

    if write is not None:
        origin = Origin(command_line(), what, cartridge)
        picture = findings.draw() if findings.draw is not None else None
        write_result(write, findings.rows, findings.figures, origin, picture)
    measurements.show(findings, json=as_json)
