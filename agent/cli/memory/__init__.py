"""`python -m agent memory`: what is remembered, for people."""

import typer

memory = typer.Typer(
    help="Look into what outlives runs, or into a run, and look after it.", no_args_is_help=True
)
