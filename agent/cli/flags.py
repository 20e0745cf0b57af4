"""Flags that several commands have."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any, Final

import typer

from agent.errors import UsageError
from agent.experience.uses import MemoryUse

SEEDS: Final = re.compile(r"(\d+)(?:\.\.(\d+))?")


def option(text: str, metavar: str = "", *names: str, default: object = None, **more: Any) -> Any:  # noqa: ANN401  # as typer.Option
    """Return an option with its help; `names` where it is not called as its parameter."""
    return typer.Option(default, *names, metavar=metavar or None, help=text, **more)


def switch(name: str, text: str, **more: Any) -> Any:  # noqa: ANN401
    """Return an option that is given or not."""
    return typer.Option(False, name, help=text, **more)


def argument(text: str, metavar: str | None = None, *, default: object = ...) -> Any:  # noqa: ANN401
    """Return an argument with its help, needed where there is no default."""
    return typer.Argument(default, metavar=metavar, help=text)


ROM: Final = option("Your own cartridge image of Pokemon Red (US). Without it, the demo is played.")
UNTIL: Final = option(
    "Stop at this milestone. Default: the last one of the cartridge's story.", "ID"
)
TICKS: Final = option("Stop after this many ticks of the run.")
SEED: Final = option("Which of 4,001 different games to play. Default: 0.")
MEMORY: Final = option(
    "What outlives runs, made where it is missing. Default: memory.sqlite.", "PATH"
)
MIND: Final = option(
    "Who decides: rules, which need no key and no network, or rules with claude where they run out. Default: rules."
)
WITHOUT: Final = option(
    f"Make no use of memory for one of: {', '.join(use.value for use in MemoryUse)}; may be given several times.",
    "USE",
)
MAX_USD: Final = option(
    "The most that asking may cost in this run. Default: what the terms say, 2.", "USD"
)
ASK_EVERY: Final = option("Ask a model every so often without need.", "TICKS")
TERMS: Final = option(
    "A file with models, ceilings and steps down to them, like agent/advisor/money/terms.toml.",
    "PATH",
)
PRICES: Final = option(
    "A file with prices of models. Default: prices.toml beside the memory, where there is one.",
    "PATH",
)
TAPES: Final = option("Where each turn of a model is recorded. Default: .tapes.", "DIR")
TIMEOUT: Final = option("How long an answer may take.", "SECONDS", default=60.0)
DISTIL: Final = switch(
    "--distil", "Let a small model observe the conversation too, and not rules alone."
)

AS_JSON: Final = switch("--json", "Print it as one JSON object on the last line.")


def seeds_of(words: str) -> list[int]:
    """Return the seeds that `A..B` or one number names; raises UsageError where it names none."""
    match = SEEDS.fullmatch(words)
    if match is None or int(match[2] or match[1]) < int(match[1]):
        message = (
            f"--seeds {words} is no range; give A..B with A up to B, as in 100..149, or one seed"
        )
        raise UsageError(message)
    return list(range(int(match[1]), int(match[2] or match[1]) + 1))


def require_result_path(path: Path | None) -> None:
    """Refuse where no result could be written."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        message = f"--write {path} names no file in a folder that exists; name one"
        raise UsageError(message)
    if path is not None and path.suffix != ".json":
        message = f"--write {path} must end in .json: results are data, with a picture beside them"
        raise UsageError(message)


def command_line() -> str:
    """Return the command that is being carried out, as one would type it in the checkout."""
    return shlex.join(["python", "-m", "agent", *sys.argv[1:]])
