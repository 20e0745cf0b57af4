"""The entries that outlive runs: as rows, as later runs read them, and as lessons and time change them.

Each is folded from what each run said under its key; several that say the same are one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memory.blackboard.entry import Entry
from memory.codec import Json, decode, encode
from memory.store.contributions import (
    OPEN,
    TRUST,
    ByRun,
    Contribution,
    ContributionTable,
    Overruled,
    by_precedence,
    closing_from,
    overruled_runs,
    standing_closing,
)
from memory.store.database import Database, insert_into, select_from
from memory.store.entries import encode_tags
from memory.store.knowledge_tables import Archive
from memory.tiers.forgetting import faded
from memory.tiers.lessons import ENTRIES, RUN, OutboxRow, whole

Row = tuple[Any, ...]

COLUMNS: Final = (
    "id, scope, kind, tick, game_s, data, tags, importance, key, version, relevance, utility, "
    "status, sources, closed, origin, run_id, sequence, count, merged"
)
SELECT: Final = select_from(ENTRIES, COLUMNS.split(", "))
INSERT: Final = insert_into(ENTRIES, COLUMNS.split(", "))
_OPTIONAL_FIELDS: Final = ("relevance", "utility", "status", "closed")
# Told by a share beside its record.
_NOT_IN_RECORD: Final = frozenset({"scope", "key", "status", "sources"})
_COPIED_FIELDS: Final = ("kind", "tick", "game_s", "data", "importance", "utility")
SCOPE: Final = 1
KEY: Final = 8
LASTING: Final = ("agent:?*:ltm:?*", "team:?*", "collective")  # the scopes that outlive a run


def entry_of(row: tuple[Any, ...]) -> Entry:
    """Return the entry that a row of `COLUMNS` holds; the run it comes from is among its sources."""
    sources, learnt_in = tuple(decode(row[13])), f"{RUN}{row[15]}"
    if learnt_in not in sources:
        sources = (*sources, learnt_in)
    data, tags = dict(decode(row[5])), frozenset(decode(row[6]))
    return Entry._make((*row[:5], data, tags, row[7], None, *row[8:13], sources, row[14]))


def archived(row: tuple[Any, ...]) -> dict[str, Json]:
    """Return the whole of a row of `COLUMNS` as the archive keeps it."""
    whole = dict(zip(COLUMNS.split(", "), row, strict=True))
    return whole | {name: decode(whole[name]) for name in ("data", "tags", "sources", "merged")}


def entry_from(run_id: str, lesson: OutboxRow) -> tuple[Entry, str]:
    """Return the entry that a lesson of `run_id` carries, and its origin: the run that learnt it first.

    Its key begins with the origin, so that those of different runs never collide.
    """
    payload: Mapping[str, Any] = lesson.payload
    key, sources = payload.get("key") or f"lesson-{lesson.sequence}", payload.get("sources", ())
    names = (each.removeprefix(RUN) for each in sources if each.startswith(RUN))
    origin = next((name for name in names if key.startswith(f"{name}/")), run_id)
    judged = {name: payload[name] for name in _OPTIONAL_FIELDS if name in payload}
    entry = Entry(
        seq=0,
        scope=payload["scope"],
        kind=payload["kind"],
        tick=payload.get("tick", lesson.tick),
        game_s=payload.get("game_s", 0.0),
        data=payload["data"],
        tags=frozenset(payload["tags"]),
        importance=payload["importance"],
        expires_s=None,
        key=key if key.startswith(f"{origin}/") else f"{origin}/{key}",
        sources=tuple(sources),
        **judged,
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
    )


SEEDS: Final = 100  # of each kind in a scope
WORTH: Final = "importance * utility DESC, id DESC"


class LongTermEntries:
    """Entries to be read, the oldest first where nothing else is said."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Entry]:
        """Return all entries, with those that no longer hold."""
        return self._found(SELECT + "ORDER BY id")

    def best(self, limit_per_kind: int = SEEDS) -> list[Entry]:
        """Return the entries a new run starts with: those that hold and are worth most, of each kind in a scope, the best first.

        They name the run they come from: their keys begin with it, their sources end with it.
        """
        place = f"row_number() OVER (PARTITION BY scope, kind ORDER BY {WORTH})"
        chosen = f"SELECT id, {place} AS place FROM ltm_entries WHERE closed = ''"  # noqa: S608
        where = f"WHERE id IN (SELECT id FROM ({chosen}) WHERE place <= ?) "  # noqa: S608
        return self._found(f"{SELECT}{where}ORDER BY {WORTH}", limit_per_kind)

    def _found(self, sql: str, *parameters: object) -> list[Entry]:
        return self._database.read(ENTRIES, entry_of, sql, parameters)


