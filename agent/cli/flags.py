"""Flags that several commands have."""

import re
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.app import Decider
from agent.errors import UsageError
from agent.experience import MemoryUse

SEEDS: Final = re.compile(r"(\d+)(?:\.\.(\d+))?")

Rom = Annotated[
    Path | None,
    typer.Option(
        help="Your own cartridge image of Pokemon Red (US). Without it, the demo is played.",
        show_default=False,
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        help="Stop at this milestone. Default: the last one of the cartridge's story.",
        show_default=False,
    ),
]
Ticks = Annotated[
    int | None,
    typer.Option(help="Stop after this many ticks of the run.", show_default=False),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Which of 4,001 different games to play. Default: 0.", show_default=False),
]
MemoryPath = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="What outlives runs, made where it is missing. Default: memory.sqlite.",
        show_default=False,
    ),
]
Mind = Annotated[
    Decider | None,
    typer.Option(
        help="Who decides: rules, which need no key and no network, or rules with claude where they run out. Default: rules.",
        show_default=False,
    ),
]
Without = Annotated[
    list[MemoryUse] | None,
    typer.Option(
        metavar="USE",
        help=f"Make no use of memory for one of: {', '.join(use.value for use in MemoryUse)}; may be given several times.",
        show_default=False,
    ),
]
MaxUsd = Annotated[
    float | None,
    typer.Option(
        metavar="USD",
        help="The most that asking may cost in this run. Default: what the terms say, 2.",
        show_default=False,
    ),
]
AskEvery = Annotated[
    int | None,
    typer.Option(
        metavar="TICKS", help="Ask a model every so often without need.", show_default=False
    ),
]
TermsPath = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="A file with models, ceilings and steps down to them, like agent/advisor/money/terms.toml.",
        show_default=False,
    ),
]
PricesPath = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="A file with prices of models. Default: prices.toml beside the memory, where there is one.",
        show_default=False,
    ),
]
TapesPath = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where each turn of a model is recorded. Default: .tapes.",
        show_default=False,
    ),
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
