"""The command line: parses arguments, calls the packages below, prints results and sets exit codes.

The module of a command holds its flags; what it works with is imported by its function, so that help is quick.
"""

import os
import platform
import shlex
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Final

import typer
from typer._click.exceptions import NoArgsIsHelpError
from typer.main import get_command

from agent import HOME, VERSION
from agent.cli.flags import switch
from agent.cli.group import LazyGroup, epilog, usage_line
from agent.cli.output import Output, fail
from agent.errors import AgentError, UsageError
from agent.shell import missing_package

PROGRAM: Final = "red-agent"
MOST_WORDS: Final = 200  # characters of the message of an unforeseen error


def _print_version(asked: bool) -> None:
    if asked:
        Output().say(f"{PROGRAM} {VERSION}")
        raise typer.Exit


def _options(
    _version: bool = switch(
        "--version", "Print the version and exit.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Take the options that come before a command."""


def _group() -> LazyGroup:
    app = typer.Typer(
        cls=LazyGroup,
        help="Play Pokemon Red headless, from power-on. Without --rom, the demo cartridge is played.",
        epilog=epilog(""),
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    group = get_command(app)
    assert isinstance(group, LazyGroup)
    return group


cli: Final = _group()


def main() -> None:
    """Run the command line; print expected errors as one line on stderr."""
    try:
        code = cli.main(prog_name=PROGRAM, standalone_mode=False)
    except NoArgsIsHelpError as error:
        error.show()
        sys.exit(2)
    except typer.TyperException as error:
        fail(usage_line(error), 2)
    except UsageError as error:
        fail(error, 2)
    except MemoryError:
        fail("out of memory; committed data is complete, so go on with --resume", 1)
    except ModuleNotFoundError as missing:
        fail(missing_package(missing.name), 2)
    except Exception as error:  # noqa: BLE001  # the last net
        fail(error if isinstance(error, _expected_errors()) else _unexpected(error), 1)
    sys.exit(code)


def _expected_errors() -> tuple[type[Exception], ...]:
    """Return the errors of all packages, imported once one is raised."""
    from emulator import EmulatorError
    from memory import MemoryFault

    return AgentError, EmulatorError, MemoryFault, OSError


def _unexpected(error: Exception) -> str:
    """Write the details of an unforeseen error to a new file, without keys, and return a line that names it."""
    from agent.advisor.secrets import mask_for

    mask = mask_for(os.environ)
    places = traceback.extract_tb(error.__traceback__)
    ours = [each for each in places if Path(each.filename).is_relative_to(HOME)]
    where = [f" in {Path(each.filename).name}:{each.lineno}" for each in (*places, *ours)][-1:]
    words = " ".join(mask(str(error)).split())[:MOST_WORDS]
    line = f"unexpected {type(error).__name__}{''.join(where)} ({words})"
    details = "".join(traceback.format_exception(error))
    command = shlex.join(sys.argv[1:])
    text = (
        f"{PROGRAM} {VERSION}, Python {platform.python_version()}: {command}\n{line}\n\n{details}"
    )
    try:
        handle, name = tempfile.mkstemp(".txt", f"{PROGRAM}-crash-")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(mask(text))
    except OSError:
        return f"{line}; please report it"
    return f"{line}; details in {name}; please report it"
