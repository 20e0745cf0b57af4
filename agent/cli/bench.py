"""`bench`: measure speed, battles, memory, a model, experience, checkpoints, or what memory knows; or all anew."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

import typer

from agent.app import interrupts
from agent.cli import flags
from agent.cli.flags import argument, command_line, option, require_result_path, switch
from agent.cli.output import Output
from agent.lab.publish import Findings, Origin, write_result
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
    ALL = "all"


Say: TypeAlias = Callable[[str], object]
WHAT: Final = {
    Measurement.SPEED: "What play costs beside the emulator, and how well text is read from pixels",
    Measurement.BATTLES: "Battles fought twice: by the agent, and by the strongest move always",
    Measurement.EXPERIENCE: "What memory and each use of it change in the same games",
    Measurement.EXAM: "What memory knows of games, against their recordings",
    Measurement.MEMORY: "What memory costs at full capacity, against its limits",
    Measurement.MODEL: "What asking a model costs beside the service, in time and tokens",
    Measurement.MOMENTS: "What a checkpoint costs, and resuming from one",
}


def bench(
    what: Measurement = argument(
        "What to measure: speed, battles against a simple policy, memory, a model, experience, an exam, or moments to come back to; all: every published result.",
        default=Measurement.SPEED,
    ),
    rom: Path | None = flags.ROM,
    seed: int = option("Which game to play.", default=0, min=0),
    ticks: int = option(
        "How many ticks a round plays, or a game of experience at most; the demo's story takes half of 4000.",
        default=4_000,
        min=1,
    ),
    rounds: int = option("How many rounds to play.", default=5, min=1),
    seeds: str | None = option(
        "Which battles to fight, or games to play for experience. Default: 0..599; for an exam 600..605.",
        "A..B",
    ),
    teach: str = option("Which games teach, for experience.", "A..B", default="3000..3011"),
    until: str | None = option(
        "Play games of experience to this milestone. Default: the last one of the story.", "ID"
    ),
    each_use: bool = option(
        "Switch off each use of memory in turn as well, for experience.", default=True
    ),
    processes: int | None = option("Games of experience at a time. Default: one a core.", min=1),
    keep_memory: Path | None = option("Keep what experience taught in this new file.", "PATH"),
    taught: Path | None = option(
        "Begin experience with such a file instead of playing --teach.", "PATH"
    ),
    write: Path | None = option(
        "Write the figures as a JSON file, with a picture beside it where there is one.", "PATH"
    ),
    quick: bool = switch("--quick", "Measure memory, a model, moments or all with smaller counts."),
    as_json: bool = switch("--json", "Print the figures as one JSON object on the last line."),
) -> None:
    """Measure what play costs, or another of these; all: every published result anew that is older than the code."""
    require_result_path(write)
    if what is Measurement.ALL:
        from agent.lab.measure import measure_all

        raise typer.Exit(0 if measure_all(Output(stderr=True).say, quick=quick) else 1)
    cartridge = load_cartridge(rom or demo_cartridge_path())
    # Each is loaded where it is wanted: play should not wait for what it does not measure.
    from agent.cli import measurements

    match what:
        case Measurement.BATTLES:
            findings = measurements.battles(cartridge, seeds or MANY)
        case Measurement.EXPERIENCE:
            wanted = measurements.ExperienceOptions(
                teach, seeds or MANY, until, ticks, processes, each_use, taught, keep_memory
            )
            findings = measurements.experience(cartridge, wanted)
        case Measurement.EXAM:
            findings = measurements.exam(cartridge, seeds or FEW)
        case _:
            with _saying() as say:
                findings = _costs(what, cartridge, (seed, ticks, rounds), say, quick=quick)
    if write is not None:
        origin = Origin(command_line(), WHAT[what], cartridge)
        picture = findings.draw() if findings.draw is not None else None
        write_result(write, findings.rows, findings.figures, origin, picture)
    measurements.show(findings, json=as_json)


def _costs(
    what: Measurement, cartridge: Cartridge, played: tuple[int, int, int], say: Say, *, quick: bool
) -> Findings:
    """Return what takes time on one core, or room."""
    match what:
        case Measurement.MEMORY:
            from agent.lab.bench.memory import QUICK_MEMORY, MemoryEffort, measure_memory

            return measure_memory(cartridge, say, QUICK_MEMORY if quick else MemoryEffort())
        case Measurement.MODEL:
            from agent.lab.bench.model import QUICK_MODEL, ModelEffort, measure_model

            return measure_model(cartridge, say, QUICK_MODEL if quick else ModelEffort())
        case Measurement.MOMENTS:
            from agent.lab.bench.checkpoints import GAMES, QUICK, RESUMES, measure_checkpoints

            return measure_checkpoints(
                cartridge, say, *((QUICK, QUICK) if quick else (GAMES, RESUMES))
            )
        case _:
            from agent.lab.bench.speed import measure_speed

            return measure_speed(cartridge, *played, say)


@contextmanager
def _saying() -> Iterator[Say]:
    """Lend what says how far a measurement is; Ctrl-C ends it between two parts: inside of PyBoy it would be lost."""
    err = Output(stderr=True)
    with interrupts() as interrupt:

        def say(words: str) -> None:
            if interrupt.asked:
                raise KeyboardInterrupt
            err.say(words)

        yield say
