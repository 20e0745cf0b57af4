"""`python -m agent memory`: what is remembered, for people."""

import typer

from agent.cli.memory.merge import merge

memory = typer.Typer(
    help="Look into what outlives runs, or into a run, and look after it.", no_args_is_help=True
)


@memory.callback()
def group() -> None:
    """Look into what outlives runs, or into a run, and look after it."""


memory.command("merge")(merge)