class AggregatedEntry(NamedTuple):
    """One entry and how it came to be known; by key, which runs' words do not stand."""

    entry: Entry
    known: Taught
    overruled: Mapping[str, Overruled]
    since: tuple[float, str, int]  # by which entries are put in an order that nothing else decides


def row_key(scope: str, key: str) -> str:
    """Return the id under which the shares of an entry are kept."""
    return encode([scope, key])


def aggregate_entries(
    scope: str, shares: Mapping[str, ByRun], *, at: float, rate: float
) -> list[AggregatedEntry]:
    """Return the entries that `shares`, by key, make at a date, those known longest first."""
    believed = sorted(_aggregated_entries(scope, shares, at, rate), key=lambda each: each.since)
    groups: dict[tuple[str, str, str], list[AggregatedEntry]] = {}
    for each in believed:
        same = each.entry.kind, encode(each.entry.data), each.entry.closed
        groups.setdefault(same, []).append(each)
    return [_merged_entry(group) for group in groups.values()]


def current_relevance(entry: Entry, known: Iterable[ByRun], *, at: float, rate: float) -> float:
    """Return how relevant an entry is at a date, from what was said under each of its keys.

    What no run has taught was agreed on at a date of its own.
    """
    ranked = [believed[-1] for each in known if (believed := by_precedence(each.values()))]
    if not ranked:
        since: Any = entry.data.get("at", at)
        return faded(since, at, rate)
    return max(_relevance(each, at, rate) for each in ranked)


def _relevance(deciding: Contribution, at: float, rate: float) -> float:
    return float(deciding.content["relevance"] * faded(deciding.fresh, at, rate))


def _aggregated_entries(
    scope: str, shares: Mapping[str, ByRun], at: float, rate: float
) -> Iterator[AggregatedEntry]:
    """Yield what is believed of each key."""
    for key, runs in shares.items():
        known = by_precedence(runs.values())
        if not known:
            continue
        deciding, record = known[-1], known[-1].content
        closing = standing_closing(runs.values())
        times = sum(each.times for each in known)
        entry = Entry(
            seq=0,
            scope=scope,
            expires_s=None,
            key=key,
            version=times,
            relevance=_relevance(deciding, at, rate),
            tags=frozenset(record["tags"]),
            status=deciding.status,  # type: ignore[arg-type]  # as it was taught
            sources=(*deciding.evidence, *closing.evidence),
            closed=record["closed"] if closing is OPEN else closing.reason,
            **{name: record[name] for name in _COPIED_FIELDS},
        )
        taught = Taught(record["origin"], deciding.run_id, deciding.taught, times)
        since = min((each.since, each.run_id, each.taught) for each in known)
        yield AggregatedEntry(entry, taught, {key: overruled_runs(known, deciding, "data")}, since)


def _merged_entry(group: Sequence[AggregatedEntry]) -> AggregatedEntry:
    """Return the most trusted of those that say the same, then oldest, with what all of them know."""
    if len(group) == 1:
        return group[0]
    best = max(group, key=lambda each: TRUST[each.entry.status])  # of equals the first
    entries = [each.entry for each in group]
    others = [each for each in group if each is not best]
    merged = [key for each in others for key in (each.entry.key, *each.known.merged)]
    sources = [
        source for each in group for source in (*each.entry.sources, f"{RUN}{each.known.origin}")
    ]
    entry = best.entry._replace(
        tags=frozenset().union(*(each.tags for each in entries)),
        importance=max(each.importance for each in entries),
        relevance=max(each.relevance for each in entries),
        utility=max(each.utility for each in entries),
        sources=tuple(dict.fromkeys(sources)),
    )
    known = best.known._replace(
        times=sum(each.known.times for each in group), merged=(*best.known.merged, *merged)
    )
    overruled = {key: why for each in group for key, why in each.overruled.items()}
    return AggregatedEntry(entry, known, overruled, group[0].since)


