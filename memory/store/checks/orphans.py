"""What belongs to something that is not there: origins of no row, words of no entry, lessons of runs nobody knows."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from memory.store.checks.finding import Finding
from memory.store.checks.raw import columns_of
from memory.store.knowledge_tables import BY_NAME
from memory.tiers.shares import BY_HAND, MANAGER, OF_OLD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.codec import Json
    from memory.store.checks.finding import Mend
    from memory.store.checks.held import Held
    from memory.store.database import Database

NO_RUNS: Final = frozenset({BY_HAND, MANAGER})  # who teaches without having played
_OF_RUN: Final = re.compile(r"run:(?P<run>.+)|(?P<entry>[^/:]+)/\d+")


def orphans(held: Held) -> Iterator[Finding]:
    """Yield what belongs to nothing."""
    yield from _provenance(held)
    yield from _lessons(held)
    yield from _evidence(held)
    yield from _other_tables(held)


def words_astray(database: Database, table: str, index: str, indexed: str) -> Iterator[Finding]:
    """Yield where the index of words `index` has other rows than those of `table` that `indexed` selects.

    It keeps a row for each text in a table of its own.
    """
    docs = f'SELECT id FROM "{index}_docsize"'  # noqa: S608  # names of our own schema
    wanted = f'SELECT id FROM "{table}" WHERE {indexed}'  # noqa: S608
    for first, second, what in (
        (docs, wanted, "words are kept of {} entries that are not there"),
        (wanted, docs, "{} entries cannot be found by their words"),
    ):
        ((number,),) = database.rows(f"SELECT count(*) FROM ({first} EXCEPT {second})")  # noqa: S608
        if number:
            yield Finding(
                "orphan",
                f"the index {index}",
                what.format(number),
                "searches find what is gone, or miss what is there",
                "the index is made anew",
                lambda mending: mending.reindex(),
            )


def _provenance(held: Held) -> Iterator[Finding]:
    unreadable = {(each.table, each.id) for each in held.broken}
    for (table, memory_id), where in held.provenance.items():
        if table in BY_NAME and (
            memory_id in held.records[table] or (table, memory_id) in unreadable
        ):
            continue
        yield Finding(
            "orphan",
            f"provenance of {table} {memory_id}",
            f"it says where a row comes from that is not there (run {where.run_id}, tick {where.tick})",
            "should a row of that name come back, it would pass for what taught the lost one",
            "it is archived",
            _dropping(table, memory_id, [*where[:5], list(where.evidence)]),
        )
    for table, memory_id in held.lost:
        yield Finding(
            "damage",
            f"provenance of {table} {memory_id}",
            "nobody can read where it comes from",
            "whoever asks for it gets an error",
            "it is let go of; the row itself stays",
            _dropping(table, memory_id, "unreadable"),
        )


def _dropping(table: str, memory_id: str, row: Json) -> Mend:
    return lambda mending: mending.drop_provenance(table, memory_id, row)


def _lessons(held: Held) -> Iterator[Finding]:
    """Yield runs that taught more than they are known to have delivered: resumed, they would teach it again."""
    taught: defaultdict[str, int] = defaultdict(int)
    for (table, memory_id), where in held.provenance.items():
        if memory_id in held.records.get(table, ()) and where.run_id:
            taught[where.run_id] = max(taught[where.run_id], where.sequence)
    for known, _ in held.entries:
        taught[known.run_id] = max(taught[known.run_id], known.sequence)
    for run_id, sequence in sorted(taught.items()):
        if run_id in NO_RUNS or run_id.startswith(OF_OLD):
            continue  # what they say is no lesson
        delivered = held.deliveries.get(run_id)
        if delivered is not None and delivered >= sequence:
            continue
        so_far = "no lesson" if delivered is None else f"lessons up to {delivered}"
        yield Finding(
            "orphan",
            f"deliveries of run {run_id}",
            f"its lesson {sequence} is here, but {so_far} of it is known to have been delivered",
            "should the run be resumed, it would teach all that once more, and it would be counted twice",
            f"{sequence} is noted as its last lesson",
            _noting(run_id, sequence),
        )


def _noting(run_id: str, sequence: int) -> Mend:
    return lambda mending: mending.note_delivery(run_id, sequence)


def _evidence(held: Held) -> Iterator[Finding]:
    known = {*held.deliveries, *(where.run_id for where in held.provenance.values())}
    for each, _ in held.entries:
        known |= {each.origin, each.run_id}
    for name, sources in _sources(held):
        lost = [each for each in sources if not _leads_somewhere(each, known)]
        if lost:
            yield Finding(
                "orphan",
                name,
                f"its evidence {', '.join(map(repr, lost))} leads nowhere: no such run ever taught this file",
                "nobody can look up why it is believed",
            )


def _sources(held: Held) -> Iterator[tuple[str, Sequence[str]]]:
    for (table, memory_id), where in held.provenance.items():
        if memory_id in held.records.get(table, {}):
            yield f"{table} {memory_id}", where.evidence
    for _, entry in held.entries:
        yield f"entry {entry.key}", entry.sources


def _leads_somewhere(source: str, known: set[str]) -> bool:
    if not source.strip():
        return False
    named = _OF_RUN.fullmatch(source)
    return named is None or (named["run"] or named["entry"]) in known


def _other_tables(held: Held) -> Iterator[Finding]:
    """Yield rows of tables that name runs, whichever they are, of runs that never taught this file."""
    tables = held.database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    for (table,) in tables:
        if table in {"provenance", "deliveries", "ltm_entries"}:
            continue
        if "run_id" in columns_of(held.database, table):
            sql = f'SELECT DISTINCT run_id FROM "{table}" ORDER BY run_id'  # noqa: S608
            for (run_id,) in held.database.rows(sql):
                if run_id not in {*held.deliveries, *NO_RUNS} and not run_id.startswith(OF_OLD):
                    yield Finding(
                        "orphan",
                        table,
                        f"it has rows of run {run_id}, which never delivered anything to this file",
                        "what it counts of that run cannot be traced",
                    )
