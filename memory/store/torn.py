"""A copy of a damaged file that SQLite will at least begin to read."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

from memory.errors import StoreError
from memory.store.database import Database, Schema, open_database, open_torn

if TYPE_CHECKING:
    from pathlib import Path


PAGE: Final = 4096  # bytes, as every file of ours has them
MOST: Final = 1 << 34  # bytes that a header may be believed to speak of
HEADER: Final = 100
_PAGES_AT: Final = (
    28  # where the header says how many pages there are; four bytes of free pages follow
)
_INTERIOR: Final = 5  # the first byte of a page of a table that leads to others


def torn_copy(path: Path, folder: Path) -> Database:
    """Return the copy in `folder` of the file at `path`, with what was committed beside it."""
    copy = folder / "torn.sqlite"
    shutil.copyfile(path, copy)
    with copy.open("r+b") as file:
        head = file.read(HEADER)
        whole = PAGE * int.from_bytes(head[_PAGES_AT : _PAGES_AT + 4], "big")
        # Where its end was cut off SQLite would refuse all of it; empty pages are refused one by one.
        if len(head) == HEADER and path.stat().st_size < whole < MOST:
            file.truncate(whole)
    beside = path.with_name(path.name + "-wal")
    if beside.is_file():
        shutil.copyfile(beside, copy.with_name(copy.name + "-wal"))
    return open_torn(copy)


def torn_copy_with_schema(path: Path, folder: Path, schema: Schema) -> Database:
    """Return a copy whose first pages, which say where tables begin, are those of a new file.

    Tables of every file begin where they begin in a new one, as long as it was made by the same steps.
    """
    folder.mkdir()
    new = folder / "new.sqlite"
    open_database(new, schema).close()
    fresh, torn = new.read_bytes(), bytearray(path.read_bytes())
    torn += bytes(-len(torn) % PAGE)  # its last page may be cut off
    for number in _schema_pages(fresh):
        at = (number - 1) * PAGE
        torn[at : at + PAGE] = fresh[at : at + PAGE]
    pages = len(torn) // PAGE
    torn[_PAGES_AT : _PAGES_AT + 4] = pages.to_bytes(4, "big")
    torn[_PAGES_AT + 4 : _PAGES_AT + 12] = bytes(8)  # no free pages: those there are may be lost
    copy = folder / "torn.sqlite"
    copy.write_bytes(torn)
    return open_torn(copy)


def marked(head: bytes, kinds: tuple[Schema, ...]) -> Schema | None:
    """Return the kind of file that a header says it is, or None where it says nothing that we know."""
    mark = int.from_bytes(head[68:72], "big")
    return next((each for each in kinds if each.application_id == mark), None)


def has_schema(database: Database, schema: Schema) -> bool:
    """Return whether `database` still knows a table of its kind."""
    table = "run" if schema.name.startswith("run") else "tactician_stats"
    try:
        return bool(database.rows("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)))
    except StoreError:
        return False


def _schema_pages(fresh: bytes) -> list[int]:
    """Return the pages of the table of tables in a new file: the first, and those it leads to."""
    first = fresh[HEADER:PAGE]
    if first[0] != _INTERIOR:
        return [1]
    cells = int.from_bytes(first[3:5], "big")
    starts = [int.from_bytes(first[12 + 2 * n : 14 + 2 * n], "big") for n in range(cells)]
    children = [int.from_bytes(fresh[at : at + 4], "big") for at in starts]
    return [1, *children, int.from_bytes(first[8:12], "big")]
