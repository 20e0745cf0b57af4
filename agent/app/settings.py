"""Settings of play: the flags, the fixed settings of a run, the terms of a model, and the cartridge to load."""

import platform
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, get_type_hints

from agent import VERSION
from agent.advisor.money.limits import Terms, load_terms, nanos_of
from agent.advisor.money.prices import Prices, load_prices
from agent.advisor.port import Decider
from agent.errors import RunError, UsageError
from agent.experience.memory_use import MemoryUse
from agent.story.story import NEVER
from emulator import Cartridge, CartridgeError, demo_cartridge_path, load_cartridge


def _require_non_negative(flags: Mapping[str, float | None]) -> None:
    for flag, number in flags.items():
        if number is not None and not number < inf:
            message = f"{flag} {number} is not an amount; give 0 or more"
            raise UsageError(message)
        if number is not None and number < 0:
            message = f"{flag} {number} is negative; give 0 or more"
            raise UsageError(message)


TAPES: Final = ".tapes"  # the folder beside the memory


@dataclass(frozen=True, slots=True)
class AskSettings:
    """The flags of `play` about a model; None means the default.

    `every` is the number of ticks between routine questions, `usd` the most that the run may spend, `model` the one model
    for all purposes.
    """

    every: int | None = None
    usd: float | None = None
    terms: Path | None = None
    prices: Path | None = None
    tapes: Path | None = None
    timeout_s: float | None = None
    distils: bool = False
    model: str | None = None

    def __post_init__(self) -> None:
        _require_non_negative({"--ask-every": self.every, "--max-usd": self.usd})
        if self.timeout_s is not None and not 0 < self.timeout_s < inf:
            message = f"--timeout {self.timeout_s} is no usable time; give seconds above 0"
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
    at: int | None = None  # go back to the newest checkpoint up to this tick
    recovers: bool = False  # whether the supervisor goes back, and not the player
    memory: Path | None = None
    mind: Decider | None = None  # None: as in the resumed run, rules in a new one
    without: tuple[MemoryUse, ...] = ()
    pace: float | None = None  # speed of play, 1 for that of the Game Boy; 0: as fast as possible
    wants: tuple[str, ...] = ()  # story facts to reach before the next milestones
    asking: AskSettings = AskSettings()

    def __post_init__(self) -> None:
        _require_non_negative({"--ticks": self.ticks, "--seed": self.seed, "--at": self.at})
        if self.pace is not None and not 0 <= self.pace < inf:
            message = f"--pace {self.pace} is not a speed; give 1 for that of the Game Boy, a factor of it, or 0 for as fast as possible"
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


NO_MEMORY: Final = Path("none")  # play with an empty memory that is not kept


@dataclass(frozen=True, slots=True)
class CartridgeIdentity:
    """The cartridge of a run: its name, and the SHA-1 of its image."""

    cartridge: str
    sha1: str


# The key of each setting in run.toml. TOML has no null: settings equal to OPTIONAL are left out.
PLACES: Final[Mapping[str, str]] = {
    "run": "run",
    "started": "started",
    "seed": "seed",
    "mind": "mind",
    "ask_every": "advice.ask_every",
    "until": "limits.until",
    "ticks": "limits.ticks",
    "wants": "limits.wants",
    "pace": "limits.pace",
    "cartridge": "cartridge.name",
    "sha1": "cartridge.sha1",
    "rom": "cartridge.path",
    "pyboy": "versions.pyboy",
    "memory": "memory.path",
    "memory_hash": "memory.hash",
    "without": "memory.without",
    "model": "advice.model",
    "usd": "advice.max_usd",
    "terms": "advice.terms",
    "prices": "advice.prices",
    "tapes": "advice.tapes",
    "timeout_s": "advice.timeout",
    "distils": "advice.distil",
}
PATHS: Final = frozenset(PLACES[each] for each in ("rom", "memory", "terms", "prices", "tapes"))
OPTIONAL: Final[Mapping[str, Any]] = {
    "ticks": None,
    "ask_every": 0,
    "wants": "",
    "without": "",
    "pace": 0.0,
    "rom": "",
    "memory": "",
    "model": "",
    "usd": None,
    "terms": "",
    "prices": "",
    "tapes": "",
    "timeout_s": 0.0,
    "distils": False,
}


