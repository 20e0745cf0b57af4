"""Options that several commands share, and their parsing."""

import re
from pathlib import Path
from typing import Any, Final

import typer

from agent import HOME
from agent.errors import UsageError
from agent.experience.memory_use import MemoryUse

SEEDS: Final = re.compile(r"(\d+)(?:\.\.(\d+))?")


def option(text: str, metavar: str = "", *names: str, default: object = None, **more: Any) -> Any:  # noqa: ANN401  # as typer.Option
    """Return an option with its help; `names` replace the name of its parameter."""
    return typer.Option(default, *names, metavar=metavar or None, help=text, **more)


def switch(name: str, text: str, **more: Any) -> Any:  # noqa: ANN401
    """Return an on/off option."""
    return typer.Option(False, name, help=text, **more)


def argument(text: str, metavar: str | None = None, *, default: object = ..., **more: Any) -> Any:  # noqa: ANN401
    """Return an argument with its help, required unless it has a default."""
    return typer.Argument(default, metavar=metavar, help=text, **more)


LAST: Final = Path("last")
MOST_SEED: Final = 4_000  # a higher seed would repeat the game of a lower one


def run_named(path: Path | None) -> Path | None:
    """Return the run that was played last for the name `last`, and any other path unchanged."""
    if path != LAST or LAST.exists():
        return path
    from agent.tools.run_list import newest_run

    return newest_run(HOME / "runs")


def runs_named(paths: list[Path]) -> list[Path]:
    """Return the paths of runs, one of which may be `last`."""
    return [run_named(each) or each for each in paths]


ROM: Final = option("Your own cartridge image of Pokemon Red (US). Default: the demo cartridge.")
UNTIL: Final = option("Stop at this milestone. Default: the last one of the story.", "ID")
TICKS: Final = option("Stop at this tick of the run. A tick is one decision.", min=1)
SEED: Final = option("Seed of the game, one of 4,001. Default: 0.", min=0, max=MOST_SEED)
MEMORY: Final = option(
    "The memory file kept between runs, created if missing. Default: memory.sqlite.", "PATH"
)
MIND: Final = option(
    "What decides: rules (no key, no network), or claude (rules, and a model for what they cannot decide). Default: rules."
)
WITHOUT: Final = option(
    f"Ignore memory for one of: {', '.join(use.value for use in MemoryUse)}. May be given several times.",
    "USE",
)
MAX_USD: Final = option(
    "The most that a model may cost in this run. Default: as in the terms, 2.", "USD"
)
ASK_EVERY: Final = option("Also ask a model after this many ticks without a question.", "TICKS")
TERMS: Final = option(
    "A file with models, thinking, prompt, prices and spending limits, like agent/advisor/money/terms.toml.",
    "PATH",
)
PRICES: Final = option(
    "A file with prices of models. Default: prices.toml beside the memory, if it exists.", "PATH"
)
MODEL: Final = option("The model to ask, for all purposes. Default: those of the terms.", "NAME")
TAPES: Final = option("The folder for recordings of all model turns. Default: .tapes.", "DIR")
TIMEOUT: Final = option("The longest wait for one answer of a model. Default: 60.", "SECONDS")
DISTIL: Final = switch(
    "--distil", "Let a small model summarise the conversation, and not only rules."
)

AS_JSON: Final = switch("--json", "Print the result as one JSON object on the last line.")


def seeds_of(text: str) -> list[int]:
    """Return the seeds in `A..B` or of one number; raises UsageError for any other text."""
    match = SEEDS.fullmatch(text)
    if match is None or int(match[2] or match[1]) < int(match[1]):
        message = f"--seeds {text} is no range; give A..B with A <= B, as in 100..149, or one seed"
        raise UsageError(message)
    return list(range(int(match[1]), int(match[2] or match[1]) + 1))


def require_result_path(path: Path | None) -> None:
    """Raise UsageError unless a result can be written to `path`."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        message = f"--write {path} names no file in an existing folder; name one"
        raise UsageError(message)
    if path is not None and path.suffix != ".json":
        message = f"--write {path} must end in .json; the picture is written beside it"
        raise UsageError(message)
