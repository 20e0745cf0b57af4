"""Whether the texts of a file can be read as what they are: pages may fit together and yet hold nonsense.

SQLite keeps no sums of its pages, so that a page inside of one long text can be lost unseen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.errors import CorruptStore
from memory.store.knowledge_schema import KNOWLEDGE_SCHEMA
from memory.store.run_schema import RUN_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.store.database import Database, Schema

_Columns = dict[str, tuple[str, ...]]
_RUN: Final[_Columns] = {
    "events": ("payload",),
    "outbox": ("payload",),
    "entries": ("data", "tags", "sources"),
    "checkpoints": ("mind",),
    "parts": ("data",),
    "strategist_checkpoints": ("data",),
}
_KNOWLEDGE: Final[_Columns] = {
    "shares": ("share",),
    "archive": ("row",),
    "ltm_entries": ("data", "tags", "sources", "merged"),
}
_JSON: Final[Mapping[str, _Columns]] = {RUN_SCHEMA.name: _RUN, KNOWLEDGE_SCHEMA.name: _KNOWLEDGE}


def require_readable(database: Database, schema: Schema) -> None:
    """Raise CorruptStore where a text that must be JSON is none."""
    for table, columns in _JSON[schema.name].items():
        found = database.row(_first_broken(table, columns))
        if found is not None:
            message = f"{database.path} is damaged (a text of its {table} cannot be read)"
            raise CorruptStore(message)


def _first_broken(table: str, columns: Sequence[str]) -> str:
    wrong = " OR ".join(f"NOT json_valid({each})" for each in columns)
    return f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1"  # noqa: S608  # the names are our own