@dataclass(frozen=True, slots=True)
class RunSettings(CartridgeIdentity):
    """The settings of a run, stored in run.toml: what it began with, and the choices that hold until others are made.

    Paths are absolute, '' for the default.
    """

    run: str
    started: datetime
    seed: int = 0
    until: str = NEVER
    ticks: int | None = None
    mind: str = Decider.RULES.value
    pyboy: str = ""
    memory_hash: str = ""
    ask_every: int = 0  # ticks between routine questions to a model; 0: none
    without: str = ""  # uses of memory switched off, separated by commas
    wants: str = ""  # story facts to reach before the next milestones, separated by commas
    pace: float = 0.0  # times the speed of the Game Boy; 0: as fast as possible
    rom: str = ""
    memory: str = ""  # or `none`
    model: str = ""
    usd: float | None = None
    terms: str = ""
    prices: str = ""
    tapes: str = ""
    timeout_s: float = 0.0  # 0: the default
    distils: bool = False

    def chosen(self, settings: Settings) -> Self:
        """Return these settings with the choices that `settings` make."""
        asked = settings.asking
        given: dict[str, Any] = {
            "until": settings.until,
            "ticks": settings.ticks,
            "wants": ",".join(settings.wants) or None,
            "mind": settings.mind and settings.mind.value,
            "pace": None if settings.pace is None else float(settings.pace),
            "rom": _absolute(settings.rom),
            "memory": "none" if settings.memory == NO_MEMORY else _absolute(settings.memory),
            "ask_every": asked.every,
            "usd": None if asked.usd is None else float(asked.usd),
            "terms": _absolute(asked.terms),
            "prices": _absolute(asked.prices),
            "tapes": _absolute(asked.tapes),
            "timeout_s": asked.timeout_s,
            "distils": asked.distils or None,
            "model": asked.model,
        }
        return replace(self, **{name: each for name, each in given.items() if each is not None})

    @property
    def asking(self) -> AskSettings:
        """The choices about a model."""
        return AskSettings(
            self.ask_every,
            self.usd,
            _path(self.terms),
            _path(self.prices),
            _path(self.tapes),
            self.timeout_s or None,
            self.distils,
            self.model or None,
        )

    def decides_like(self, other: Self) -> bool:
        """Return whether play decides with these settings as with `other`, as far as settings tell."""
        return (self.mind, self.wants, self.ask_every) == (other.mind, other.wants, other.ask_every)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        """Return the settings in the table of a run.toml; raises RunError if one is missing or wrong."""
        found, kinds = {}, get_type_hints(cls)
        for name, place in PLACES.items():
            section, _, key = place.rpartition(".")
            try:
                if name in OPTIONAL:
                    found[name] = table.get(section, {}).get(key, OPTIONAL[name])
                else:
                    found[name] = table[section][key] if section else table[key]
            except (KeyError, TypeError, AttributeError) as error:
                message = f"run.toml lacks {error}; restore the file that play wrote"
                raise RunError(message) from error
            if type(found[name]) is int and kinds[name] in {float, float | None}:
                found[name] = float(found[name])
            if not isinstance(found[name], kinds[name]):
                message = f"run.toml has {reprlib.repr(found[name])} as {name}; restore the file play wrote"
                raise RunError(message)
        return cls(**found)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The story facts to reach before the next milestones."""
        return tuple(self.wants.split(",")) if self.wants else ()

    @property
    def uses(self) -> frozenset[MemoryUse]:
        """The uses of memory that are switched on."""
        off = self.without.split(",")
        return frozenset(use for use in MemoryUse if use.value not in off)

    def table(self) -> dict[str, Any]:
        """Return the settings as the tables of run.toml."""
        tables: dict[str, Any] = {}
        for name, place in PLACES.items():
            section, _, key = place.rpartition(".")
            value = getattr(self, name)
            if name not in OPTIONAL or value != OPTIONAL[name]:
                (tables.setdefault(section, {}) if section else tables)[key] = value
        python = platform.python_version()
        tables["versions"] = {"agent": VERSION, **tables["versions"], "python": python}
        return tables


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())


def _path(text: str) -> Path | None:
    return Path(text) if text else None


ANSWER_S: Final = 60.0  # the longest wait for one answer


class ModelTerms(NamedTuple):
    """The terms for asking Claude, and the tape folder; with `distils` a model observes and reflects, too."""

    terms: Terms
    prices: Prices
    tapes: Path
    timeout_s: float = ANSWER_S
    distils: bool = False


def model_terms(asked: AskSettings, home: Path) -> ModelTerms:
    """Return the terms for the flags `asked`; prices and tapes are by default in `home`, the folder of the memory.

    Raises UsageError if a file is unusable or a model has no price.
    """
    terms, own = load_terms(asked.terms), home / "prices.toml"
    prices = load_prices(asked.prices or (own if own.is_file() else None)).replaced_by(terms.prices)
    if asked.model is not None:
        terms = replace(terms, usual=asked.model, small=asked.model)
    for model in (terms.usual, terms.small):
        prices.require(model)
    if asked.usd is not None:
        run = replace(terms.ceilings.run, nanos=nanos_of(Decimal(str(asked.usd))))
        terms = replace(terms, ceilings=replace(terms.ceilings, run=run))
    tapes = asked.tapes or home / TAPES
    return ModelTerms(terms, prices, tapes, asked.timeout_s or ANSWER_S, asked.distils)


def cartridge_for(rom: Path | None, run: CartridgeIdentity | None) -> Cartridge:
    """Return the cartridge in `rom`, else the one that `run` was played on, else the demo.

    Raises CartridgeError if the image cannot be played or is not the one of `run`.
    """
    if run is None:
        return load_cartridge(rom or demo_cartridge_path())
    cartridge = load_cartridge(rom) if rom else _find(run)
    if cartridge.sha1 != run.sha1:
        message = (
            f"the run was played on {run.cartridge}, SHA-1 {run.sha1}, and this is"
            f" {cartridge.name}, SHA-1 {cartridge.sha1}; pass the --rom it was played on"
        )
        raise CartridgeError(message)
    return cartridge


def _find(run: CartridgeIdentity) -> Cartridge:
    """Return the image of `run` where it was, or beside the demo; the demo if it is in neither place."""
    demo = demo_cartridge_path()
    was = _path(run.rom) if isinstance(run, RunSettings) else None
    for path in (*([was] if was else []), *sorted(demo.parent.glob("*.gb"))):
        try:
            cartridge = load_cartridge(path)
        except CartridgeError:
            continue  # an image of another game
        if cartridge.sha1 == run.sha1:
            return cartridge
    return load_cartridge(demo)
