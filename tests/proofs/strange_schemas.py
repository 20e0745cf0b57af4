"""Files with random additions or changes in their schema, and each command that opens one."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

from tests.proofs.hostile_files import COMMANDS, MOST_CPU_S, MOST_MB, Ended, run, stage_copy
from tests.proofs.workers import Row

Change: TypeAlias = Callable[[Random, Sequence[str]], str]

FILES: Final[Mapping[str, Sequence[str]]] = {
    "memory.sqlite": (
        *(each for each in COMMANDS["memory.sqlite"] if not each.startswith("play --resume")),
        "memory explain 1 --in memory.sqlite",
        "memory progress memory.sqlite",
        "memory restore --all --in memory.sqlite",
        "memory merge other.sqlite --into memory.sqlite",
    ),
    "night/run.sqlite": (*COMMANDS["night/run.sqlite"], "replay night --decide"),
    "tapes/tapes.sqlite": COMMANDS["tapes/tapes.sqlite"],
}
# Commands that go on without the file: they say so, and end as they would without it.
GO_ON: Final = ("runs", "overnight", "report", "plan")
ENDLESS: Final = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


def _trigger(chance: Random, tables: Sequence[str]) -> str:
    table, other = chance.choice(tables), chance.choice(tables)
    moment = f"{chance.choice(('BEFORE', 'AFTER'))} {chance.choice(('INSERT', 'UPDATE', 'DELETE'))}"
    what = chance.choice(
        (
            f"DELETE FROM {other}",
            "SELECT RAISE(IGNORE)",
            f"{ENDLESS} SELECT max(i) FROM n",
            f"INSERT INTO {other} SELECT * FROM {other}",
            "SELECT RAISE(ABORT, 'no')",
        )
    )
    if what.startswith("WITH"):
        what = f"SELECT (SELECT max(i) FROM ({ENDLESS} SELECT i FROM n))"
    return f"CREATE TRIGGER t{chance.randrange(9)} {moment} ON {table} BEGIN {what}; END"


def _view_instead(chance: Random, tables: Sequence[str]) -> str:
    table = chance.choice(tables)
    source = chance.choice((f"{ENDLESS} SELECT old.* FROM n, old", "SELECT * FROM old"))
    return (
        f"PRAGMA legacy_alter_table = ON; ALTER TABLE {table} RENAME TO old;"
        f" CREATE VIEW {table} AS {source}"
    )


def _virtual_instead(chance: Random, tables: Sequence[str]) -> str:
    table = chance.choice(tables)
    return (
        f"PRAGMA legacy_alter_table = ON; ALTER TABLE {table} RENAME TO old;"
        f" CREATE VIRTUAL TABLE {table} USING fts5 (id, hash)"
    )


CHANGES: Final[Mapping[str, Change]] = {
    "a trigger": _trigger,
    "a trigger again": _trigger,
    "a view for a table": _view_instead,
    "a virtual table for a table": _virtual_instead,
    "a computed column": lambda chance, tables: (
        f"ALTER TABLE {chance.choice(tables)} ADD COLUMN more TEXT AS (hex(zeroblob(1000)))"
    ),
    "an index of an expression": lambda chance, tables: (
        f"CREATE INDEX i ON {chance.choice(tables)} (1 + 1)"
    ),
    "a lost table": lambda chance, tables: f"DROP TABLE {chance.choice(tables)}",
}
ADDITIONS: Final[Mapping[str, Change]] = {  # that other programs may have beside a tape
    "a view": lambda _chance, _tables: f"CREATE VIEW v AS {ENDLESS} SELECT i FROM n",
    "a table": lambda chance, _tables: f"CREATE TABLE more{chance.randrange(9)} (x)",
    "many tables": lambda _chance, _tables: "; ".join(
        f"CREATE TABLE more{number} (x)" for number in range(3_000)
    ),
    "a column": lambda chance, tables: f"ALTER TABLE {chance.choice(tables)} ADD COLUMN more TEXT",
    "a version": lambda chance, _tables: (
        f"PRAGMA user_version = {chance.choice((-5, 0, -1 << 31))}"
    ),
    "a long statement": lambda chance, _tables: (
        f"CREATE TABLE more (x /* {'x' * chance.choice((1_000, 900_000))} */)"
    ),
    "another statement": lambda chance, tables: (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
        f"replace(sql, 'NOT NULL', 'NOT NULL DEFAULT 1') WHERE name = '{chance.choice(tables)}' OR name = '{tables[0]}'"
    ),
}


def schemas_job(number: int) -> Row:
    """Change the schema of one file, run one command that opens it, and check its end; `number` chooses all."""
    chance = Random(number)
    name = list(FILES)[number % 5 % 3] if number % 5 else "memory.sqlite"
    changes = CHANGES if name.startswith("tapes") else {**CHANGES, **ADDITIONS}
    kind = chance.choice(list(changes))
    command = chance.choice(FILES[name])
    with stage_copy() as home:
        path = home / name
        is_changed = _change(path, changes[kind], chance)
        before = _digest(path)
        ended = run(command.split(), home)
        after = _digest(path)
    problems = []
    if not is_changed:
        problems.append("the schema is as it was")
    if before != after and not command.startswith("overnight"):
        problems.append("the file was changed")
    if ended.code < 0 or "Traceback" in ended.err + ended.out or "unexpected" in ended.err:
        problems.append(f"ended with {ended.code}: {ended.err[-600:]}")
    if ended.megabytes > MOST_MB or ended.cpu_s > MOST_CPU_S:
        problems.append(f"{ended.cpu_s:.1f} s, {ended.megabytes:.0f} MB")
    if not command.startswith(GO_ON):
        problems += _unclear(ended, path)
    return ended.row(number, name, kind, command, problems)


def _unclear(ended: Ended, path: Path) -> Iterator[str]:
    """Yield what is wrong with the end of a command that cannot go on without the file."""
    lines = ended.errors
    if ended.code == 0:
        yield "it ended as if all was well"
    if len(lines) != 1:
        yield f"{len(lines)} lines of errors: {ended.err[-300:]}"
    if lines and path.name not in lines[0]:
        yield f"the line does not name the file: {lines[0]}"


def _change(path: Path, change: Change, chance: Random) -> bool:
    """Change the schema of a file; return whether it differs."""
    listed = (
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' "
        "AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'entry_text%' ORDER BY name"
    )
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute(listed)]
        if "nodes" in tables:
            tables = ["nodes"]  # the only one that is read
        schema = "SELECT type, name, sql FROM sqlite_schema"
        before = database.execute(schema).fetchall(), _version(database)
        database.executescript(change(chance, tables))
        database.commit()
        database.execute("PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(path)) as database:
        return (database.execute(schema).fetchall(), _version(database)) != before


def _version(database: sqlite3.Connection) -> int:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return int(version)


def _digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes()).hexdigest()
