"""Flags that several commands have."""

import re
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from agent.app import Decider
from agent.errors import UsageError
from agent.experience import MemoryUse

SEEDS: Final = re.compile(r"(\d+)(?:\.\.(\d+))?")


def option(text: str, metavar: str = "", *names: str) -> Any:  # noqa: ANN401  # as typer.Option
    """Return an option whose help says what holds without it; `names` where it is not called as its parameter."""
    return typer.Option(*names, metavar=metavar or None, help=text, show_default=False)


Rom = Annotated[
    Path | None,
    option("Your own cartridge image of Pokemon Red (US). Without it, the demo is played."),
]
Until = Annotated[
    str | None,
    option("Stop at this milestone. Default: the last one of the cartridge's story.", "ID"),
]
Ticks = Annotated[
    int | None,
    option("Stop after this many ticks of the run."),
]
Seed = Annotated[
    int | None,
    option("Which of 4,001 different games to play. Default: 0."),
]
MemoryPath = Annotated[
    Path | None,
    option("What outlives runs, made where it is missing. Default: memory.sqlite.", "PATH"),
]
Mind = Annotated[
    Decider | None,
    option(
        "Who decides: rules, which need no key and no network, or rules with claude where they run out. Default: rules."
    ),
]
Without = Annotated[
    list[MemoryUse] | None,
    option(
        f"Make no use of memory for one of: {', '.join(use.value for use in MemoryUse)}; may be given several times.",
        "USE",
    ),
]
MaxUsd = Annotated[
    float | None,
    option("The most that asking may cost in this run. Default: what the terms say, 2.", "USD"),
]
AskEvery = Annotated[
    int | None,
    option("Ask a model every so often without need.", "TICKS"),
]
TermsPath = Annotated[
    Path | None,
    option(
        "A file with models, ceilings and steps down to them, like agent/advisor/money/terms.toml.",
        "PATH",
    ),
]
PricesPath = Annotated[
    Path | None,
    option(
        "A file with prices of models. Default: prices.toml beside the memory, where there is one.",
        "PATH",
    ),
]
TapesPath = Annotated[
    Path | None,
    option("Where each turn of a model is recorded. Default: .tapes.", "DIR"),
]
Timeout = Annotated[float, typer.Option(metavar="SECONDS", help="How long an answer may take.")]
Distil = Annotated[
    bool,
    typer.Option(
        "--distil", help="Let a small model observe the conversation too, and not rules alone."
    ),
]


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
