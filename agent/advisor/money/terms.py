"""On what terms a model is asked: which one, up to which ceilings, and what is given up on the way there."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agent.advisor.money.prices import NANO
from agent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memory.store.calls import CallSums, Sums

_FILE: Final = Path(__file__).with_name("terms.toml")
FULL: Final = 100  # percent


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most that may be spent in one stretch; None is no limit. `nanos` are billionths of a dollar."""

    nanos: int | None = None
    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            limit = getattr(self, field.name)
            if limit is not None and limit < 0:
                message = f"a ceiling of {limit} {field.name} is negative; give 0 or more"
                raise UsageError(message)

    def percent(self, spent: Sums) -> int:
        """Return how much of the nearest limit is used, in whole percent."""
        shares = [
            FULL if used >= limit else FULL * used // limit for _, used, limit in self._pairs(spent)
        ]
        return max(shares, default=0)

    def passed_by(self, spent: Sums) -> str | None:
        """Return which limit `spent` goes beyond, or None where it keeps to all of them."""
        return next((name for name, used, limit in self._pairs(spent) if used > limit), None)

    def _pairs(self, spent: Sums) -> Iterator[tuple[str, int, int]]:
        for name, used, limit in (
            ("dollars", spent.nanos, self.nanos),
            ("calls", spent.calls, self.calls),
            ("tokens", spent.tokens, self.tokens),
        ):
            if limit is not None:
                yield name, used, limit


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The most that may be spent in a run, in any hour, and between milestones."""

    run: Ceiling = Ceiling()
    hour: Ceiling = Ceiling()
    milestone: Ceiling = Ceiling()

    def percent(self, sums: CallSums) -> int:
        """Return how much of the nearest limit of all is used, in whole percent."""
        return max(ceiling.percent(spent) for _, ceiling, spent in self._pairs(sums))

    def passed_by(self, sums: CallSums) -> str | None:
        """Return which limit `sums` go beyond, such as `hour dollars`, or None."""
        for name, ceiling, spent in self._pairs(sums):
            if (limit := ceiling.passed_by(spent)) is not None:
                return f"{name} {limit}"
        return None

    def _pairs(self, sums: CallSums) -> Iterator[tuple[str, Ceiling, Sums]]:
        yield "run", self.run, sums.run
        yield "hour", self.hour, sums.hour
        yield "milestone", self.milestone, sums.milestone


@dataclass(frozen=True, slots=True)
class Step:
    """What is given up from so many percent of a ceiling on."""

    from_percent: int
    gives_up: frozenset[str] = frozenset()
    small: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """The models, the ceilings and the steps down to them."""

    usual: str
    small: str
    always_small: frozenset[str] = frozenset()
    ceilings: Ceilings = Ceilings()
    steps: tuple[Step, ...] = ()

    def model_for(self, purpose: str, percent: int) -> str | None:
        """Return whom to ask for `purpose` when so much is used, or None when nobody is to be asked."""
        if percent >= FULL:
            return None
        taken = [step for step in self.steps if percent >= step.from_percent]
        if any(purpose in step.gives_up for step in taken):
            return None
        is_small = purpose in self.always_small or any(step.small for step in taken)
        return self.small if is_small else self.usual


def load_terms(path: Path | None = None) -> Terms:
    """Return the terms in the file at `path`, or those that hold where nothing else was said.

    Raises:
        UsageError: when the file cannot be read or does not say it.
    """
    path = path or _FILE
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        models = table["models"]
        return Terms(
            str(models["usual"]),
            str(models["small"]),
            frozenset(models.get("always_small", ())),
            Ceilings(**{name: _ceiling(each) for name, each in table.get("ceilings", {}).items()}),
            tuple(_step(each) for each in table.get("steps", ())),
        )
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}); name another file"
        raise UsageError(message) from error
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        message = f"{path} does not say on what terms to ask ({error}); write it like {_FILE.name}"
        raise UsageError(message) from error


def nanos_of(dollars: Decimal | int) -> int:
    """Return dollars in billionths, rounded down, so that a ceiling is never higher than was said."""
    return int(Decimal(dollars) * NANO)


def _ceiling(table: Mapping[str, Any]) -> Ceiling:
    known = dict(table)
    dollars = known.pop("dollars", None)
    for name, limit in known.items():
        if type(limit) is not int:
            message = f"{limit!r} {name} is no whole number"
            raise TypeError(message)
    return Ceiling(None if dollars is None else nanos_of(dollars), **known)


def _step(table: Mapping[str, Any]) -> Step:
    return Step(
        int(table["from_percent"]),
        frozenset(table.get("gives_up", ())),
        bool(table.get("small", False)),
    )
