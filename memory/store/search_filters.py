"""What must hold of every entry that a query may return, as conditions in SQL with named values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memory.recall.query import INWARD, MemoryQuery

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_WORDS: Final = 16  # of a text that are looked for
_WILD: Final = "*?["


class Filters(NamedTuple):
    """Conditions that must all hold, and the values they name."""

    conditions: list[str]
    values: dict[str, object]

    def name(self, prefix: str, given: Iterable[object]) -> list[str]:
        """Return a name for each value given."""
        names = {f"{prefix}{number}": value for number, value in enumerate(given)}
        self.values.update(names)
        return [f":{each}" for each in names]

    def each(self, condition: str, prefix: str, given: Iterable[object]) -> None:
        """Demand `condition` of each value given."""
        self.conditions.extend(condition.format(each) for each in self.name(prefix, given))


def filters(query: MemoryQuery, now_s: float) -> Filters:
    """Return the conditions of `query` that no cue and no index takes care of."""
    named = Filters([], {})
    named.conditions.append("dropped_after IS NULL")
    if query.scopes:
        globs = named.name("scope", map(_glob, query.scopes))
        named.conditions.append(f"({' OR '.join(f'entries.scope GLOB {each}' for each in globs)})")
    if query.kinds:
        # The plus sign keeps it a mere filter: an index on kinds would bring more rows than the cue's own.
        named.conditions.append(f"+kind IN ({', '.join(named.name('kind', query.kinds))})")
    else:
        named.each("kind <> {}", "inward", INWARD)
    if query.key_pattern:
        named.each("key GLOB {}", "key", [_glob(query.key_pattern)])
    _by_tags(query, named)
    _by_time(query, named, now_s)
    if not query.include_closed:
        named.conditions.append("closed = ''")
    return named


def _by_tags(query: MemoryQuery, named: Filters) -> None:
    named.each(f"{_TAGGED} = {{}})", "all", sorted(query.all_of))
    if query.any_of:
        names = named.name("any", sorted(query.any_of))
        named.conditions.append(f"{_TAGGED} IN ({', '.join(names)}))")
    named.each(f"NOT {_TAGGED} = {{}})", "none", sorted(query.none_of))


def _by_time(query: MemoryQuery, named: Filters, now_s: float) -> None:
    if (since := query.earliest(now_s)) is not None:
        named.each("game_s >= {}", "since", [since])
    if query.until_s is not None:
        named.each("game_s <= {}", "until", [query.until_s])
    if query.min_relevance > 0:
        left = "relevance_left(entries.scope, relevance, :now - game_s)"
        named.each(f"{left} >= {{}}", "relevance", [query.min_relevance])
    if not query.include_expired:
        named.conditions.append("(expires_s IS NULL OR expires_s > :now)")


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
