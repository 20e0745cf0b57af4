"""From a call and its result to observations: pure functions in tables, and who looks them up.

Nothing here reads or writes anything, and the same call always comes to the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from memory.errors import MalformedRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memory.observations.observation import Observed

Args: TypeAlias = "Mapping[str, Any]"
Extract: TypeAlias = "Callable[[Args, Result], Sequence[Observed]]"
Table: TypeAlias = "Mapping[str, Extract]"

LONGEST_ERROR: Final = 200  # characters in the content; the metadata has all of it


class Result(NamedTuple):
    """What a call came to; `refused` is one that was denied or blocked, and so never ran."""

    output: Any = ""
    error: str = ""
    refused: bool = False


class Extractors:
    """The extractors of every tool that has one; a new kind of call is one more table."""

    def __init__(self, *tables: Table) -> None:
        self._by_tool: dict[str, Extract] = {}
        for table in tables:
            self.add(table)

    def add(self, table: Table) -> None:
        """Take over the extractors of `table`.

        Raises:
            MalformedRecord: when a tool has one already; two would tell of each call twice.
        """
        if known := sorted(self._by_tool.keys() & table.keys()):
            message = f"{known[0]!r} has an extractor already; leave it out of one of the tables."
            raise MalformedRecord(message)
        self._by_tool.update(table)

    def __call__(self, tool: str, args: Args, result: Result) -> tuple[Observed, ...]:
        """Return what a call of `tool` is worth: nothing when nobody knows it, or it never ran."""
        extract = self._by_tool.get(tool)
        if extract is None or result.refused:
            return ()
        return tuple(extract(args, result))


def line(text: object, longest: int = LONGEST_ERROR) -> str:
    """Return `text` in one line of at most so many characters."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
