"""Checking a file of memory, and repairing it: what is wrong, a copy first, one transaction, and what remains."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory.errors import CorruptStore, StoreError
from memory.store.checks.finding import Finding
from memory.store.checks.knowledge import check_knowledge
from memory.store.checks.mending import Mending
from memory.store.checks.run import check_run
from memory.store.checks.run_mending import RunMending
from memory.store.copies import copy_beside
from memory.store.database import open_database
from memory.store.run_folder import LOCK, own
from memory.store.run_schema import RUN_SCHEMA
from memory.store.sound import open_sound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memory.store.database import Database, Schema

COPY: Final = "before-repair"


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was put right, what remains, and the copy of the file as it was; None where nothing was changed."""

    mended: tuple[Finding, ...]
    remaining: tuple[Finding, ...]
    copy: Path | None


def check_file(path: Path, *, now: float) -> list[Finding]:
    """Return what is wrong with what `path` holds; the file itself is not touched."""
    opened = open_sound(path)
    try:
        copy = opened.database.copied()
    finally:
        opened.database.close()
    try:
        return list(_check(copy, opened.schema, now))
    finally:
        copy.close()


def repair_file(path: Path, *, now: float) -> Repaired:
    """Put right what has an obvious right answer, in one transaction, after a copy was made beside the file."""
    with writing(path) as (database, schema):
        findings = list(_check_copy(database, schema, now))
        if not any(each.mend for each in findings):
            return Repaired((), tuple(findings), None)
        copy = copy_beside(database, COPY)
        with database.transaction(), _mendable(database):
            mended = _mend(database, schema, now)
            remaining = tuple(_check(database, schema, now))
        done = tuple(each for each in mended if each not in remaining)
        return Repaired(done, remaining, copy)


@contextmanager
def writing(path: Path) -> Iterator[tuple[Database, Schema]]:
    """Lend a whole file for writing, without letting its knowledge fade; a run that is played is refused."""
    opened = open_sound(path)
    opened.database.close()
    lock = None
    if opened.is_run and (opened.path.parent / LOCK).exists():
        with own(opened.path.parent) as lock:
            pass
    try:
        database = open_database(opened.path, opened.schema)
        try:
            yield database, opened.schema
        finally:
            database.close()
    finally:
        if lock is not None:
            lock.release()


@contextmanager
def _mendable(database: Database) -> Iterator[None]:
    """Call a file damaged where its own indexes forbid to mend it, so that what it holds is saved in a new one."""
    try:
        yield
    except StoreError as error:
        message = f"{database.path} is damaged, and cannot be mended where it is ({error})"
        raise CorruptStore(message) from error


def _mend(database: Database, schema: Schema, now: float) -> list[Finding]:
    """Return what was mended, one sort after the other, since what is mended may change what else is wrong.

    A contradiction is mended alone: the next may be about the same things.
    """
    mending = RunMending(database) if schema is RUN_SCHEMA else Mending(database, now=now)
    mended: dict[Finding, None] = {}
    while todo := [each for each in _check(database, schema, now) if each.mend]:
        todo = [each for each in todo if each not in mended]
        batch = [each for each in todo if each.sort == todo[0].sort] if todo else []
        if batch and batch[0].sort == "contradiction":
            del batch[1:]
        for each in batch:
            assert each.mend is not None
            each.mend(mending)
            mended[each] = None
        if not batch:
            break
    return list(mended)


def _check_copy(database: Database, schema: Schema, now: float) -> Iterator[Finding]:
    copy = database.copied()
    try:
        yield from _check(copy, schema, now)
    finally:
        copy.close()


def _check(database: Database, schema: Schema, now: float) -> Iterator[Finding]:
    return check_run(database) if schema is RUN_SCHEMA else check_knowledge(database, now=now)
