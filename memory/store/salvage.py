"""Reading what can still be read of a damaged file into a new one; the damaged one stays as it is."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from memory.errors import CorruptStore, StoreError
from memory.store.checks.finding import columns_of, decoded_row, select_raw
from memory.store.database import Database, Schema, free_name, open_database
from memory.store.knowledge_schema import KNOWLEDGE_SCHEMA
from memory.store.run_schema import RUN_SCHEMA
from memory.store.torn import HEADER, has_schema, marked, torn_copy, torn_copy_with_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


if TYPE_CHECKING:
    Row = tuple[Any, ...]

KINDS: Final = (KNOWLEDGE_SCHEMA, RUN_SCHEMA)
TRIES: Final = 2_000  # questions that may fail for one table, where damage hides how far it goes
HIGHEST: Final = (
    1 << 24
)  # the highest number of a row that is looked for when the file does not say
_TABLES: Final = (
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' "
    "AND name NOT GLOB '*_text*' AND name <> 'entry_tags' ORDER BY rowid"
)


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The new file, how many rows of each table it got, and how many were met that nobody can read."""

    path: Path
    schema: Schema
    saved: dict[str, int]
    lost: int

    @property
    def count(self) -> int:
        """How many rows were saved."""
        return sum(self.saved.values())


def salvage(path: Path) -> Salvaged:
    """Return a new file beside the damaged one at `path`, with all that can still be read of it.

    Raises:
        CorruptStore: when there is nothing to be read; then no new file is left.
    """
    with TemporaryDirectory(prefix="salvage-") as scratch:
        best: Salvaged | None = None
        for number, (schema, torn) in enumerate(_attempts(path, Path(scratch))):
            try:
                made = _copy(torn, Path(scratch) / f"saved-{number}.sqlite", schema)
            finally:
                _close(torn)
            if made.count and (best is None or made.count > best.count):
                best = made
            if best is not None:
                break
        if best is None:
            message = f"{path} is damaged, and nothing in it can be read; put back a copy of it"
            raise CorruptStore(message)
        new = free_name(path, "salvaged")
        saved = open_database(best.path, best.schema)
        try:
            saved.backup(new)
        finally:
            saved.close()
    return Salvaged(new, best.schema, best.saved, best.lost)


def _attempts(path: Path, scratch: Path) -> Iterator[tuple[Schema, Database]]:
    """Yield what to read from: the file as it is, then with the first pages of a new file of its kind."""
    with path.open("rb") as file:
        named = marked(file.read(HEADER), KINDS)
    for schema in (named,) if named else KINDS:
        if named is not None:
            torn = torn_copy(path, scratch)
            if has_schema(torn, schema):
                yield schema, torn
            else:
                _close(torn)
        yield schema, torn_copy_with_schema(path, scratch / schema.name.split()[0], schema)


def _copy(torn: Database, path: Path, schema: Schema) -> Salvaged:
    new = open_database(path, schema)
    saved: dict[str, int] = {}
    lost = 0
    try:
        with new.transaction():
            for table, sql in new.rows(_TABLES):
                saved[table] = 0
                for row in _readable(torn, table, keyed="WITHOUT ROWID" in sql):
                    if row is not None and _put(new, table, *row):
                        saved[table] += 1
                    else:
                        lost += 1
    finally:
        new.close()
    return Salvaged(path, schema, saved, lost)


def _put(new: Database, table: str, columns: Sequence[str], values: Row) -> bool:
    blobs = {
        name
        for name, kind in new.rows("SELECT name, type FROM pragma_table_info(?)", (table,))
        if kind == "BLOB"
    }
    row = decoded_row(values, [name in blobs for name in columns])
    if row is None:
        return False
    names = ", ".join(f'"{name}"' for name in columns)
    marks = ", ".join("?" for _ in columns)
    try:
        done = new.execute(
            f'INSERT OR REPLACE INTO "{table}" ({names}) VALUES ({marks})',  # noqa: S608
            row,
        )
    except StoreError:  # what it says cannot be
        return False
    return done > 0


def _readable(torn: Database, table: str, *, keyed: bool) -> Iterator[tuple[list[str], Row] | None]:
    """Yield columns and values of each row that can be read, and None for one of which it is known that it cannot."""
    try:
        columns = columns_of(torn, table)
    except StoreError:
        return
    if not columns:
        return
    rows = _by_key(torn, table, columns) if keyed else _by_number(torn, table, columns)
    for values in rows:
        yield None if values is None else (columns, values)


def _by_number(torn: Database, table: str, columns: Sequence[str]) -> Iterator[Row | None]:
    """Yield the rows of a table by halving what cannot be read at once, until one row is left or patience is out."""
    sql = select_raw(table, columns) + "WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    stretches = deque([(-1, _highest(torn, table))])
    tries = TRIES
    while stretches and tries:
        low, high = stretches.popleft()
        try:
            yield from torn.rows(sql, (low, high))
        except StoreError:
            tries -= 1
            if low == high:
                yield None
            else:
                middle = (low + high) // 2
                stretches += [(low, middle), (middle + 1, high)]


def _highest(torn: Database, table: str) -> int:
    def ask(sql: str, *parameters: str) -> int:
        try:
            row = torn.row(sql, parameters)
        except StoreError:
            return 0
        return int(row[0]) if row is not None and isinstance(row[0], int) else 0

    found = max(
        ask(f'SELECT max(rowid) FROM "{table}"'),  # noqa: S608
        ask("SELECT seq FROM sqlite_sequence WHERE name = ?", table),
    )
    return min(found, HIGHEST) or HIGHEST


def _by_key(torn: Database, table: str, columns: Sequence[str]) -> Iterator[Row | None]:
    """Yield the rows of a table without numbers from both its ends, as far as they can be read."""
    keys = [
        str(name)
        for (name,) in torn.rows(
            "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (table,)
        )
    ]
    seen: set[Row] = set()
    for order, sign in (("ASC", ">"), ("DESC", "<")):
        last: Row | None = None
        while (row := _next(torn, table, columns, keys, (order, sign), last)) is not None:
            last = row[: len(keys)]
            if last in seen:
                break
            seen.add(last)
            yield row[len(keys) :]


def _next(
    torn: Database,
    table: str,
    columns: Sequence[str],
    keys: Sequence[str],
    way: tuple[str, str],
    last: Row | None,
) -> Row | None:
    order, sign = way
    names = ", ".join(f'"{name}"' for name in keys)
    where = "" if last is None else f"WHERE ({names}) {sign} ({', '.join('?' for _ in keys)}) "
    ordered = ", ".join(f'"{name}" {order}' for name in keys)
    plain = select_raw(table, columns)
    sql = plain.replace("SELECT ", f"SELECT {names}, ", 1) + f"{where}ORDER BY {ordered} LIMIT 1"
    try:
        return torn.row(sql, last or ())
    except StoreError:
        return None


def _close(torn: Database) -> None:
    with suppress(StoreError):  # the scratch folder goes in any case
        torn.close()
