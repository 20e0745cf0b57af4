"""One line for each wrong use of the command line: what was given, and what can be given instead."""

import re
from typing import Any, Final

from typer import TyperException
from typer._click.exceptions import (
    BadOptionUsage,
    BadParameter,
    MissingParameter,
    NoSuchOption,
    UsageError,
)
from typer.core import TyperArgument, TyperOption

from agent.errors import did_you_mean

EXTRA: Final = re.compile(r"Got unexpected extra argument\S* \((.+)\)")
# What pydantic says of a value, by the kind of its error.
REFUSED: Final = {
    "int_parsing": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_parsing": "is not a number",
    "greater_than_equal": "is below {ge}",
    "less_than_equal": "is above {le}",
}


def usage_line(error: TyperException) -> str:
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
        case UsageError() if extra := EXTRA.fullmatch(error.format_message()):
            command = f"`{error.ctx.command_path}`" if error.ctx else "the command"
            return f"{command} takes no argument {extra[1]}{_see(error)}"
        case UsageError():
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


def _see(error: UsageError) -> str:
    return f"; `{error.ctx.command_path} --help` shows what there is" if error.ctx else ""
