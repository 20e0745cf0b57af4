"""Known differences of Showdown from the cartridge: a table, and how each is recognised in a step."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.proofs.showdown.positions import Columns, Rows
from tests.proofs.showdown.steps import Step

TABLE: Final = Path(__file__).with_suffix(".toml")
CONDITION: Final = re.compile(r"(user|other)\.(\w+) (==|!=|>|<) (\d+)")
PLAYER: Final = re.compile(r"p([12])a")


@dataclass(frozen=True, slots=True)
class Difference:
    """One known difference.

    It is recognised when every pattern of `log` is in the protocol log of the turn, every one of `before` and `after` holds,
    and each column that differs matches one of `columns`. In patterns and columns `user` is one side and `other` the
    other; both ways are tried. Conditions are alternatives when `or` is between them.
    """

    name: str
    showdown: str
    cartridge: str
    right: str
    source: str
    columns: Sequence[str]
    log: Sequence[str] = ()
    before: Sequence[str] = ()
    after: Sequence[str] = ()

    def described(self) -> dict[str, str]:
        """Return what it says to a reader."""
        names = ("name", "showdown", "cartridge", "right", "source")
        return {name: getattr(self, name) for name in names}

    def explains(self, step: Step, differs: Sequence[str], columns: Columns) -> bool:
        """Return whether this difference explains columns that differ after a step."""
        return any(self._explains(step, differs, columns, user) for user in (0, 1))

    def applies(self, step: Step, columns: Columns, user: int) -> bool:
        """Return whether a step is one in which this difference shows, with this side as its user."""
        log = "\n".join(step.log)
        return (
            all(re.search(_for_players(pattern, user), log) for pattern in self.log)
            and all(_any_holds(each, step.before, columns, user) for each in self.before)
            and all(_any_holds(each, step.after, columns, user) for each in self.after)
        )

    def _explains(self, step: Step, differs: Sequence[str], columns: Columns, user: int) -> bool:
        allowed = re.compile("|".join(_for_sides(each, user) for each in self.columns))
        return all(map(allowed.fullmatch, differs)) and self.applies(step, columns, user)


def _for_players(pattern: str, user: int) -> str:
    return pattern.replace("user", f"p{user + 1}a").replace("other", f"p{2 - user}a")


def _for_sides(pattern: str, user: int) -> str:
    return pattern.replace("user", f"{user}").replace("other", f"{1 - user}")


def _any_holds(conditions: str, row: Rows, columns: Columns, user: int) -> bool:
    return any(_holds(each, row, columns, user) for each in conditions.split(" or "))


def _holds(condition: str, row: Rows, columns: Columns, user: int) -> bool:
    found = CONDITION.fullmatch(condition)
    assert found, condition
    side, column, operator, number = found.groups()
    value = int(columns.of(row, f"{user if side == 'user' else 1 - user}.{column}"))
    wanted = int(number)
    return {"==": value == wanted, "!=": value != wanted, ">": value > wanted, "<": value < wanted}[
        operator
    ]


@cache
def known() -> tuple[Difference, ...]:
    """Return the table of known differences."""
    table: dict[str, dict[str, Any]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return tuple([Difference(name=name, **row) for name, row in table.items()])


def explanation(step: Step, differs: Sequence[str], columns: Columns) -> str:
    """Return the name of the first difference that explains a step, or an empty string."""
    return next((each.name for each in known() if each.explains(step, differs, columns)), "")
