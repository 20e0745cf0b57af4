"""Exact prices of models and sums of spending: whole numbers, never below the service's bill.

The prices are data (prices.toml) that the user can correct. Knows nothing of ceilings.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from agent.advisor.model import Usage
from agent.errors import UsageError
from memory import file_access
from memory.store import CallState, ModelCall

NANO: Final = 1_000_000_000  # nanodollars in a dollar; the unit of all sums
_PRICES_FILE: Final = Path(__file__).with_name("prices.toml")
_INVALID: Final = "holds no valid prices ({}); write it like prices.toml of the program"
T = TypeVar("T")
# One dollar per million tokens is this many picodollars per token.
_PICO_PER_MILLION: Final = 1_000_000
MOST: Final = 10**12  # of any limit
_DATED: Final = re.compile(r"-\d{8}$")
# The highest accepted price in dollars per million tokens, so that sums fit the database.
_MAX_PRICE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Rates:
    """Picodollars (10^-12) for one token of each kind."""

    input: int
    output: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int

    def of(self, usage: Usage) -> int:
        """Return the price of `usage` in picodollars."""
        return sum(getattr(self, kind) * getattr(usage, kind) for kind in KINDS)


KINDS: Final = tuple(field.name for field in fields(Rates))
PROMPT_KINDS: Final = tuple(kind for kind in KINDS if kind != "output")


@dataclass(frozen=True, slots=True)
class Price:
    """The rates of a model; prompts of more than `long_over` tokens cost the `long` rates."""

    rates: Rates
    long_over: int | None = None
    long: Rates | None = None

    def of(self, usage: Usage) -> int:
        """Return the cost of `usage` in nanodollars, rounded up."""
        prompt = sum(getattr(usage, kind) for kind in PROMPT_KINDS)  # at any rate
        return _nano(self._rates(prompt).of(usage))

    def max_cost(self, input_tokens: int, max_tokens: int) -> int:
        """Return the maximum cost of a call with at most these tokens, in nanodollars."""
        tiers = [self.rates]
        if self.long is not None and self._rates(input_tokens) is self.long:
            tiers.append(self.long)  # the actual prompt may be shorter
        return _nano(
            input_tokens * max(getattr(tier, kind) for tier in tiers for kind in PROMPT_KINDS)
            + max_tokens * max(tier.output for tier in tiers)
        )

    def _rates(self, prompt: int) -> Rates:
        if self.long is None or self.long_over is None or prompt <= self.long_over:
            return self.rates
        return self.long


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of each model by its id."""

    models: Mapping[str, Price]
    aliases: Mapping[str, str]

    def of(self, model: str) -> Price | None:
        """Return the price of `model`, also by an alias or with a date suffix, or None when it is unknown."""
        for name in (model, self.aliases.get(model), _DATED.sub("", model)):
            if name is not None and name in self.models:
                return self.models[name]
        return None

    def replaced_by(self, own: "Prices") -> "Prices":
        """Return these prices, with those of `own` in place of others of the same model."""
        return Prices({**self.models, **own.models}, {**self.aliases, **own.aliases})

    def require(self, model: str) -> Price:
        """Return the price of `model`. Raises UsageError, which says how to add one."""
        if (price := self.of(model)) is None:
            raise UsageError(
                f"the price of {model!r} is unknown, so it is not used; write a table"
                f' [models."{model}"] with {", ".join(KINDS)} in dollars per million tokens'
                " into your own prices.toml and name it as --prices, or name another model; a model that costs nothing"
                f' needs only [models] "{model}" = 0'
            )
        return price


NO_PRICES: Final = Prices({}, {})


def load_prices(path: Path | None = None) -> Prices:
    """Return the known prices; those in the file at `path` replace the default ones.

    Raises UsageError when the file cannot be read or holds an invalid price.
    """
    known = read_toml(_PRICES_FILE, prices_in, _INVALID)
    if path is None:
        return known
    return known.replaced_by(read_toml(path, prices_in, _INVALID, "another file as --prices"))


def read_toml(
    path: Path, parse: Callable[[dict[str, Any]], T], invalid: str, another: str = "another file"
) -> T:
    """Return `parse` of the TOML file at `path`. Raises UsageError when it cannot be read, or with `invalid` as text."""
    try:
        return parse(file_access.read_toml(path, parse_float=Decimal))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); name {another}") from error
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        raise UsageError(f"{path} {invalid.format(error)}") from error


