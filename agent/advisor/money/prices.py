"""What a model costs, exactly, and what was spent: whole numbers, and never less than the service takes.

The prices are data (prices.toml) and the user's to correct. Knows nothing of ceilings.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from agent.advisor.model import Usage
from agent.errors import UsageError
from memory.store.calls import CallState, ModelCall

NANO: Final = 1_000_000_000  # in a dollar; what sums are kept in
_PRICES_FILE: Final = Path(__file__).with_name("prices.toml")
_LACKS: Final = "holds no prices ({}); write it like prices.toml of the program"
T = TypeVar("T")
# A dollar for a million tokens, in billionths of a thousandth for one.
_PICO_PER_MILLION: Final = 1_000_000
_DATED: Final = re.compile(r"-\d{8}$")
# Dollars per million tokens that are believed, so that sums stay numbers of a file.
_MOST: Final = 1_000_000


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
PROMPT: Final = tuple(kind for kind in KINDS if kind != "output")


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, and from which length of a prompt on it costs `long` instead."""

    rates: Rates
    long_over: int | None = None
    long: Rates | None = None

    def of(self, usage: Usage) -> int:
        """Return what `usage` costs in nanodollars, rounded up."""
        prompt = sum(getattr(usage, kind) for kind in PROMPT)  # however it is paid for
        return _nano(self._rates(prompt).of(usage))

    def at_worst(self, input_tokens: int, max_tokens: int) -> int:
        """Return the most that a call of at most so many tokens can cost, in nanodollars."""
        tiers = [self.rates]
        if self.long is not None and self._rates(input_tokens) is self.long:
            tiers.append(self.long)  # it may turn out to be shorter than that
        return _nano(
            input_tokens * max(getattr(tier, kind) for tier in tiers for kind in PROMPT)
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
        """Return the price of `model`, also by an alias or with a date at its end, or None where nobody knows it."""
        for name in (model, self.aliases.get(model), _DATED.sub("", model)):
            if name is not None and name in self.models:
                return self.models[name]
        return None

    def require(self, model: str) -> Price:
        """Return the price of `model`; raises UsageError, which says how to add one."""
        if (price := self.of(model)) is None:
            message = (
                f"nobody knows what {model!r} costs, so it is not asked; write a table"
                f' [models."{model}"] with {", ".join(KINDS)} in dollars per million tokens'
                " into a prices.toml of yours and name it as --prices, or name another model"
            )
            raise UsageError(message)
        return price


def load_prices(path: Path | None = None) -> Prices:
    """Return the prices that are known, those of the file at `path` before the others.

    Raises UsageError when that file cannot be read, or says what no price can be.
    """
    known = read_toml(_PRICES_FILE, _prices_in, _LACKS)
    if path is None:
        return known
    own = read_toml(path, _prices_in, _LACKS, another="another file as --prices")
    return Prices({**known.models, **own.models}, {**known.aliases, **own.aliases})


def read_toml(
    path: Path, parse: Callable[[dict[str, Any]], T], lacks: str, another: str = "another file"
) -> T:
    """Return what `parse` makes of the file at `path`; raises UsageError where it cannot be read, or `lacks` that."""
    try:
        return parse(tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal))
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}); name {another}"
        raise UsageError(message) from error
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        message = f"{path} {lacks.format(error)}"
        raise UsageError(message) from error


def _prices_in(table: Mapping[str, Any]) -> Prices:
    return Prices(
        {name: _price(name, each) for name, each in table.get("models", {}).items()},
        {str(name): str(model) for name, model in table.get("aliases", {}).items()},
    )


def _nano(pico: int) -> int:
    return -(-pico // 1000)


def _price(model: str, table: Mapping[str, Any]) -> Price:
    rates = _rates(model, table)
    over, long = table.get("long_prompt_over"), table.get("long_prompt")
    if (over is None) != (long is None):
        message = f"{model} needs both long_prompt_over and long_prompt, or neither"
        raise ValueError(message)
    if over is None or long is None:
        return Price(rates)
    if type(over) is not int or over < 0:
        message = f"{model} has {over!r} as long_prompt_over, which is no number of tokens"
        raise ValueError(message)
    return Price(rates, over, _rates(model, long))


def _rates(model: str, table: Mapping[str, Any]) -> Rates:
    missing = [kind for kind in KINDS if kind not in table]
    if missing:
        message = f"{model} lacks {missing[0]}"
        raise ValueError(message)
    return Rates(**{kind: _pico(model, kind, table[kind]) for kind in KINDS})


def _pico(model: str, kind: str, dollars: object) -> int:
    """Return picodollars a token for dollars a million tokens."""
    if isinstance(dollars, bool) or not isinstance(dollars, int | Decimal):
        message = f"{model} has {dollars!r} as {kind}, which is no number"
        raise TypeError(message)
    exact = Decimal(dollars) * _PICO_PER_MILLION
    if not (0 <= exact <= _MOST * _PICO_PER_MILLION) or exact != int(exact):
        message = f"{model} has {dollars} as {kind}; give dollars with at most six decimals"
        raise ValueError(message)
    return int(exact)


MEMORY: Final = frozenset({"observer", "reflector"})  # purposes of memory itself


class Spent(NamedTuple):
    """Totals in billionths of a dollar, calls and tokens; calls that nobody heard of count at their worst.

    `unknown_nanos` is how much of `nanos` is such a worst case, `kinds` are the tokens of calls that are settled.
    `memory_share` is the part of all tokens, from 0 to 1, that memory took: its observer, its reflector, and what it put
    into other prompts.
    """

    nanos: int
    unknown_nanos: int
    calls: int
    tokens: int
    memory_share: float
    kinds: Mapping[str, int]


def spent_on(calls: Iterable[ModelCall], *, observation_tokens: int = 0) -> Spent:
    """Return what `calls` cost; `observation_tokens` is what observations took within prompts of other purposes."""
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
