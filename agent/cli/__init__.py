"""The command line: parses, calls, prints, exits. Knows nothing of how play works."""

from pathlib import Path
from typing import Annotated

import typer

from agent.app import HOME, outlook, outlooks_of_ram
from agent.cli.bench import bench
from agent.cli.doctor import confirmable, examine, show_facts, show_health
from agent.cli.eval import evaluate
from agent.cli.flags import Rom, option
from agent.cli.memory import memory as memory_commands
from agent.cli.model import fake_claude, observe
from agent.cli.output import Output, fail
from agent.cli.overnight import overnight
from agent.cli.plan import show_outlook
from agent.cli.play import play
from agent.cli.runs import replay, report
from agent.cli.scenario import scenario as scenario_commands
from agent.cli.verify import verify_cartridge
from agent.errors import AgentError, UsageError
from emulator import EmulatorError
from memory import MemoryFault

cli = typer.Typer(
    help="Plays Pokemon Red by itself, headless, from power-on. Without a ROM it plays its own demo.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

cli.command()(play)
cli.command()(overnight)
cli.command()(replay)
cli.command()(report)
cli.command()(bench)
cli.command("eval")(evaluate)
cli.command("verify")(verify_cartridge)
cli.command("observe")(observe)
cli.command("fake-claude")(fake_claude)
cli.add_typer(memory_commands, name="memory")
cli.add_typer(scenario_commands, name="scenario")


@cli.command()
def plan(
    rom: Rom = None,
    run: Annotated[
        Path | None,
        option(
            "Look at the last checkpoint of this run. Default: a cartridge just switched on.", "DIR"
        ),
    ] = None,
    from_ram: Annotated[
        Path | None,
        option(
            "Look at RAM images, NAME.wram with NAME.hram, of Pokemon Red or of the --rom.",
            "FOLDER_OR_FILE",
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
def doctor(rom: Rom = None) -> None:
    """Check this machine and the cartridge, and say what to do."""
    out = Output()
    healthy = show_health(examine(rom, HOME / "runs"), out)
    show_facts(confirmable(rom), out)
    if not healthy:
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; every expected error is one line on stderr."""
    try:
        cli()
    except UsageError as error:
        fail(error, 2)
    except MemoryError:
        fail("out of memory; what was kept is whole, and play goes on with --resume", 1)
    except (AgentError, EmulatorError, MemoryFault, OSError) as error:
        fail(error, 1)
