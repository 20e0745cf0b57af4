"""What `play` was asked for: flags, the settings a run keeps, the terms of a model, and the cartridge that fits."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from enum import Enum
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, get_type_hints

from agent import VERSION
from agent.advisor.money.limits import Terms, load_terms, nanos_of
from agent.advisor.money.prices import Prices, load_prices
from agent.errors import RunError, UsageError
from agent.experience.uses import MemoryUse
from emulator import Cartridge, CartridgeError, demo_cartridge_path, load_cartridge


class Decider(Enum):
    """Who decides."""

    RULES = "rules"
    CLAUDE = "claude"  # rules, and a model where they run out


def _require_no_negative(flags: Mapping[str, float | None]) -> None:
    for flag, number in flags.items():
        if number is not None and number < 0:
            message = f"{flag} {number} is negative; give 0 or more"
            raise UsageError(message)


@dataclass(frozen=True, slots=True)
class AskSettings:
    """The flags of `play` that are about a model; None is what holds where nothing is said.

    `every` are ticks after which it is asked without need, `usd` the most that the run may cost.
    """

    every: int | None = None
    usd: float | None = None
    terms: Path | None = None
    prices: Path | None = None
    tapes: Path | None = None
    timeout_s: float = 60.0
    distils: bool = False

    def __post_init__(self) -> None:
        _require_no_negative({"--ask-every": self.every, "--max-usd": self.usd})
        if not 0 < self.timeout_s < inf:
            message = f"--timeout {self.timeout_s} is no time to wait; give seconds"
            raise UsageError(message)


@dataclass(frozen=True, slots=True)
class Settings:
    """The flags of `play`, checked against each other."""

    rom: Path | None = None
    until: str | None = None
    ticks: int | None = None
    seed: int | None = None
    run: Path | None = None
    resume: Path | None = None
    at: int | None = None  # the tick to go back to, or the newest moment before it
    recovers: bool = False  # whether nobody but the supervisor wants that
    memory: Path | None = None
    mind: Decider | None = None  # None: rules, or whoever decided in the run that is resumed
    without: tuple[MemoryUse, ...] = ()
    wants: tuple[str, ...] = ()  # facts of the story that come before its milestones
    asking: AskSettings = AskSettings()

    def __post_init__(self) -> None:
        _require_no_negative({"--ticks": self.ticks, "--seed": self.seed, "--at": self.at})
        if self.run is not None and self.resume is not None:
            raise UsageError("--run starts a run and --resume goes on with one; give only one")
        if self.at is not None and self.resume is None:
            raise UsageError("--at says where to go on with a run; name the run by --resume")
        if self.seed is not None and self.resume is not None:
            raise UsageError("a run keeps its seed; leave --seed away, or start another with --run")
        if self.without and self.resume is not None:
            raise UsageError(
                "a run keeps to the uses of memory it began with; leave --without away"
            )


@dataclass(frozen=True, slots=True)
class PlayedOn:
    """On which cartridge something was played: its name, and the SHA-1 of its image."""

    cartridge: str
    sha1: str


NEVER: Final = "never"  # no milestone: play goes on after the story's last one
# Where run.toml has each setting. It has no null: what is not asked for, and so is as in OPTIONAL, is left out.
PLACES: Final[Mapping[str, str]] = {
    "run": "run",
    "started": "started",
    "seed": "seed",
    "mind": "mind",
    "ask_every": "advice.ask_every",
    "until": "limits.until",
    "ticks": "limits.ticks",
    "wants": "limits.wants",
    "cartridge": "cartridge.name",
    "sha1": "cartridge.sha1",
    "pyboy": "versions.pyboy",
    "memory_hash": "memory.hash",
    "without": "memory.without",
}
OPTIONAL: Final[Mapping[str, Any]] = {"ticks": None, "ask_every": 0, "without": "", "wants": ""}


@dataclass(frozen=True, slots=True)
class RunSettings(PlayedOn):
    """The settings of a run that never change: what run.toml holds."""

    run: str
    started: datetime
    seed: int = 0
    until: str = NEVER
    ticks: int | None = None
    mind: str = Decider.RULES.value
    pyboy: str = ""
    memory_hash: str = ""
    ask_every: int = 0  # ticks after which a model is asked without need
    without: str = ""  # uses of memory that are switched off, between commas
    wants: str = ""  # facts of the story that come before its milestones, between commas

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        """Return what a run.toml says; raises RunError where it does not say it."""
        found, kinds = {}, get_type_hints(cls)
        for name, place in PLACES.items():
            section, _, key = place.rpartition(".")
            try:
                if name in OPTIONAL:
                    found[name] = table.get(section, {}).get(key, OPTIONAL[name])
                else:
                    found[name] = table[section][key] if section else table[key]
            except (KeyError, TypeError, AttributeError) as error:
                message = f"run.toml lacks {error}; put back the file that play wrote"
                raise RunError(message) from error
            if not isinstance(found[name], kinds[name]):
                message = f"run.toml has {found[name]!r} as {name}; put back the file play wrote"
                raise RunError(message)
        return cls(**found)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The facts of the story that come before its milestones."""
        return tuple(self.wants.split(",")) if self.wants else ()

    @property
    def uses(self) -> frozenset[MemoryUse]:
        """What memory may change of this run."""
        off = self.without.split(",")
        return frozenset(use for use in MemoryUse if use.value not in off)

    def table(self) -> dict[str, Any]:
        """Return it as run.toml spells it."""
        told: dict[str, Any] = {}
        for name, place in PLACES.items():
            section, _, key = place.rpartition(".")
            value = getattr(self, name)
            if name not in OPTIONAL or value != OPTIONAL[name]:
                (told.setdefault(section, {}) if section else told)[key] = value
        python = platform.python_version()
        told["versions"] = {"agent": VERSION, **told["versions"], "python": python}
        return told


