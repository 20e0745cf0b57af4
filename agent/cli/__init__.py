"""The command line: parses, calls, prints, exits. Knows nothing of how play works."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.app import (
    HOME,
    AskSettings,
    Decider,
    Settings,
    interrupts,
    outlook,
    outlooks_of_ram,
    play_run,
    relive_run,
    replay_run,
)
from agent.bench import measure, page
from agent.capabilities import Use
from agent.cli.bench import figures_table
from agent.cli.bench_battles import bench_battles
from agent.cli.bench_exam import bench_exam
from agent.cli.bench_experience import Wanted, bench_experience
from agent.cli.bench_memory import bench_memory
from agent.cli.bench_model import bench_model
from agent.cli.doctor import confirmable, examine, report, show_facts
from agent.cli.eval import evaluate
from agent.cli.explanation import show_outlook
from agent.cli.fake_claude import fake_claude
from agent.cli.memory import memory as memory_commands
from agent.cli.observe import observe
from agent.cli.output import Output, fail
from agent.cli.scenario import run_all, scenario_table
from agent.cli.view import summary_table, view_on
from agent.errors import AgentError, UsageError
from agent.scenario import read_scenarios
from emulator import EmulatorError, demo_cartridge_path, load_cartridge
from memory import MemoryFault

MANY: Final = "0..599"  # seeds of what is counted
FEW: Final = "600..605"  # and of what is asked

cli = typer.Typer(
    help="Plays Pokemon Red by itself, headless, from power-on. Without a ROM it plays its own demo.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Measured(StrEnum):
    """What `bench` measures."""

    SPEED = "speed"
    BATTLES = "battles"
    EXPERIENCE = "experience"
    EXAM = "exam"
    MEMORY = "memory"
    MODEL = "model"


Rom = Annotated[
    Path | None,
    typer.Option(
        help="Your own cartridge image of Pokemon Red (US). Without it, the demo is played.",
        show_default=False,
    ),
]


@cli.command()
def play(
    rom: Rom = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Stop at this milestone. Default: the last one of the cartridge's story.",
            show_default=False,
        ),
    ] = None,
    ticks: Annotated[
        int | None,
        typer.Option(help="Stop after this many ticks of the run.", show_default=False),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Which of 4,001 different games to play. Default: 0.", show_default=False
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder this run writes to. Default: a new one in runs/.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Go on with the run in this folder, from its last checkpoint.",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="What outlives runs, made where it is missing. Default: memory.sqlite.",
            show_default=False,
        ),
    ] = None,
    mind: Annotated[
        Decider | None,
        typer.Option(
            help="Who decides: rules, which need no key and no network, or rules with claude where they run out. Default: rules.",
            show_default=False,
        ),
    ] = None,
    without: Annotated[
        list[Use] | None,
        typer.Option(
            metavar="USE",
            help=f"Make no use of memory for one of: {', '.join(use.value for use in Use)}; may be given several times.",
            show_default=False,
        ),
    ] = None,
    max_usd: Annotated[
        float | None,
        typer.Option(
            metavar="USD",
            help="The most that asking may cost in this run. Default: what the terms say, 2.",
            show_default=False,
        ),
    ] = None,
    ask_every: Annotated[
        int | None,
        typer.Option(
            metavar="TICKS", help="Ask a model every so often without need.", show_default=False
        ),
    ] = None,
    terms: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="A file with models, ceilings and steps down to them, like agent/advisor/money/terms.toml.",
            show_default=False,
        ),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="A file with prices of models. Default: prices.toml beside the memory, where there is one.",
            show_default=False,
        ),
    ] = None,
    tapes: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where each turn of a model is recorded. Default: .tapes.",
            show_default=False,
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long an answer may take.")
    ] = 60.0,
    distil: Annotated[
        bool,
        typer.Option(
            "--distil", help="Let a small model observe the conversation too, and not rules alone."
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the summary as one JSON object on the last line."),
    ] = False,
) -> None:
    """Play a cartridge from power-on and report."""
    out, err = Output(), Output(stderr=True)
    asking = AskSettings(ask_every, max_usd, terms, prices, tapes, timeout, distil)
    settings = Settings(
        rom, until, ticks, seed, run, resume, memory, mind, tuple(without or ()), asking
    )
    with interrupts() as interrupt:
        if rom is None and resume is None:
            err.say("No --rom given: playing the demo cartridge that comes with this.")
        with view_on(err) as view:
            summary = play_run(settings, view, interrupt)
        if as_json:
            out.say(json.dumps(summary.as_json()))
        else:
            out.print(summary_table(summary))
    raise typer.Exit(summary.stop.exit_code)


@cli.command()
def replay(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    rom: Rom = None,
    episode: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Drive the steps up to the end of the Nth time that it got stuck.",
            show_default=False,
        ),
    ] = None,
    decide: Annotated[
        bool,
        typer.Option(
            "--decide",
            help="Decide every step anew, with the advice that was given then, and compare. Asks no model.",
        ),
    ] = False,
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="With --decide: what the run began with, where that was not nothing.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Drive the recorded steps of a run through a fresh console and compare every tick."""
    out, err = Output(), Output(stderr=True)
    if decide:
        relived = relive_run(run, rom, memory)
        err.say(f"{relived.ticks} ticks decided anew, with {relived.advice} answers of then")
        out.say(f"divergence: {relived.divergence or 'none'}")
        raise typer.Exit(1 if relived.divergence else 0)
    replayed = replay_run(run, rom, episode)
    for note in (*replayed.notes, f"{replayed.ticks} ticks driven"):
        err.say(note)
    divergence = replayed.divergence
    if divergence is None:
        out.say("divergence: none")
        return
    out.say(f"divergence: tick {divergence.tick}: {divergence.kind}: {divergence.detail}")
    raise typer.Exit(1)


