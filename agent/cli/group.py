"""A group of commands whose modules are imported when a command is used, and not before."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import Any, Final, NamedTuple

import typer
from typer._click import Command, Context
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from agent.cli.examples import epilog
from agent.cli.output import INTERRUPTED, fail
from agent.errors import UsageError, did_you_mean
from agent.shell import command as printed_command

MOST: Final = 10**12  # of a number given on the command line; far above any that makes sense


class LazyCommand(NamedTuple):
    """A command or a group: its module, its name there, and the first line of its help."""

    module: str
    name: str
    help: str


@contextmanager
def _reported_interrupt() -> Iterator[None]:
    """End the process with one line at a Ctrl-C that no command turned into a clean end."""
    try:
        yield
    except KeyboardInterrupt:
        fail("stopped at once by Ctrl-C; a run that had begun goes on with --resume", INTERRUPTED)


class PrintedContext(Context):
    """A context in whose help and errors the program is called as a shell takes it."""

    @property
    def command_path(self) -> str:
        """Return the program with the commands up to this one."""
        return super().command_path if self.parent is not None else printed_command()


class Group(TyperGroup):
    """A group that names the nearest command for an unknown one."""

    context_class = PrintedContext

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """Return the name, the command and the arguments of a command line."""
        name = args[0]
        if name not in self.commands and not ctx.resilient_parsing:
            hint = did_you_mean(name, self.commands)
            raise UsageError(
                f"there is no command {name}" + (hint or f"; `{ctx.command_path} --help` lists all")
            )
        return super().resolve_command(ctx, args)


class LazyGroup(Group):
    """A group that lists its commands without importing them."""

    table: Mapping[str, LazyCommand]

    def offer(self, table: Mapping[str, LazyCommand]) -> None:
        """Take these commands, which are listed by their first line of help until they are used."""
        self.table = table
        self.commands.update({name: TyperCommand(name, help=at.help) for name, at in table.items()})

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """Return the name, the command and the arguments of a command line; imports the command."""
        if args[0] in self.table:
            self.commands[args[0]] = self.load(args[0])
        return super().resolve_command(ctx, args)

    def make_context(self, *words: Any, **more: Any) -> Context:  # noqa: ANN401  # as click
        """Return the context of a command line; parsing it loads packages."""
        with _reported_interrupt():
            return super().make_context(*words, **more)

    def invoke(self, ctx: Context) -> Any:  # noqa: ANN401  # as click
        """Run the command of a command line."""
        with _reported_interrupt():
            return super().invoke(ctx)

    def load(self, name: str) -> Command:
        """Return the command of this name, imported."""
        at = self.table[name]
        found: Any = getattr(import_module(at.module), at.name)
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name, cls=Group)
        else:
            app.command(name)(found)
        loaded = get_command(app)
        command = loaded.commands[name] if isinstance(loaded, TyperGroup) else loaded
        for path, part in _parts(name, command):
            part.epilog = epilog(path)
            part.callback = _with_usable_numbers(part)
        return command


def _parts(name: str, command: Command) -> Iterator[tuple[str, Command]]:
    """Yield a command with its path, and those of a group."""
    yield name, command
    for each, part in command.commands.items() if isinstance(command, TyperGroup) else ():
        yield f"{name} {each}", part


def _with_usable_numbers(command: Command) -> Any:  # noqa: ANN401  # a callback takes what its options give
    """Return the callback of a command behind a check: infinity, no number, and huge numbers are refused."""
    callback = command.callback
    if callback is None:
        return None
    names = {each.name: each.opts[0] for each in command.params}

    @wraps(callback)
    def run(**given: Any) -> Any:  # noqa: ANN401
        for name, value in given.items():
            if isinstance(value, int | float) and not abs(value) <= MOST:
                shown = f"{value:.6g}" if isinstance(value, float) else "that large a number"
                message = f"{names[name]} {shown} cannot be used; give a number up to {MOST:,}"
                raise UsageError(message)
        return callback(**given)

    return run
