"""The two schemas of memory files, and the shape of a file: all that its schema names, and how it differs from its version's.

Each schema is an SQL script, and a script for each change: migrations are only appended, and existing statements never
change. A file from elsewhere may hold what no version has: triggers that delete, views that never end, generated columns.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, Final, TypeAlias

RUN_FILE: Final = "run.sqlite"  # in the folder of a run
MEMORY_ID: Final = 0x52454412
RUN_ID: Final = 0x52454411
NAMES: Final = {MEMORY_ID: "memory file", RUN_ID: "record of a run"}  # of files, by application id
EXAMPLES: Final = {MEMORY_ID: "memory.sqlite", RUN_ID: RUN_FILE}

ShapeRow: TypeAlias = tuple[Any, ...]  # type, name, table and statement, as a file has them
SHAPE: Final = "SELECT type, name, tbl_name, substr(sql, 1, 100000) FROM sqlite_schema LIMIT ?"
MORE_ROWS: Final = 10  # read beyond what is expected: the first difference is enough
# Tables that SQLite makes by itself, in any file.
_STATISTICS: Final = frozenset(
    ("table", name, name, f"CREATE TABLE {name}({columns})")
    for name, columns in (
        ("sqlite_stat1", "tbl,idx,stat"),
        ("sqlite_stat4", "tbl,idx,neq,nlt,ndlt,sample"),
    )
)


@dataclass(frozen=True, slots=True)
class Schema:
    """One kind of file: its name, its application id in the header, and its migrations.

    Each migration is a tuple of statements; the first makes version `oldest`. The list is only ever appended to; existing
    items never change. `retired` is the application id of files from before version 1, which are refused, as older versions
    are. A file of more than `most_rows` or `most_bytes` is not read, 0 for no limit.
    """

    name: str
    application_id: int
    migrations: tuple[tuple[str, ...], ...]
    retired: int = 0
    oldest: int = 1
    most_rows: int = 0
    most_bytes: int = 0

    @property
    def newest(self) -> int:
        """The version that this program writes."""
        return self.oldest + len(self.migrations) - 1

    def migrations_to(self, version: int) -> tuple[tuple[str, ...], ...]:
        """Return the migrations that make `version` of an empty file."""
        return self.migrations[: max(version - self.oldest + 1, 0)]


def wanted(schema: Schema) -> str:
    """Return which file to name, with an example."""
    example = EXAMPLES.get(schema.application_id)
    return f"a {schema.name}, such as {example}" if example else f"a {schema.name}"


@cache
def expected_shape(
    schema: Schema, version: int, shape_of: Callable[[Iterable[str]], list[ShapeRow]]
) -> frozenset[ShapeRow]:
    """Return the shape of a version; `shape_of` returns what statements make of an empty file."""
    statements = chain.from_iterable(schema.migrations_to(version))
    return frozenset(map(_normal, shape_of(statements)))


def shape_fault(
    version: int, found: Sequence[ShapeRow], expected: frozenset[ShapeRow]
) -> str | None:
    """Return the first difference between the shape of a file and the one that its version makes, None without one."""
    if version < 0:
        return f"its version is {version}"
    there = {_normal(row) for row in found} - _STATISTICS
    names = {row[:2] for row in expected}
    for kind, name, *_ in sorted(there - expected, key=repr):
        verb = "differs from" if (kind, name) in names else "is not in"
        return f"its {_plain(kind)} {_plain(name)} {verb} version {version}"
    missing = sorted(row[:2] for row in expected - there)
    return "its {} {} is missing".format(*missing[0]) if missing else None


def tables_in(shape: frozenset[ShapeRow]) -> list[str]:
    """Return the names of all tables of a shape."""
    return sorted(str(name) for kind, name, *_ in shape if kind == "table")


def _normal(row: ShapeRow) -> ShapeRow:
    kind, name, table, sql = row
    return kind, name, table, " ".join(sql.split()) if isinstance(sql, str) else sql


def _plain(name: object) -> str:
    """Return a name of a file in a few printable characters."""
    return "".join(each if each.isprintable() else "?" for each in str(name))[:40]


def script(package: str, name: str) -> tuple[str, ...]:
    """Return the statements of a script in a package; blank lines separate statements, comments precede them."""
    lines = (files(package) / name).read_text(encoding="utf-8").splitlines()
    sql = "\n".join(line for line in lines if not line.startswith("--"))
    return tuple(sql.strip().removesuffix(";").split(";\n\n"))


RUN_SCHEMA: Final = Schema(
    name=NAMES[RUN_ID],
    application_id=RUN_ID,
    retired=0x52454401,
    migrations=(script("memory.store", "run.sql"),),
)
KNOWLEDGE_SCHEMA: Final = Schema(
    name=NAMES[MEMORY_ID],
    application_id=MEMORY_ID,
    retired=0x52454402,
    oldest=3,
    migrations=(script("memory.store", "knowledge.sql"),),
    most_rows=150_000,
    most_bytes=64 << 20,
)