MAX_ENTRIES: Final = 500  # of each scope
IMPORTANT: Final = 8  # from here on nothing is let go of for having faded


class LongTermEntryStore(LongTermEntries):
    """Entries that are taught, closed, faded, made one and let go of; what goes is archived.

    `rate` is what is left of their relevance after a month.
    """

    def __init__(
        self, database: Database, archive: Archive, shares: ContributionTable, rate: float
    ) -> None:
        super().__init__(database)
        self._archive = archive
        self._contributions = shares
        self._rate = rate

    def take(self, run_id: str, lesson: OutboxRow, at: float) -> None:
        """Take up the entry of a lesson, in the place of what was known under its key, if it is to be believed."""
        entry, origin = entry_from(run_id, lesson)
        name = row_key(entry.scope, entry.key)
        shares = self._contributions.of(ENTRIES, name)
        believed = {"origin": origin, **whole(entry)}
        record = {name: believed[name] for name in believed if name not in _NOT_IN_RECORD}
        date = float(lesson.payload.get("at", at))
        share = shares.get(run_id, Contribution(run_id)).with_lesson(lesson, record, date)
        self._contributions.keep(ENTRIES, name, [share])
        rows = self._rows("WHERE scope = ? AND key = ?", entry.scope, entry.key)
        if not rows and shares:  # it may have become one with another
            is_there = "EXISTS (SELECT 1 FROM json_each(merged) WHERE value = ?)"
            where = f"WHERE scope = ? AND merged <> '[]' AND {is_there}"
            rows = self._rows(where, entry.scope, entry.key)
        self._rebuild(entry.scope, rows, at, {entry.key: {**shares, run_id: share}})

    def close(self, run_id: str, lesson: OutboxRow, at: float) -> None:
        """Note why the entry that a lesson names no longer holds; it stays, with what shows it."""
        payload: Any = lesson.payload
        names = (payload["id"], f"{run_id}/{payload['id']}")
        where = (
            "WHERE key IN (?1, ?2) "
            "OR EXISTS (SELECT 1 FROM json_each(merged) WHERE value IN (?1, ?2))"
        )
        closing = closing_from(lesson, at)
        for row in self._rows(where, *names):
            for key in self._keys(row):
                name = row_key(row[SCOPE], key)
                share = self._contributions.of(ENTRIES, name).get(run_id, Contribution(run_id))
                self._contributions.keep(ENTRIES, name, [share.closed(closing)])
            self._rebuild(row[SCOPE], [row], at, keep_place=True)

    def fade(self, at: float) -> None:
        """Let everything be as relevant as it is at the date `at`."""
        shares = self._contributions.all(ENTRIES)
        relevance = []
        for row in self._rows(""):
            known = [shares.get((ENTRIES, row_key(row[SCOPE], key)), {}) for key in self._keys(row)]
            with self._database.understood(ENTRIES):
                left = current_relevance(entry_of(row), known, at=at, rate=self._rate)
            relevance.append((left, row[0]))
        self._database.execute_many("UPDATE ltm_entries SET relevance = ? WHERE id = ?", relevance)

    def let_go(self, number: int) -> None:
        """Archive the entry in the row `number`, if it is there, because it is to be forgotten."""
        for row in self._rows("WHERE id = ?", number):
            self._contributions.let_go(
                (ENTRIES, row_key(row[SCOPE], key)) for key in self._keys(row)
            )
            self._let_go(row)

    def merge(self, scope_glob: str, at: float) -> int:
        """Return how many entries became one with another that says the same."""
        groups = self._database.rows(
            "SELECT scope, kind, data FROM ltm_entries WHERE scope GLOB ? AND closed = '' "
            "GROUP BY scope, kind, data HAVING count(*) > 1",
            (scope_glob,),
        )
        same = "WHERE scope = ? AND kind = ? AND data = ? AND closed = '' ORDER BY id"
        gone = 0
        for group in groups:
            rows = self._rows(same, *group)
            gone += len(rows) - self._rebuild(group[0], rows, at)
        return gone

    def rebuild_all(self, at: float) -> None:
        """Make every entry anew that anybody ever taught, those that say the same as one."""
        shares = self._contributions.all(ENTRIES)
        scopes: dict[str, dict[str, ByRun]] = {}
        for (_, name), runs in shares.items():
            scope, key = decode(name)
            scopes.setdefault(scope, {})[key] = runs
        for scope in sorted(scopes):
            self._rebuild(scope, [], at, scopes[scope])

    def add(self, entries: Iterable[tuple[Entry, str, int]]) -> None:
        """Add entries that were not taught by a run, each with who says so and a number."""
        for entry, by, number in entries:
            self._database.execute(INSERT, (None, *row_of(entry, Taught(by, by, number))))

    def prune(self, scope_glob: str, threshold: float) -> int:
        """Return how many entries went that had faded under `threshold` or were over the cap.

        What proved useful fades later, what proved useless sooner; what is important stays.
        """
        faded = "WHERE scope GLOB ? AND importance < ? AND relevance * (0.5 + utility) < ?"
        gone = self._let_go_all(self._rows(faded, scope_glob, IMPORTANT, threshold))
        return gone + self.limit(scope_glob)

    def limit(self, scope_glob: str = "*") -> int:
        """Return how many entries went that were over the cap of their scope: those worth least."""
        place = f"row_number() OVER (PARTITION BY scope ORDER BY closed <> '', {WORTH})"
        placed = f"SELECT id, {place} AS place FROM ltm_entries WHERE scope GLOB ?"  # noqa: S608
        where = f"WHERE id IN (SELECT id FROM ({placed}) WHERE place > ?)"  # noqa: S608
        return self._let_go_all(self._rows(where, scope_glob, MAX_ENTRIES))

    def _rebuild(
        self,
        scope: str,
        rows: Sequence[Row],
        at: float,
        known: dict[str, ByRun] | None = None,
        *,
        keep_place: bool = False,
    ) -> int:
        """Put what the shares say in the place of `rows`, with the keys that are `known` as well; return how many it is.

        What says the same is one.
        """
        shares = dict(known or {})
        for row in rows:
            for key in self._keys(row):
                if key not in shares:
                    shares[key] = self._contributions.of(ENTRIES, row_key(scope, key))
        believed = aggregate_entries(scope, shares, at=at, rate=self._rate)
        places = {row[KEY]: row[0] for row in rows} if keep_place else {}
        said = {(each.entry.key, encode(each.entry.data)) for each in believed}
        for row in rows:
            with self._database.understood(ENTRIES):
                stays = (row[KEY], encode(entry_of(row).data)) in said
            if stays:
                self._delete(row)
            else:
                self._let_go(row)
        for each in believed:
            place = places.get(each.entry.key)
            self._database.execute(INSERT, (place, *row_of(each.entry, each.known)))
            for key, overruled in each.overruled.items():
                self._contributions.mark(ENTRIES, row_key(scope, key), overruled)
        return len(believed)

    def _keys(self, row: Row) -> tuple[str, ...]:
        """Return the keys of all that a row is made of, its own first."""
        with self._database.understood(ENTRIES):
            return row[KEY], *decode(row[19])

    def _rows(self, where: str, *parameters: object) -> list[Row]:
        return self._database.rows(SELECT + where, parameters)

    def _let_go_all(self, rows: Sequence[Row]) -> int:
        for row in rows:
            self._let_go(row)
        return len(rows)

    def _let_go(self, row: Row) -> None:
        with self._database.understood(ENTRIES):
            whole = archived(row)
        self._archive.keep(ENTRIES, row[KEY], whole)
        self._delete(row)

    def _delete(self, row: Row) -> None:
        self._database.execute("DELETE FROM ltm_entries WHERE id = ?", (row[0],))