class ModelTerms(NamedTuple):
    """On what terms Claude is asked, and where what is said is recorded; `distils` lets him observe and reflect too."""

    terms: Terms
    prices: Prices
    tapes: Path
    timeout_s: float = 60.0
    distils: bool = False


def model_terms(asked: AskSettings, home: Path) -> ModelTerms:
    """Return the terms that were asked for; `home` is the folder of the memory, where prices and tapes are by default.

    Raises UsageError when a file cannot be used, or a model has no price.
    """
    terms, own = load_terms(asked.terms), home / "prices.toml"
    prices = load_prices(asked.prices or (own if own.is_file() else None))
    for model in (terms.usual, terms.small):
        prices.require(model)
    if asked.usd is not None:
        run = replace(terms.ceilings.run, nanos=nanos_of(Decimal(str(asked.usd))))
        terms = replace(terms, ceilings=replace(terms.ceilings, run=run))
    tapes = asked.tapes or home / ".tapes"
    return ModelTerms(terms, prices, tapes, asked.timeout_s, asked.distils)


def cartridge_for(rom: Path | None, run: PlayedOn | None) -> Cartridge:
    """Return the image asked for, else the one `run` was played on, else the demo.

    Raises CartridgeError when the image cannot be played, or is not the one of `run`.
    """
    if run is None:
        return load_cartridge(rom or demo_cartridge_path())
    cartridge = load_cartridge(rom) if rom else _find(run.sha1)
    if cartridge.sha1 != run.sha1:
        message = (
            f"the run was played on {run.cartridge}, SHA-1 {run.sha1}, and this is"
            f" {cartridge.name}, SHA-1 {cartridge.sha1}; pass the --rom it was played on"
        )
        raise CartridgeError(message)
    return cartridge


def _find(sha1: str) -> Cartridge:
    """Return the image beside the demo that has this SHA-1, or the demo when none has."""
    demo = demo_cartridge_path()
    for path in sorted(demo.parent.glob("*.gb")):
        try:
            cartridge = load_cartridge(path)
        except CartridgeError:
            continue  # somebody's other game; it is not asked for
        if cartridge.sha1 == sha1:
            return cartridge
    return load_cartridge(demo)
