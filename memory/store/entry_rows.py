"""Entries as rows of the table `entries`, with what they are found by: place, subject and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.entry import Entry
from memory.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memory.codec import Json

PLACES: Final = ("location", "location_name", "place")
SUBJECTS: Final = ("enemy_pokemon", "species", "subject", "objective_id")
UNSEARCHED: Final = ":sensory"  # how the scopes end whose entries are gone before they are missed

COLUMNS: Final = (
    "seq, scope, kind, tick, game_s, data, tags, importance, expires_s, "
    "coalesce(key, ''), version, relevance, utility, status, sources, closed"
)
LIVE: Final = f"SELECT {COLUMNS} FROM entries WHERE dropped_after IS NULL ORDER BY seq"  # noqa: S608
INSERT: Final = (
    "INSERT INTO entries (id, seq, scope, kind, tick, game_s, data, tags, importance, expires_s, "
    "key, version, relevance, utility, status, sources, closed, place, subject, text) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def entry_of(row: tuple[Any, ...]) -> Entry:
    """Return the entry that a row of `COLUMNS` holds."""
    data, tags, sources = row[5], row[6], row[14]
    tags_then = frozenset(() if tags == "[]" else decode(tags))
    evidence = () if sources == "[]" else tuple(decode(sources))
    return Entry._make((*row[:5], dict(decode(data)), tags_then, *row[7:14], evidence, row[15]))


def row_of(number: int, entry: Entry) -> tuple[Any, ...]:
    """Return the row that `INSERT` takes, under the id `number`."""
    data = entry.data
    return (
        number,
        *entry[:5],
        encode(data),
        encode(sorted(entry.tags)) if entry.tags else "[]",
        entry.importance,
        entry.expires_s,
        entry.key or None,
        *entry[10:14],
        encode(entry.sources) if entry.sources else "[]",
        entry.closed,
        place_of(data),
        subject_of(data),
        text_of(entry),
    )


def place_of(data: Mapping[str, Json]) -> str:
    """Return where it was, or an empty text."""
    return _first(data, PLACES)


def subject_of(data: Mapping[str, Json]) -> str:
    """Return whom or what it is about, or an empty text."""
    return _first(data, SUBJECTS)


def text_of(entry: Entry) -> str:
    """Return the words worth searching; none in scopes that come and go with every tick."""
    if entry.scope.endswith(UNSEARCHED):
        return ""
    # A key that was only counted says nothing.
    key = "" if entry.key.endswith(f"/{entry.seq}") else entry.key
    words = (entry.kind, key, *sorted(entry.tags), *_words(entry.data))
    return " ".join(filter(None, words))


def _first(data: Mapping[str, Json], names: tuple[str, ...]) -> str:
    for name in names:
        value = data.get(name)
        if value and isinstance(value, str):
            return value
    return ""


def _words(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _words(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _words(each)
