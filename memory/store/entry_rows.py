"""Entries as rows of the table `entries`, with what they are found by: place, subject and words."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.entry import Entry
from memory.codec import decode, encode, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
        whole(encode(data)),
        encode_tags(entry.tags),
        entry.importance,
        entry.expires_s,
        entry.key or None,
        *entry[10:14],
        encode(entry.sources) if entry.sources else "[]",
        entry.closed,
        whole(place_of(data)),
        whole(subject_of(data)),
        whole(text_of(entry)),
    )


@lru_cache(maxsize=1024)  # the same few sets come again and again
def encode_tags(tags: frozenset[str]) -> str:
    """Return the one JSON text of a set of tags."""
    return encode(sorted(tags))


def is_searched(entry: Entry) -> bool:
    """Return whether `entry` is to be found by words and tags: not what is soon gone, nor what is least in value."""
    return not entry.scope.endswith(UNSEARCHED) and (entry.importance > 1 or bool(entry.tags))


def place_of(data: Mapping[str, Json]) -> str:
    """Return where it was, or an empty text."""
    return _first(data, PLACES)


def subject_of(data: Mapping[str, Json]) -> str:
    """Return whom or what it is about, or an empty text."""
    return _first(data, SUBJECTS)


def text_of(entry: Entry) -> str:
    """Return the words worth searching; none in scopes that come and go with every tick."""
    if not is_searched(entry):
        return ""
    words, key = [entry.kind], entry.key
    if not key[key.rfind("/") + 1 :].isdigit():  # a key that was only counted says nothing
        words.append(key)
    words += sorted(entry.tags)
    _collect(entry.data.values(), words)
    return " ".join(filter(None, words))


def _first(data: Mapping[str, Json], names: tuple[str, ...]) -> str:
    for name in names:
        value = data.get(name)
        if value and isinstance(value, str):
            return value
    return ""


def _collect(values: Iterable[Json], words: list[str]) -> None:
    for value in values:
        if isinstance(value, str):
            words.append(value)
        elif isinstance(value, dict):
            _collect(value.values(), words)
        elif isinstance(value, list | tuple):
            _collect(value, words)
