"""The search in the entries of one run's file: indexes yield a bounded number of candidates, which SQL ranks.

All filters apply before any limit, and only the results are decoded.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import cache
from typing import Final, NamedTuple

from memory.blackboard.entry import scope_of
from memory.recall.query import INTERNAL_KINDS, MemoryQuery, Score, ScoredEntry, Weights
from memory.store.database import Database
from memory.store.entries import COLUMNS, UNSEARCHED, entry_of

MAX_WORDS: Final = 16  # of a query text


class Filters(NamedTuple):
    """SQL conditions that must all hold, and their where values."""

    conditions: list[str]
    values: dict[str, object]

    def bind(self, prefix: str, given: Iterable[object]) -> list[str]:
        """Bind each value, and return the parameter names."""
        names = {f"{prefix}{number}": value for number, value in enumerate(given)}
        self.values.update(names)
        return [f":{each}" for each in names]

    def require_each(self, condition: str, prefix: str, given: Iterable[object]) -> None:
        """Require `condition` for each value."""
        self.conditions.extend(condition.format(each) for each in self.bind(prefix, given))


def filters(query: MemoryQuery, now_s: float) -> Filters:
    """Return the conditions of `query` that no index answers."""
    where = Filters(["dropped_after IS NULL"], {})
    if query.scopes:
        globs = where.bind("scope", map(_glob, query.scopes))
        where.conditions.append(f"({' OR '.join(f'entries.scope GLOB {each}' for each in globs)})")
    if query.kinds:
        # The plus sign prevents the index on kinds, which would yield more rows than that of the cue.
        where.conditions.append(f"+kind IN ({', '.join(where.bind('kind', query.kinds))})")
    else:
        where.require_each("kind <> {}", "inward", INTERNAL_KINDS)
    if query.key_pattern:
        where.require_each("key GLOB {}", "key", [_glob(query.key_pattern)])
    _by_tags(query, where)
    _by_time(query, where, now_s)
    if not query.include_closed:
        where.conditions.append("closed = ''")
    return where


def _by_tags(query: MemoryQuery, where: Filters) -> None:
    where.require_each(f"{_TAGGED} = {{}})", "all", sorted(query.all_of))
    if query.any_of:
        names = where.bind("any", sorted(query.any_of))
        where.conditions.append(f"{_TAGGED} IN ({', '.join(names)}))")
    where.require_each(f"NOT {_TAGGED} = {{}})", "none", sorted(query.none_of))


def _by_time(query: MemoryQuery, where: Filters, now_s: float) -> None:
    if (since := query.earliest(now_s)) is not None:
        where.require_each("game_s >= {}", "since", [since])
    if query.until_s is not None:
        where.require_each("game_s <= {}", "until", [query.until_s])
    if query.min_relevance > 0:
        left = "relevance_left(entries.scope, relevance, :now - game_s)"
        where.require_each(f"{left} >= {{}}", "relevance", [query.min_relevance])
    if not query.include_expired:
        where.conditions.append("(expires_s IS NULL OR expires_s > :now)")


# By the entry's own tags: the tag index does not hold short-lived scopes.
_TAGGED: Final = "EXISTS (SELECT 1 FROM json_each(entries.tags) WHERE value"


def literal_prefix(pattern: str) -> str:
    """Return the prefix of all texts that match the glob `pattern`."""
    end = next((at for at, each in enumerate(pattern) if each in "*?["), len(pattern))
    return pattern[:end]


def _glob(pattern: str) -> str:
    """Return a Python glob in the syntax of SQLite."""
    return pattern.replace("[!", "[^")


CANDIDATES: Final = 2_000  # the newest of each index, and the maximum that is ranked

_CANDIDATE: Final = (
    "entries.id, seq, game_s, importance, utility, "
    "(:place <> '' AND place = :place) + (:subject <> '' AND subject = :subject) AS met"
)
# The best match scores 1 and no match 0, so that equal matches have equal scores.
_SCORED: Final = (
    "SELECT id AS found, seq AS age, coalesce(hits / nullif(best, 0.0), 0.0) AS words, "
    ":half_s / (:half_s + max(0.0, :now - game_s)) AS recent, importance / 10.0 AS weight, "
    "utility AS used, met / :asked AS met FROM (SELECT *, {best} AS best FROM ({candidates}))"
)
_TOTAL: Final = (
    "SELECT *, :words * words + :recency * recent + :importance * weight + :utility * used "
    "+ :match * met AS total FROM ({scored}) ORDER BY total DESC, age DESC LIMIT :results"
)
_FOUND: Final = (
    f"SELECT total, words, recent, weight, used, met, {COLUMNS} "  # noqa: S608  # fixed words
    "FROM ({total}) JOIN entries ON entries.id = found "
    "ORDER BY total DESC, age DESC"
)
_NEXT_PAIR: Final = (
    "SELECT scope, kind FROM entries WHERE dropped_after IS NULL AND (scope, kind) > (?, ?) "
    "ORDER BY scope, kind LIMIT 1"
)


class _Source(NamedTuple):
    """A source of candidates: tables, a condition that an index answers, and the order of that index."""

    where: str
    order: str = "seq"
    tables: str = "entries"
    hits: str = "0.0"


class EntrySearch:
    """Finds entries, including uncommitted ones: `commit_pending` commits these first.

    A resumed run goes back to a checkpoint anyway, so an additional commit changes no later result.
    """

    def __init__(
        self,
        database: Database,
        commit_pending: Callable[[], object] = lambda: None,
        weights: Weights | None = None,
    ) -> None:
        self.weights = weights or Weights()
        self._database = database
        self._commit_pending = commit_pending
        database.define("relevance_left", 3, _relevance_left)

    def find(self, query: MemoryQuery, *, now_s: float) -> list[ScoredEntry]:
        """Return the matches of `query` at `now_s`, best first, newest first among equals."""
        self._commit_pending()
        active = filters(query, now_s)
        values = active.values
        values.update(asdict(self.weights))
        values.update(
            place=query.place, subject=query.subject, now=now_s, results=query.max_results
        )
        values["asked"] = float(max(1, bool(query.place) + bool(query.subject)))
        sources = list(self._sources(query, values))
        if not sources:
            return []
        best = "max(hits) OVER ()" if query.text else "0.0"
        scored = _SCORED.format(best=best, candidates=_candidates(sources, active))
        sql = _FOUND.format(total=_TOTAL.format(scored=scored))
        return self._database.read(
            "entries", lambda row: ScoredEntry(entry_of(row[6:]), Score(*row[:6])), sql, values
        )

    def _sources(self, query: MemoryQuery, values: dict[str, object]) -> Iterator[_Source]:
        """Yield the indexes to read: by cue, else by key, else by tag, else by scope and kind."""
        if query.text or query.place or query.subject:
            yield from _by_cue(query, values)
        elif prefix := literal_prefix(query.key_pattern):
            values.update(first=prefix, last=prefix + "\U0010ffff")
            yield _Source("key >= :first AND key < :last")
        elif tags := sorted(query.all_of)[:1] or sorted(query.any_of):
            yield from self._by_tag(tags, values)
        else:
            for number, (scope, kind) in enumerate(self._pairs()):
                if not query.kinds or kind in query.kinds:
                    values.update({f"in{number}": scope, f"of{number}": kind})
                    yield _Source(f"entries.scope = :in{number} AND kind = :of{number}")

    def _by_tag(self, tags: list[str], values: dict[str, object]) -> Iterator[_Source]:
        tables = "entry_tags JOIN entries ON entries.id = entry_tags.entry"
        for at, scope in enumerate(dict.fromkeys(scope for scope, _ in self._pairs())):
            values[f"in{at}"] = scope
            if scope.endswith(UNSEARCHED):  # few entries, none in the tag index
                yield _Source(f"entries.scope = :in{at}")
                continue
            for number, tag in enumerate(tags):
                values[f"tag{number}"] = tag
                where = f"entry_tags.tag = :tag{number} AND entry_tags.scope = :in{at}"
                yield _Source(where, "entry_tags.entry", tables)

    def _pairs(self) -> Iterator[tuple[str, str]]:
        """Yield the existing pairs of scope and kind, by skips through their index."""
        pair = ("", "")
        while (row := self._database.row(_NEXT_PAIR, pair)) is not None:
            pair = (str(row[0]), str(row[1]))
            yield pair


def _by_cue(query: MemoryQuery, values: dict[str, object]) -> Iterator[_Source]:
    if words := query.words[:MAX_WORDS]:
        values["matching"] = " OR ".join(f'"{word}"' for word in words)
        tables = "entry_text JOIN entries ON entries.id = entry_text.rowid"
        yield _Source("entry_text MATCH :matching", "entry_text.rowid", tables, "-bm25(entry_text)")
    if query.place:
        yield _Source("place = :place AND place <> ''", "game_s DESC, seq")
    if query.subject:
        # Matches of the place are candidates already.
        where = "subject = :subject AND subject <> '' AND place <> :place"
        yield _Source(where if query.place else where.rpartition(" AND ")[0], "game_s DESC, seq")


def _candidates(sources: list[_Source], active: Filters) -> str:
    """Return the query for the newest candidates of each source, an equal part of the limit each."""
    if len(sources) == 1:
        return _subquery(sources[0], active, CANDIDATES)
    if all(each.order == "seq" for each in sources):  # one order for all, so they are merged
        union = " UNION ALL ".join(_subquery(each, active) for each in sources)
        return f"{union} ORDER BY seq DESC LIMIT {CANDIDATES}"
    share = CANDIDATES // len(sources)
    subqueries = (f"SELECT * FROM ({_subquery(each, active, share)})" for each in sources)  # noqa: S608
    union = " UNION ALL ".join(subqueries)
    if all(each.tables == "entries" for each in sources):
        return union
    columns = "id, seq, game_s, importance, utility, met, max(hits) AS hits"
    return f"SELECT {columns} FROM ({union}) GROUP BY id"  # noqa: S608  # an entry may occur twice


def _subquery(source: _Source, active: Filters, limit: int = 0) -> str:
    conditions = " AND ".join((source.where, *active.conditions))
    subquery = (
        f"SELECT {_CANDIDATE}, {source.hits} AS hits FROM {source.tables} "  # noqa: S608  # no value is in it
        f"WHERE {conditions}"
    )
    return f"{subquery} ORDER BY {source.order} DESC LIMIT {limit}" if limit else subquery


def _relevance_left(scope: str, relevance: float, age_s: float) -> float:
    """Return the relevance after `age_s` game seconds in `scope`: relevance·(1-rate)^minutes."""
    return float(relevance * (1.0 - _decay_rate(scope)) ** (max(0.0, age_s) / 60.0))


@cache
def _decay_rate(scope: str) -> float:
    return scope_of(scope).decay_per_min
