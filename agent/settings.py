"""The settings of play, each written once: its type, its flag, and the help of the flag.

The command line makes the flags of its commands of them; a night and an evaluation make the words of a command of play.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from math import inf
from pathlib import Path
from typing import Any, Final

from agent.advisor.port import Decider
from agent.errors import UsageError
from agent.experience.memory_use import MemoryUse

NO_MEMORY: Final = Path("none")  # play with an empty memory that is not kept
MOST_SEED: Final = 4_000  # a higher seed would repeat the game of a lower one
SLOWEST: Final = 0.01  # of the speed of the Game Boy: a slower game would stand still


def flag(usage: str, text: str, *, default: object = None, **more: Any) -> Any:  # noqa: ANN401  # as dataclasses.field
    """Return a field with its flag: `usage` is its name and its value, `text` its help, and `more` goes to typer."""
    name, _, metavar = usage.partition(" ")
    about = {"flag": name, "metavar": metavar or None, "help": text, **more}
    return field(default=default, metadata=about)


def _require_non_negative(flags: Mapping[str, float | None]) -> None:
    for flag, number in flags.items():
        if number is not None and not number < inf:
            raise UsageError(f"{flag} {number} is not an amount; give 0 or more")
        if number is not None and number < 0:
            raise UsageError(f"{flag} {number} is negative; give 0 or more")


@dataclass(frozen=True, slots=True)
class AskSettings:
    """The settings of `play` about a model; None means the default."""

    usd: float | None = flag(
        "--max-usd USD", "The most that a model may cost in this run. Default: as in the terms, 2."
    )
    every: int | None = flag(
        "--ask-every TICKS", "Also ask a model after this many ticks without a question."
    )
    terms: Path | None = flag(
        "--terms PATH",
        "A file with models, thinking, prompt, prices and spending limits, like agent/advisor/money/terms.toml.",
    )
    prices: Path | None = flag(
        "--prices PATH",
        "A file with prices of models. Default: prices.toml beside the memory, if it exists.",
    )
    tapes: Path | None = flag(
        "--tapes DIR", "The folder for recordings of all model turns. Default: .tapes."
    )
    timeout_s: float | None = flag(
        "--timeout SECONDS", "The longest wait for one answer of a model. Default: 60."
    )
    distils: bool = flag(
        "--distil",
        "Let a small model summarise the conversation, and not only rules.",
        default=False,
    )
    model: str | None = flag(
        "--model NAME", "The model to ask, for all purposes. Default: those of the terms."
    )

    def __post_init__(self) -> None:
        _require_non_negative({"--ask-every": self.every, "--max-usd": self.usd})
        if self.timeout_s is not None and not 0 < self.timeout_s < inf:
            raise UsageError(f"--timeout {self.timeout_s} is no usable time; give seconds above 0")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of `play`, checked against each other."""

    rom: Path | None = flag(
        "--rom", "Your own cartridge image of Pokemon Red (US). Default: the demo cartridge."
    )
    until: str | None = flag(
        "--until ID", "Stop at this milestone. Default: the last one of the story."
    )
    ticks: int | None = flag(
        "--ticks", "Stop at this tick of the run. A tick is one decision.", min=1
    )
    seed: int | None = flag(
        "--seed", "Seed of the game, one of 4,001. Default: 0.", min=0, max=MOST_SEED
    )
    run: Path | None = flag("--run DIR", "The new folder of this run. Default: one in runs/.")
    resume: Path | None = flag(
        "--resume DIR",
        "Continue the run in this folder, or the `last` one, from its last checkpoint.",
    )
    at: int | None = flag(
        "--at TICK",
        "With --resume: go back to the newest checkpoint up to this tick. The later ticks stay in the file as a dead branch, and the run is no longer clean.",
    )
    recovers: bool = flag(
        "--recover",
        "With --at: the supervisor goes back, not the player.",
        default=False,
        hidden=True,
    )
    memory: Path | None = flag(
        "--memory PATH",
        "The memory file kept between runs, created if missing. Default: memory.sqlite.",
    )
    mind: Decider | None = flag(
        "--mind",
        "What decides: rules (no key, no network), or claude (rules, and a model for what they cannot decide). Default: rules.",
    )  # None: as in the resumed run, rules in a new one
    without: tuple[MemoryUse, ...] = flag(
        "--without USE",
        f"Ignore memory for one of: {', '.join(use.value for use in MemoryUse)}. May be given several times.",
        default=(),
    )
    asking: AskSettings = AskSettings()
    pace: float | None = flag(
        "--pace FACTOR",
        "Play at this many times the speed of the Game Boy, as --pace 1. Default, and --pace 0: as fast as possible.",
    )
    wants: tuple[str, ...] = ()  # story facts to reach before the next milestones

    def __post_init__(self) -> None:
        _require_non_negative({"--ticks": self.ticks, "--seed": self.seed, "--at": self.at})
        if self.pace and not SLOWEST <= self.pace < inf:
            message = f"--pace {self.pace} is not a speed; give 1 for that of the Game Boy, a factor of {SLOWEST} or more, or 0 for as fast as possible"
            raise UsageError(message)
        if self.run is not None and self.resume is not None:
            raise UsageError("--run starts a new run and --resume continues one; give only one")
        if self.at is not None and self.resume is None:
            raise UsageError("--at needs the run to continue; name it with --resume")
        if self.seed is not None and self.resume is not None:
            raise UsageError("a resumed run keeps its seed; leave out --seed, or start a new run")
        if self.without and self.resume is not None:
            raise UsageError(
                "a resumed run keeps its uses of memory; leave out --without, or start a new run"
            )


def given_flags(settings: Settings | AskSettings) -> Iterator[tuple[str, str]]:
    """Yield the flag and the value of each setting that was given; the value of a switch is ''."""
    for each in fields(settings):
        value = getattr(settings, each.name)
        if isinstance(value, AskSettings):
            yield from given_flags(value)
        elif each.metadata and value is not None and value is not False:
            for one in value if isinstance(value, tuple) else (value,):
                text = "" if one is True else str(one.value if isinstance(one, Enum) else one)
                yield each.metadata["flag"], text


def words_of(settings: Settings | AskSettings) -> tuple[str, ...]:
    """Return the settings that were given as words of a command line."""
    return tuple([word for flag in given_flags(settings) for word in flag if word])
