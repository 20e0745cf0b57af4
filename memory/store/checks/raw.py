"""Rows as they are, one by one, so that one which nobody can read does not hide the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.codec import Json
    from memory.store.database import Database

# Text comes as bytes: the driver would refuse a whole query for one letter that is none.
_AS_BYTES: Final = "CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) ELSE {0} END"


def columns_of(database: Database, table: str) -> list[str]:
    """Return the columns of `table`, in their order; none where there is no such table."""
    rows = database.rows("SELECT name FROM pragma_table_info(?) ORDER BY cid", (table,))
    return [str(name) for (name,) in rows]


def select_raw(table: str, columns: Sequence[str]) -> str:
    """Return the query for these columns with text as bytes; a condition may follow."""
    wanted = ", ".join(_AS_BYTES.format(f'"{name}"') for name in columns)
    return f'SELECT {wanted} FROM "{table}" '  # noqa: S608  # names of our own schema


def text(values: Sequence[Any], is_blob: Sequence[bool]) -> tuple[Any, ...] | None:
    """Return a raw row with its text as text, or None where some of that is none."""
    try:
        return tuple(
            bytes(value).decode() if isinstance(value, bytes) and not blob else value
            for value, blob in zip(values, is_blob, strict=True)
        )
    except UnicodeDecodeError:
        return None


def shown(values: Sequence[Any], columns: Sequence[str]) -> dict[str, Json]:
    """Return a raw row as JSON, whatever is in it."""
    return {
        name: value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
        for name, value in zip(columns, values, strict=True)
    }


def rows_of(
    database: Database, table: str, columns: Sequence[str]
) -> list[tuple[int, tuple[Any, ...] | None, dict[str, Json]]]:
    """Return each row's number, its values or None where its text is none, and the row as JSON."""
    found = []
    none_is_blob = [False] * len(columns)
    for number, *values in database.rows(select_raw(table, ["rowid", *columns]) + "ORDER BY rowid"):
        found.append((int(number), text(values, none_is_blob), shown(values, columns)))
    return found
