"""Entries that outlive runs as rows of the table `ltm_entries`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memory.blackboard.entry import Entry
from memory.codec import Json, decode, encode
from memory.store.entry_rows import encode_tags, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.store.run_rows import OutboxRow

COLUMNS: Final = (
    "id, scope, kind, tick, game_s, data, tags, importance, key, version, relevance, utility, "
    "status, sources, closed, origin, run_id, sequence, count, merged, text"
)
SELECT: Final = f"SELECT {COLUMNS} FROM ltm_entries "  # noqa: S608
INSERT: Final = (
    "INSERT INTO ltm_entries (id, scope, kind, tick, game_s, data, tags, importance, key, version, "
    "relevance, utility, status, sources, closed, origin, run_id, sequence, count, merged, text) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
SCOPE: Final = 1
KEY: Final = 8
SOURCES: Final = 13
LASTING: Final = ("agent:?*:ltm:?*", "team:?*", "collective")  # the scopes that outlive a run
RUN: Final = "run:"  # how a source begins that names the run something was learnt in


def entry_of(row: tuple[Any, ...]) -> Entry:
    """Return the entry that a row of `COLUMNS` holds; the run it comes from is among its sources."""
    sources, learnt_in = tuple(decode(row[SOURCES])), f"{RUN}{row[15]}"
    if learnt_in not in sources:
        sources = (*sources, learnt_in)
    data, tags = dict(decode(row[5])), frozenset(decode(row[6]))
    return Entry._make((*row[:5], data, tags, row[7], None, *row[8:13], sources, row[14]))


def archived(row: tuple[Any, ...]) -> dict[str, Json]:
    """Return the whole of a row of `COLUMNS` as the archive keeps it."""
    whole = dict(zip(COLUMNS.split(", "), row, strict=True))
    del whole["text"]
    return whole | {name: decode(whole[name]) for name in ("data", "tags", "sources", "merged")}


def entry_in(run_id: str, lesson: OutboxRow) -> tuple[Entry, str]:
    """Return the entry that a lesson of `run_id` carries, and its origin: the run that learnt it first.

    Its key begins with the origin, so that those of different runs never collide.
    """
    payload: Mapping[str, Any] = lesson.payload
    key, sources = payload.get("key") or f"lesson-{lesson.sequence}", payload.get("sources", ())
    names = (each.removeprefix(RUN) for each in sources if each.startswith(RUN))
    origin = next((name for name in names if key.startswith(f"{name}/")), run_id)
    entry = Entry(
        0,
        payload["scope"],
        payload["kind"],
        payload.get("tick", lesson.tick),
        payload.get("game_s", 0.0),
        payload["data"],
        frozenset(payload["tags"]),
        payload["importance"],
        None,
        key if key.startswith(f"{origin}/") else f"{origin}/{key}",
        1,
        payload.get("relevance", 1.0),
        payload.get("utility", 0.5),
        payload.get("status", "verified"),
        tuple(sources),
        payload.get("closed", ""),
    )
    return entry, origin


class Taught(NamedTuple):
    """How an entry came to be known: where first, by which lesson last, how often, and as what else."""

    origin: str
    run_id: str
    sequence: int
    times: int = 1
    merged: tuple[str, ...] = ()


def taught(row: tuple[Any, ...]) -> Taught:
    """Return how the entry in a row of `COLUMNS` came to be known."""
    return Taught._make((*row[15:19], tuple(decode(row[19]))))


def keys_of(row: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the keys of all that became the row of `COLUMNS`, its own first."""
    return row[KEY], *decode(row[19])


def row_of(entry: Entry, known: Taught) -> tuple[object, ...]:
    """Return the row that `INSERT` takes, all but its id."""
    return (
        *entry[1:5],
        encode(entry.data),
        encode_tags(entry.tags),
        entry.importance,
        *entry[9:14],
        encode(entry.sources),
        entry.closed,
        *known[:4],
        encode(known.merged),
        text_of(entry),
    )
