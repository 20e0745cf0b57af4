"""What a file demands of a moment: one check for each name, in words when it fails.

`x = 5` demands equality. A string may begin with an operator: `"> 3"`, `"!= title"`, `"has soup"`,
`"lacks soup"`; and behind one a number may be `start`, what the name was when the scenario began,
with one operation: `">= start - 2"`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.errors import UsageError
from agent.scenario.readings import Reading, Seen, Value, reading

DEMAND: Final = re.compile(r"(==|!=|>=|<=|>|<|has|lacks) (.*)", re.DOTALL)
START: Final = re.compile(r"start(?: +([-+*/]) +(\d+))?")
ORDER: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "has": operator.contains,
    "lacks": lambda whole, part: part not in whole,
}
CHANGE: Final[Mapping[str, Callable[[int, int], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
}


@dataclass(frozen=True, slots=True)
class Check:
    """A demand on one name; `says` is how the file spells it."""

    name: str
    says: str
    order: Callable[[Any, Any], bool]
    wanted: Callable[[Value], Value]  # of what the name was at the start
    read: Reading

    def holds(self, now: Seen, start: Seen) -> bool:
        """Say whether the moment meets the demand."""
        found, wanted = self.read(now), self.wanted(self.read(start))
        return type(found) is type(wanted) and self.order(found, wanted)

    def failure(self, now: Seen, start: Seen) -> str:
        """Return in words what is there instead of what is demanded."""
        began = f" (it began as {self.read(start)!r})" if "start" in self.says else ""
        return f"{self.name} is {self.read(now)!r}, which is not {self.says}{began}"


@dataclass(frozen=True, slots=True)
class Condition:
    """Checks that must all hold at one moment."""

    checks: tuple[Check, ...]

    def holds(self, now: Seen, start: Seen) -> bool:
        """Say whether the moment meets every demand."""
        return all(check.holds(now, start) for check in self.checks)

    def failures(self, now: Seen, start: Seen) -> list[str]:
        """Return in words every demand that the moment does not meet."""
        return [each.failure(now, start) for each in self.checks if not each.holds(now, start)]

    def __str__(self) -> str:
        return ", ".join(f"{check.name} {check.says}" for check in self.checks)


def condition(table: Mapping[str, Any]) -> Condition:
    """Return what a table of a file demands; raises UsageError where it cannot be understood."""
    return Condition(tuple(_check(name, wanted) for name, wanted in table.items()))


def conditions(tables: Iterable[Mapping[str, Any]]) -> tuple[Condition, ...]:
    """Return what each of some tables demands."""
    return tuple(condition(table) for table in tables)


def number_demand(wanted: int | str) -> Callable[[int], bool]:
    """Return whether a number meets a demand, which may be a number or begin with an operator."""
    sign, rest = _split(wanted)
    try:
        limit = int(rest)
    except ValueError as error:
        message = f"{wanted!r} demands no number"
        raise UsageError(message) from error
    return lambda number: ORDER[sign](number, limit)


def _check(name: str, wanted: Value) -> Check:
    sign, rest = _split(wanted)
    relative = START.fullmatch(str(rest)) if rest is not wanted else None
    target = _from_start(relative) if relative else _fixed(_typed(rest, sign))
    return Check(name, f"{sign} {rest}", ORDER[sign], target, reading(name))


def _split(wanted: Value) -> tuple[str, Value]:
    found = DEMAND.fullmatch(wanted) if isinstance(wanted, str) else None
    return (found[1], found[2]) if found else ("==", wanted)


def _typed(rest: Value, sign: str) -> Value:
    is_number = isinstance(rest, str) and sign not in {"has", "lacks"}
    return int(rest) if is_number and re.fullmatch(r"-?\d+", str(rest)) else rest


def _fixed(value: Value) -> Callable[[Value], Value]:
    return lambda _start: value


def _from_start(found: re.Match[str]) -> Callable[[Value], Value]:
    sign, amount = found[1], found[2]
    if sign is None:
        return lambda start: start
    return lambda start: CHANGE[sign](int(start), int(amount))