def checked(
    table: Mapping[str, Any], kinds: Mapping[str, type | tuple[type, ...]]
) -> Mapping[str, Any]:
    """Return `table`, whose values are of these kinds by key. Raises ValueError or TypeError, which names the key."""
    if type(table) is not dict:
        raise TypeError(f"{table!r} is no table")
    for name, value in table.items():
        if name not in kinds:
            raise ValueError(f"there is no {name!r}, only {', '.join(kinds)}")
        wanted = kinds[name]
        if type(value) not in (wanted if isinstance(wanted, tuple) else (wanted,)):
            raise TypeError(f"{value!r} cannot be {name}")
    return table


def prices_in(table: Mapping[str, Any]) -> Prices:
    """Return the prices in the tables `models` and `aliases`. Raises ValueError or TypeError when one is invalid."""
    checked(table, {"models": dict, "aliases": dict})
    aliases = checked(table.get("aliases", {}), dict.fromkeys(table.get("aliases", {}), str))
    models = table.get("models", {})
    return Prices({name: _price(name, each) for name, each in models.items()}, aliases)


def _nano(pico: int) -> int:
    return -(-pico // 1000)


def _price(model: str, table: Mapping[str, Any] | Decimal | int) -> Price:
    """Return the price in a table; one number, 0 for a model that costs nothing, stands for all its rates."""
    if not isinstance(table, Mapping):
        table = dict.fromkeys(KINDS, table)
    if unknown := table.keys() - {*KINDS, "long_prompt_over", "long_prompt", "source", "date"}:
        raise ValueError(f"{model} has an unknown {min(unknown)}")
    rates = _rates(model, table)
    over, long = table.get("long_prompt_over"), table.get("long_prompt")
    if (over is None) != (long is None):
        raise ValueError(f"{model} needs both long_prompt_over and long_prompt, or neither")
    if over is None or long is None:
        return Price(rates)
    if type(over) is not int or not 0 <= over <= MOST:
        message = f"{model} has {over!r} as long_prompt_over, which is not a number of tokens"
        raise ValueError(message)
    return Price(rates, over, _rates(model, long))


def _rates(model: str, table: Mapping[str, Any]) -> Rates:
    missing = [kind for kind in KINDS if kind not in table]
    if missing:
        raise ValueError(f"{model} lacks {missing[0]}")
    return Rates(**{kind: _pico(model, kind, table[kind]) for kind in KINDS})


def _pico(model: str, kind: str, dollars: object) -> int:
    """Return picodollars per token for dollars per million tokens."""
    if isinstance(dollars, bool) or not isinstance(dollars, int | Decimal):
        raise TypeError(f"{model} has {dollars!r} as {kind}, which is not a number")
    exact = Decimal(dollars) * _PICO_PER_MILLION
    if (
        not exact.is_finite()
        or not (0 <= exact <= _MAX_PRICE * _PICO_PER_MILLION)
        or exact != int(exact)
    ):
        raise ValueError(f"{model} has {dollars} as {kind}; give dollars with at most six decimals")
    return int(exact)


MEMORY: Final = frozenset({"observer", "reflector"})  # the purposes of memory


class Spent(NamedTuple):
    """Totals in billionths of a dollar, calls and tokens; calls of unknown cost count at their maximum.

    `unknown_nanos` is the part of `nanos` that is booked at the maximum; `kinds` holds the tokens of settled calls.
    `memory_share` is the share of all tokens, from 0 to 1, used by memory: its observer, its reflector, and its text in
    other prompts.
    """

    nanos: int
    unknown_nanos: int
    calls: int
    tokens: int
    memory_share: float
    kinds: Mapping[str, int]


def spent_on(calls: Iterable[ModelCall], *, observation_tokens: int = 0) -> Spent:
    """Return the totals of `calls`; `observation_tokens` counts observations in prompts of other purposes."""
    unknown = (CallState.RESERVED, CallState.LOST)
    made = [call for call in calls if call.state is not CallState.CANCELLED]
    tokens = sum(call.tokens for call in made)
    memory = observation_tokens + sum(call.tokens for call in made if call.purpose in MEMORY)
    return Spent(
        nanos=sum(call.nanos for call in made),
        unknown_nanos=sum(call.nanos for call in made if call.state in unknown),
        calls=len(made),
        tokens=tokens,
        memory_share=min(1.0, memory / tokens) if tokens else 0.0,
        kinds={kind: sum(getattr(call, kind) for call in made) for kind in KINDS},
    )
