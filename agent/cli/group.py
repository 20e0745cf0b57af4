"""Commands whose modules are imported when they are used: their examples, and the one line that each wrong use gets."""

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

import typer
from typer._click import Command, Context
from typer._click.exceptions import BadOptionUsage, BadParameter, MissingParameter, NoSuchOption
from typer._click.exceptions import UsageError as WrongUse
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from agent.cli.output import INTERRUPTED, fail
from agent.errors import UsageError, did_you_mean
from agent.shell import command as printed_command

COMMANDS: Final = tomllib.loads(
    Path(__file__).with_name("commands.toml").read_text(encoding="utf-8")
)
MOST: Final = 10**12  # of a number given on the command line; far above any that makes sense


def examples(path: str) -> list[str]:
    """Return the examples of a command, as words of a command line."""
    return [f"{path} {each}".strip() for each in COMMANDS[path]["examples"]]


def epilog(path: str) -> str:
    """Return the examples of a command as the end of its help, one a line."""
    lines = [f"  {printed_command()} {each}" for each in examples(path)]
    return "\n".join(["\b", "Examples:", *lines])


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
    """A group that lists its commands by the first line of their help, and imports one when it is used."""

    def __init__(self, **more: Any) -> None:  # noqa: ANN401  # as click
        super().__init__(**more)
        self.places = {name: each["place"] for name, each in COMMANDS.items() if "place" in each}
        for name in self.places:
            self.commands[name] = TyperCommand(name, help=COMMANDS[name]["help"])

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """Return the name, the command and the arguments of a command line; imports the command."""
        if args[0] in self.places:
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
        found: Any = resolve_name(f"{__package__}.{self.places[name]}")
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


EXTRA: Final = re.compile(r"Got unexpected extra argument\S* \((.+)\)")
# What pydantic says of a value, by the kind of its error.
REFUSED: Final = {
    "int_parsing": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_parsing": "is not a number",
    "greater_than_equal": "is below {ge}",
    "less_than_equal": "is above {le}",
}


def usage_line(error: typer.TyperException) -> str:
    """Return what is wrong with a command line and what can be done, in one line."""
    match error:
        case NoSuchOption():
            return f"there is no option {error.option_name}{_nearest_option(error) or _see(error)}"
        case MissingParameter(param=TyperOption() | TyperArgument() as param):
            return f"{_name(param)} is missing: {param.help}"
        case BadParameter(param=TyperOption() | TyperArgument() as param):
            return _refused(param, error)
        case BadOptionUsage():
            takes = "takes no value" if "not take" in error.message else "needs a value"
            return f"{error.option_name} {takes}"
        case WrongUse() if extra := EXTRA.fullmatch(error.format_message()):
            command = f"`{error.ctx.command_path}`" if error.ctx else "the command"
            return f"{command} takes no argument {extra[1]}{_see(error)}"
        case WrongUse():
            words = error.format_message().rstrip(".")
            return words[:1].lower() + words[1:] + _see(error)
        case _:
            return str(error)


def _refused(param: TyperOption | TyperArgument, error: BadParameter) -> str:
    """Return why the value of a parameter is refused."""
    cause: Any = error.__cause__
    if cause is None:
        return f"{_name(param)}: {error.message}"
    first = cause.errors()[0]
    given = f"{_name(param)} {first['input']}"
    if choices := param.type_descriptor.choices:
        names = [str(each.value) for each in choices]
        hint = did_you_mean(str(first["input"]), names)
        return f"{given} is none of {', '.join(names)}{hint}"
    words = REFUSED.get(first["type"], "cannot be used: {msg}")
    return f"{given} {words.format_map({**first.get('ctx', {}), 'msg': first['msg']})}"


def _name(param: TyperOption | TyperArgument) -> str:
    return param.opts[0] if isinstance(param, TyperOption) else param.metavar or param.name


def _nearest_option(error: NoSuchOption) -> str:
    """Return the end of the message that names the nearest option of the command, or ''."""
    params = error.cmd.params if error.cmd else ()
    options = [each for each in params if isinstance(each, TyperOption) and not each.hidden]
    names = [name.lstrip("-") for each in options for name in each.opts]
    hint = did_you_mean(error.option_name.lstrip("-"), names)
    return hint.replace("mean ", "mean --")


def _see(error: WrongUse) -> str:
    return f"; `{error.ctx.command_path} --help` shows what there is" if error.ctx else ""