@cli.command()
def plan(
    rom: Rom = None,
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Look at the last checkpoint of this run. Default: a cartridge just switched on.",
            show_default=False,
        ),
    ] = None,
    from_ram: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER_OR_FILE",
            help="Look at RAM images, NAME.wram with NAME.hram, of Pokemon Red or of the --rom.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Say what the agent would do now and why: facts, goals, and the plan in words."""
    out = Output()
    if from_ram is None:
        show_outlook(outlook(rom, run), out)
        return
    if run is not None:
        message = "--from-ram and --run are two different moments; name one"
        raise UsageError(message)
    for number, each in enumerate(outlooks_of_ram(from_ram, rom)):
        if number:
            out.say("")
        show_outlook(each, out)


@cli.command()
def bench(
    what: Annotated[
        Measured,
        typer.Argument(
            help="What to measure: speed, battles against a simple policy, memory, a model, experience, or an exam."
        ),
    ] = Measured.SPEED,
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
    out, err = Output(), Output(stderr=True)
    if write is not None and (write.is_dir() or not write.parent.is_dir()):
        message = f"--write {write} names no file in a folder that exists; name one"
        raise UsageError(message)
    cartridge = load_cartridge(rom or demo_cartridge_path())
    if what is Measured.BATTLES:
        bench_battles(cartridge, seeds or MANY, write, as_json=as_json)
        return
    if what is Measured.EXPERIENCE:
        wanted = Wanted(
            teach, seeds or MANY, until, ticks, processes, each_use, taught, keep_memory, write
        )
        bench_experience(cartridge, wanted, as_json=as_json)
        return
    if what is Measured.EXAM:
        bench_exam(cartridge, seeds or FEW, write, as_json=as_json)
        return
    with interrupts() as interrupt:

        def say(words: str) -> None:
            if interrupt.asked:
                raise KeyboardInterrupt  # between two parts: inside of PyBoy it would be lost
            err.say(words)

        costs = {Measured.MEMORY: bench_memory, Measured.MODEL: bench_model}
        if what in costs:
            costs[what](cartridge, write, say, as_json=as_json)
            return
        figures = measure(cartridge, seed=seed, ticks=ticks, rounds=rounds, say=say)
    if write is not None:
        write.write_text(page(figures), encoding="utf-8")
    if as_json:
        out.say(json.dumps(figures.as_json()))
    else:
        out.print(figures_table(figures))


cli.command("eval")(evaluate)
cli.command("observe")(observe)
cli.command("fake-claude")(fake_claude)
cli.add_typer(memory_commands, name="memory")


@cli.command()
def scenario(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Scenario files, or folders of them.")
    ],
) -> None:
    """Run scenarios: a moment derived from power-on, what is done there, what must be true then."""
    out, err = Output(), Output(stderr=True)
    reports = []
    for each in run_all(read_scenarios(paths)):
        reports.append(each)
        for problem in each.problems:
            err.say(f"{each.name}: {problem}")
    out.print(scenario_table(reports))
    if not all(each.passed for each in reports):
        raise typer.Exit(1)


@cli.command()
def doctor(rom: Rom = None) -> None:
    """Check this machine and the cartridge, and say what to do."""
    out = Output()
    healthy = report(examine(rom, HOME / "runs"), out)
    show_facts(confirmable(rom), out)
    if not healthy:
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; every expected error is one line on stderr."""
    try:
        cli()
    except UsageError as error:
        fail(error, 2)
    except (AgentError, EmulatorError, MemoryFault, OSError) as error:
        fail(error, 1)
