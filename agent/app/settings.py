"""The settings that a run keeps, the terms of a model, and the cartridge to load."""

import platform
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, get_type_hints

from agent import VERSION
from agent.advisor.money.limits import Terms, load_terms, nanos_of
from agent.advisor.money.prices import Prices, load_prices
from agent.advisor.port import Decider
from agent.errors import RunError
from agent.experience.memory_use import MemoryUse
from agent.settings import NO_MEMORY, AskSettings, Settings
from agent.story.story import NEVER
from emulator import Cartridge, CartridgeError, demo_cartridge_path, load_cartridge

TAPES: Final = ".tapes"  # the folder beside the memory


def key(place: str, default: object, *, is_optional: bool = True) -> Any:  # noqa: ANN401  # as dataclasses.field
    """Return a field that run.toml keeps at `place`. TOML has no null: if optional, it is left out at its default."""
    return field(default=default, metadata={"place": place, "is_optional": is_optional})


@dataclass(frozen=True, slots=True)
class CartridgeIdentity:
    """The cartridge of a run: its name, and the SHA-1 of its image."""

    cartridge: str = field(metadata={"place": "cartridge.name", "is_optional": False})
    sha1: str = field(metadata={"place": "cartridge.sha1", "is_optional": False})


@dataclass(frozen=True, slots=True)
class RunSettings(CartridgeIdentity):
    """The settings of a run, stored in run.toml: what it began with, and the choices that hold until others are made.

    Paths are absolute, '' for the default.
    """

    run: str = field(metadata={"place": "run", "is_optional": False})
    started: datetime = field(metadata={"place": "started", "is_optional": False})
    seed: int = key("seed", 0, is_optional=False)
    until: str = key("limits.until", NEVER, is_optional=False)
    ticks: int | None = key("limits.ticks", None)
    mind: str = key("mind", Decider.RULES.value, is_optional=False)
    pyboy: str = key("versions.pyboy", "", is_optional=False)
    memory_hash: str = key("memory.hash", "", is_optional=False)
    ask_every: int = key("advice.ask_every", 0)  # ticks between routine questions; 0: none
    without: str = key("memory.without", "")  # uses switched off, separated by commas
    wants: str = key("limits.wants", "")  # story facts to reach first, separated by commas
    pace: float = key("limits.pace", 0.0)  # times the speed of the Game Boy; 0: no limit
    rom: str = key("cartridge.path", "")
    memory: str = key("memory.path", "")  # or `none`
    model: str = key("advice.model", "")
    usd: float | None = key("advice.max_usd", None)
    terms: str = key("advice.terms", "")
    prices: str = key("advice.prices", "")
    tapes: str = key("advice.tapes", "")
    timeout_s: float = key("advice.timeout", 0.0)  # 0: the default
    distils: bool = key("advice.distil", False)

    def chosen(self, settings: Settings) -> Self:
        """Return these settings with the choices that `settings` make."""
        asked = {each.name: getattr(settings.asking, each.name) for each in fields(settings.asking)}
        asked["ask_every"] = asked.pop("every")
        given = {name: _kept(getattr(settings, name)) for name in _CHOICES}
        given |= {name: _kept(each) for name, each in asked.items()}
        if settings.memory == NO_MEMORY:
            given["memory"] = str(NO_MEMORY)
        return replace(self, **{name: each for name, each in given.items() if each is not None})

    @property
    def asking(self) -> AskSettings:
        """The choices about a model."""
        terms, prices, tapes = map(_path, (self.terms, self.prices, self.tapes))
        timeout_s, model = self.timeout_s or None, self.model or None
        return AskSettings(
            self.usd, self.ask_every, terms, prices, tapes, timeout_s, self.distils, model
        )

    def decides_like(self, other: Self) -> bool:
        """Return whether play decides with these settings as with `other`, as far as settings tell."""
        return (self.mind, self.wants, self.ask_every) == (other.mind, other.wants, other.ask_every)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        """Return the settings in the table of a run.toml; raises RunError if one is missing or wrong."""
        found, kinds = {}, get_type_hints(cls)
        for each in fields(cls):
            name = each.name
            section, _, last = each.metadata["place"].rpartition(".")
            try:
                if each.metadata["is_optional"]:
                    found[name] = table.get(section, {}).get(last, each.default)
                else:
                    found[name] = table[section][last] if section else table[last]
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
        for each in sorted(fields(self), key=lambda each: "." in each.metadata["place"]):
            section, _, last = each.metadata["place"].rpartition(".")
            value = getattr(self, each.name)
            if not each.metadata["is_optional"] or value != each.default:
                (tables.setdefault(section, {}) if section else tables)[last] = value
        python = platform.python_version()
        tables["versions"] = {"agent": VERSION, **tables["versions"], "python": python}
        return tables


# The settings that hold until others are made, beside those about a model.
_CHOICES: Final = ("until", "ticks", "wants", "mind", "pace", "rom", "memory")
PATHS: Final = frozenset(
    each.metadata["place"]
    for each in fields(RunSettings)
    if each.name in {"rom", "memory", "terms", "prices", "tapes"}
)


def _kept(value: Any) -> Any:  # noqa: ANN401  # of a setting of any type
    """Return a setting as run.toml keeps it, None when it was not given."""
    match value:
        case Path():
            return str(value.absolute())
        case Decider():
            return value.value
        case tuple():
            return ",".join(value) or None
        case False:
            return None
        case _:
            return value


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
        raise CartridgeError(
            f"the run was played on {run.cartridge}, SHA-1 {run.sha1}, and this is"
            f" {cartridge.name}, SHA-1 {cartridge.sha1}; pass the --rom it was played on"
        )
    return cartridge


def _find(run: CartridgeIdentity) -> Cartridge:
    """Return the image of `run` where it was, or beside the demo; the demo if it is in neither place."""
    demo = demo_cartridge_path()
    was = [Path(run.rom)] if isinstance(run, RunSettings) and run.rom else []
    for path in (*was, *sorted(demo.parent.glob("*.gb"))):
        try:
            cartridge = load_cartridge(path)
        except CartridgeError:
            continue  # an image of another game
        if cartridge.sha1 == run.sha1:
            return cartridge
    return load_cartridge(demo)
