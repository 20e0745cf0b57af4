"""`memory`: commands that show, search and maintain a memory file."""

import typer

from agent.cli.memory.explain import explain
from agent.cli.memory.export import export
from agent.cli.memory.maintenance import check, forget, merge
from agent.cli.memory.map import map_memory
from agent.cli.memory.show import search, show

memory = typer.Typer(help="Show, search and maintain the memory of runs.", no_args_is_help=True)
memory.command()(show)
memory.command("map")(map_memory)
memory.command()(search)
memory.command()(explain)
memory.command()(forget)
memory.command()(export)
memory.command()(check)
memory.command()(merge)
