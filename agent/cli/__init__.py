"""The command line: parses arguments, calls the packages below, prints results and sets exit codes."""

import threading
from pathlib import Path
from typing import Final

import typer

from agent.app import HOME, interrupts
from agent.cli.bench import bench
from agent.cli.doctor import doctor, plan
from agent.cli.eval import evaluate
from agent.cli.flags import option, switch
from agent.cli.memory import memory as memory_commands
from agent.cli.output import Output, fail
from agent.cli.overnight import overnight
from agent.cli.play import play
from agent.cli.runs import replay, report
from agent.cli.scenario import scenario as scenario_commands
from agent.cli.verify import verify_cartridge
from agent.errors import AgentError, UsageError
from agent.fake_claude.server import FakeClaude
from agent.tools.report.words import counted
from emulator import EmulatorError
from memory import MemoryFault
from memory.tapes import command

POLL_S: Final = 0.2  # between two checks for Ctrl-C

cli = typer.Typer(
    help="Play Pokemon Red headless, from power-on. Without --rom, the demo cartridge is played.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

cli.command()(play)
cli.command()(overnight)
cli.command()(replay)
cli.command()(report)
cli.command("eval")(evaluate)
cli.command("verify")(verify_cartridge)
cli.command()(plan)
cli.command()(doctor)
cli.add_typer(bench, name="bench")
cli.add_typer(memory_commands, name="memory")
cli.add_typer(scenario_commands, name="scenario")


@cli.command("fake-claude")
def fake_claude(
    port: int = option(
        "The port on 127.0.0.1; 0 takes any free port.", default=8_765, min=0, max=65_535
    ),
    seed: int = option("Seed of the made-up answers.", default=0),
) -> None:
    """Serve made-up answers of the Messages API on loopback. Needs no model, key or network."""
    out = Output()
    # Handle Ctrl-C before its line is printed, even if the parent process ignores it.
    with FakeClaude(seed=seed, port=port) as server, interrupts() as interrupt:
        out.say("This is no model: every answer is made up and means nothing.")
        out.say("To play with it:")
        address = f"ANTHROPIC_BASE_URL={server.url} ANTHROPIC_API_KEY=any"
        out.say(f"  {address} python -m agent play --mind claude")
        out.say("Ctrl-C ends it.")
        while not interrupt.asked:
            threading.Event().wait(POLL_S)
        out.say(f"{counted(server.counts.calls.total(), 'call')}.")


@cli.command()
def observe(
    db: Path | None = option(command.DB, "PATH"),
    memory_dir: Path | None = option(command.FOLDER, "DIR"),
    dry_run: bool = switch("--dry-run", command.DRY_RUN),
    reset: bool = switch("--reset", command.RESET),
    session: str | None = option(command.SESSION, "HASH"),
) -> None:
    """Summarise recorded model sessions as notes for the next run. Needs no model or network."""
    out = Output()
    lines = command.run(
        db=db, memory_dir=memory_dir, dry_run=dry_run, reset=reset, session=session, also=(HOME,)
    )
    for line in lines:
        out.say(line)


def main() -> None:
    """Run the command line; print expected errors as one line on stderr."""
    try:
        cli()
    except UsageError as error:
        fail(error, 2)
    except MemoryError:
        fail("out of memory; committed data is complete, so go on with --resume", 1)
    except (AgentError, EmulatorError, MemoryFault, OSError) as error:
        fail(error, 1)
