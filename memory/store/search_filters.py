"""What must hold of every entry that a query may return, as conditions in SQL with named values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memory.recall.query import RECOLLECTION, MemoryQuery

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_WORDS: Final = 16  # of a text that are looked for
_WILD: Final = "*?["


class Filters(NamedTuple):
    """Conditions that must all hold, and the values they name."""

    conditions: tuple[str, ...]
    values: dict[str, object]


def filters(query: MemoryQuery, now_s: float) -> Filters:
    """Return the conditions of `query` that no cue and no index takes care of.

    Columns carry a plus sign where an index on them would bring more rows than the cue's own.
    """
    conditions = ["dropped_after IS NULL"]
    values: dict[str, object] = {}

    def name(prefix: str, given: Iterable[object]) -> list[str]:
        names = {f"{prefix}{number}": value for number, value in enumerate(given)}
        values.update(names)
        return [f":{each}" for each in names]

    if query.scopes:
        globs = name("scope", map(_glob, query.scopes))
        conditions.append(f"({' OR '.join(f'entries.scope GLOB {each}' for each in globs)})")
    if query.kinds:
        conditions.append(f"+kind IN ({', '.join(name('kind', query.kinds))})")
    else:
        conditions.append(f"kind <> '{RECOLLECTION}'")
    conditions += [f"{_TAGGED} = {each})" for each in name("all", sorted(query.all_of))]
    if query.any_of:
        conditions.append(f"{_TAGGED} IN ({', '.join(name('any', sorted(query.any_of)))}))")
    conditions += [f"NOT {_TAGGED} = {each})" for each in name("none", sorted(query.none_of))]
    if (since := query.earliest(now_s)) is not None:
        conditions += [f"game_s >= {each}" for each in name("since", [since])]
    if query.until_s is not None:
        conditions += [f"game_s <= {each}" for each in name("until", [query.until_s])]
    if query.key_pattern:
        conditions += [f"key GLOB {each}" for each in name("key", [_glob(query.key_pattern)])]
    if query.min_relevance > 0:
        conditions.append("relevance_left(entries.scope, relevance, :now - game_s) >= :relevance")
        values["relevance"] = query.min_relevance
    if not query.include_expired:
        conditions.append("(expires_s IS NULL OR expires_s > :now)")
    if not query.include_closed:
        conditions.append("closed = ''")
    return Filters(tuple(conditions), values)


# By the entry's own tags: the index of tags does not hold those of scopes that come and go with every tick.
_TAGGED: Final = "EXISTS (SELECT 1 FROM json_each(entries.tags) WHERE value"


def matching(query: MemoryQuery) -> str:
    """Return what the index of words is asked for: any of the words; nothing when there are none."""
    return " OR ".join(f'"{word}"' for word in query.words[:MOST_WORDS])


def literal(pattern: str) -> str:
    """Return what every text that the glob `pattern` names begins with."""
    end = next((at for at, each in enumerate(pattern) if each in _WILD), len(pattern))
    return pattern[:end]


def _glob(pattern: str) -> str:
    """Return a glob of Python's spelling in SQLite's."""
    return pattern.replace("[!", "[^")
