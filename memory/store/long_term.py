"""Entries that outlive runs: their rows, the seeds of later runs, and their change by lessons and time.

Each is aggregated from the contributions under its key; entries with equal content are merged.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memory.blackboard.entry import Entry
from memory.codec import Json, decode, encode
from memory.store.contributions import (
    OPEN,
    TRUST,
    ByRow,
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
from memory.store.dates import Dates
from memory.store.entries import encode_tags
from memory.store.knowledge_tables import Archive
from memory.tiers.encounters import OVER_GAMES, key_over_games, row_over_games
from memory.tiers.forgetting import decayed
from memory.tiers.lessons import ENTRIES, RUN, OutboxRow, entry_json

Row = tuple[Any, ...]

COLUMNS: Final = (
    "id, scope, kind, tick, game_s, data, tags, importance, key, version, relevance, utility, "
    "status, sources, closed, origin, run_id, sequence, count, merged"
)
SELECT: Final = select_from(ENTRIES, COLUMNS.split(", "))
INSERT: Final = insert_into(ENTRIES, COLUMNS.split(", "))
_OPTIONAL_FIELDS: Final = ("relevance", "utility", "status", "closed")
# Fields that a contribution stores outside of its record.
_NOT_IN_RECORD: Final = frozenset({"scope", "key", "status", "sources"})
_COPIED_FIELDS: Final = ("kind", "tick", "game_s", "data", "importance", "utility")
SCOPE: Final = 1
KEY: Final = 8
LASTING: Final = ("agent:?*:ltm:?*", "team:?*", "collective")  # scopes that outlive a run


def entry_of(row: tuple[Any, ...]) -> Entry:
    """Return the entry in a row of `COLUMNS`; the run that learnt it is among its sources."""
    sources, learnt_in = tuple(decode(row[13])), f"{RUN}{row[15]}"
    if learnt_in not in sources:
        sources = (*sources, learnt_in)
    data, tags = dict(decode(row[5])), frozenset(decode(row[6]))
    return Entry._make((*row[:5], data, tags, row[7], None, *row[8:13], sources, row[14]))


def archived(row: tuple[Any, ...]) -> dict[str, Json]:
    """Return a row of `COLUMNS` as the archive stores it."""
    entry_json = dict(zip(COLUMNS.split(", "), row, strict=True))
    return entry_json | {
        name: decode(entry_json[name]) for name in ("data", "tags", "sources", "merged")
    }


def entry_from(run_id: str, lesson: OutboxRow) -> tuple[Entry, str]:
    """Return the entry in a lesson of `run_id`, and its origin: the run that learnt it first.

    Its key begins with the origin, so that keys of different runs never collide, except for what has one row over all games.
    """
    payload: Mapping[str, Any] = lesson.payload
    shared = key_over_games(payload["kind"], payload["data"])
    key, sources = payload.get("key") or f"lesson-{lesson.sequence}", payload.get("sources", ())
    names = (each.removeprefix(RUN) for each in sources if each.startswith(RUN))
    origin = next((name for name in names if key.startswith(f"{name}/")), run_id)
    options = {name: payload[name] for name in _OPTIONAL_FIELDS if name in payload}
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
        key=shared or (key if key.startswith(f"{origin}/") else f"{origin}/{key}"),
        sources=tuple(sources),
        **options,
    )
    return entry, origin


def record_of_entry(entry: Entry, origin: str) -> dict[str, Json]:
    """Return the record that a contribution holds of an entry."""
    values = {"origin": origin, **entry_json(entry)}
    return {name: values[name] for name in values if name not in _NOT_IN_RECORD}


class EntryHistory(NamedTuple):
    """The history of an entry: its first run, its last lesson, the number of lessons, and merged keys."""

    origin: str
    run_id: str
    sequence: int
    times: int = 1
    merged: tuple[str, ...] = ()


def history_of(row: tuple[Any, ...]) -> EntryHistory:
    """Return the history of the entry in a row of `COLUMNS`."""
    return EntryHistory._make((*row[15:19], tuple(decode(row[19]))))


def row_of(entry: Entry, known: EntryHistory) -> tuple[object, ...]:
    """Return the row for `INSERT`, without its id."""
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
    """Reads long-term entries, oldest first by default."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Entry]:
        """Return all entries, including closed ones."""
        return self._found(SELECT + "ORDER BY id")

    def best(self, limit_per_kind: int = SEEDS) -> list[Entry]:
        """Return the seeds of a new run: the open entries worth most of each kind in a scope, best first.

        They name the run they come from: their keys begin with it, their sources end with it.
        """
        place = f"row_number() OVER (PARTITION BY scope, kind ORDER BY {WORTH})"
        chosen = f"SELECT id, {place} AS place FROM ltm_entries WHERE closed = ''"  # noqa: S608
        where = f"WHERE id IN (SELECT id FROM ({chosen}) WHERE place <= ?) "  # noqa: S608
        return self._found(f"{SELECT}{where}ORDER BY {WORTH}", limit_per_kind)

    def _found(self, sql: str, *parameters: object) -> list[Entry]:
        return self._database.read(ENTRIES, entry_of, sql, parameters)


class AggregatedEntry(NamedTuple):
    """One entry with its history and, by key, the overruled runs."""

    entry: Entry
    known: EntryHistory
    overruled: Mapping[str, Overruled]
    since: tuple[float, str, int]  # the sort key of entries


def id_of(scope: str, key: str) -> str:
    """Return the id of an entry in the table of contributions."""
    return encode([scope, key])


def aggregate_entries(
    scope: str, contributions: Mapping[str, ByRun], *, at: float, rate: float
) -> list[AggregatedEntry]:
    """Return the entries that contributions, by key, add up to at a date, oldest knowledge first."""
    believed = sorted(_by_key(scope, contributions, at, rate), key=lambda each: each.since)
    groups: dict[tuple[str, str, str], list[AggregatedEntry]] = {}
    for each in believed:
        same = each.entry.kind, encode(each.entry.data), each.entry.closed
        groups.setdefault(same, []).append(each)
    return [_merged_entry(group) for group in groups.values()]


def current_relevance(entry: Entry, known: Iterable[ByRun], *, at: float, rate: float) -> float:
    """Return the relevance of an entry at a date, from the contributions under each of its keys.

    An entry without contributions was agreed on by several runs, and holds its own date.
    """
    ranked = [believed[-1] for each in known if (believed := by_precedence(each.values()))]
    if not ranked:
        since: Any = entry.data.get("at", at)
        return decayed(since, at, rate)
    return max(_relevance(each, at, rate) for each in ranked)


def _relevance(deciding: Contribution, at: float, rate: float) -> float:
    return float(deciding.content["relevance"] * decayed(deciding.relevant_at, at, rate))


def _by_key(
    scope: str, contributions: Mapping[str, ByRun], at: float, rate: float
) -> Iterator[AggregatedEntry]:
    """Yield the entry of each key."""
    for key, runs in contributions.items():
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
            status=deciding.status,  # type: ignore[arg-type]  # as in the lesson
            sources=(*deciding.evidence, *closing.evidence),
            closed=record["closed"] if closing is OPEN else closing.reason,
            **{name: record[name] for name in _COPIED_FIELDS},
        )
        since = min((each.since, each.run_id, each.evidence_sequence) for each in known)
        origin, overruled = record["origin"], overruled_runs(known, deciding, "data")
        if entry.kind in OVER_GAMES:  # each run reports its own part, so that none is overruled
            reports = [each.content["data"] for each in known]
            entry = entry._replace(data=row_over_games(entry.kind, reports))
            origin, overruled = since[1], {}
        history = EntryHistory(origin, deciding.run_id, deciding.evidence_sequence, times)
        yield AggregatedEntry(entry, history, {key: overruled}, since)


def _merged_entry(group: Sequence[AggregatedEntry]) -> AggregatedEntry:
    """Return the most trusted, then oldest, of equal entries, with the sources and tags of all."""
    if len(group) == 1:
        return group[0]
    best = max(group, key=lambda each: TRUST[each.entry.status])  # the first of equals
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
IMPORTANT: Final = 8  # from this importance on, entries are never pruned for low relevance


class LongTermEntryStore(LongTermEntries):
    """Adds, closes, decays, merges and archives long-term entries; `rate` is the relevance left after a month."""

    def __init__(
        self, database: Database, archive: Archive, contributions: ContributionTable, rate: float
    ) -> None:
        super().__init__(database)
        self._archive = archive
        self._contributions = contributions
        self._rate = rate

    def add_lesson(self, run_id: str, lesson: OutboxRow, dates: Dates) -> None:
        """Add the entry of a lesson, which replaces the entry of its key if it has precedence."""
        entry, origin = entry_from(run_id, lesson)
        name = id_of(entry.scope, entry.key)
        contributions = self._contributions.of(ENTRIES, name)
        record = record_of_entry(entry, origin)
        date = float(lesson.payload.get("at", dates.today))
        mine = contributions.get(run_id, Contribution(run_id))
        mine = mine.with_lesson(lesson, record, date, dates.fades_from(date))
        self._contributions.save(ENTRIES, name, [mine])
        rows = self._holding(entry.scope, entry.key, is_old=bool(contributions))
        self._rebuild(entry.scope, rows, dates.now, {entry.key: {**contributions, run_id: mine}})

    def rebuild(self, name: str, at: float) -> None:
        """Build the entry with the id `name` again, and those merged with it, after contributions were taken back."""
        scope, key = decode(name)
        rows = self._holding(scope, key, is_old=True)
        keys = dict.fromkeys([key, *(each for row in rows for each in self._keys(row))])
        for row in rows:
            self._delete(row)
        known = {each: self._contributions.of(ENTRIES, id_of(scope, each)) for each in keys}
        self._rebuild(scope, [], at, known)

    def close(self, run_id: str, lesson: OutboxRow, dates: Dates) -> None:
        """Close the entry that a lesson names, with reason and evidence; it stays in the table."""
        payload: Any = lesson.payload
        names = (payload["id"], f"{run_id}/{payload['id']}")
        where = (
            "WHERE key IN (?1, ?2) "
            "OR EXISTS (SELECT 1 FROM json_each(merged) WHERE value IN (?1, ?2))"
        )
        closing = closing_from(lesson, dates.today)
        for row in self._rows(where, *names):
            for key in self._keys(row):
                name = id_of(row[SCOPE], key)
                mine = self._contributions.of(ENTRIES, name).get(run_id, Contribution(run_id))
                self._contributions.save(ENTRIES, name, [mine.with_closing(closing)])
            self._rebuild(row[SCOPE], [row], dates.now, keep_place=True)

    def fade(self, at: float, contributions: ByRow) -> None:
        """Update the relevance of all entries to the date `at`, from all contributions."""
        relevance = []
        for row in self._rows(""):
            known = [
                contributions.get((ENTRIES, id_of(row[SCOPE], key)), {}) for key in self._keys(row)
            ]
            with self._database.decoding(ENTRIES):
                left = current_relevance(entry_of(row), known, at=at, rate=self._rate)
            relevance.append((left, row[0]))
        self._database.execute_many("UPDATE ltm_entries SET relevance = ? WHERE id = ?", relevance)

    def archive(self, number: int) -> None:
        """Archive the entry in row `number`, if it exists, and mark it as forgotten on purpose."""
        for row in self._rows("WHERE id = ?", number):
            self._contributions.forget((ENTRIES, id_of(row[SCOPE], key)) for key in self._keys(row))
            self._archive_row(row)

    def merge(self, scope_glob: str, at: float) -> int:
        """Merge entries with equal content, and return how many were removed."""
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
        """Rebuild all entries from all contributions, merging equal ones."""
        contributions = self._contributions.all(ENTRIES)
        scopes: dict[str, dict[str, ByRun]] = {}
        for (_, name), runs in contributions.items():
            scope, key = decode(name)
            scopes.setdefault(scope, {})[key] = runs
        for scope in sorted(scopes):
            self._rebuild(scope, [], at, scopes[scope])

    def add(self, entries: Iterable[tuple[Entry, str, int]]) -> None:
        """Add entries that no run contributed, each with its source and a number."""
        for entry, by, number in entries:
            # A restored one may be there.
            statement = INSERT.replace("INSERT", "INSERT OR IGNORE", 1)
            self._database.execute(statement, (None, *row_of(entry, EntryHistory(by, by, number))))

    def prune(self, scope_glob: str, threshold: float) -> int:
        """Archive entries of low relevance or over the cap, and return how many.

        High utility delays this, low utility hastens it; important entries stay.
        """
        decayed = "WHERE scope GLOB ? AND importance < ? AND relevance * (0.5 + utility) < ?"
        restored = self._restored()
        rows = self._rows(decayed, scope_glob, IMPORTANT, threshold)
        gone = self._archive_all([row for row in rows if row[0] not in restored])
        return gone + self.limit(scope_glob)

    def limit(self, scope_glob: str = "*") -> int:
        """Archive the least valuable entries over the cap of their scope, and return how many.

        Restored entries stay, and do not count.
        """
        place = f"row_number() OVER (PARTITION BY scope ORDER BY closed <> '', {WORTH})"
        others = "scope GLOB ? AND id NOT IN (SELECT value FROM json_each(?))"
        placed = f"SELECT id, {place} AS place FROM ltm_entries WHERE {others}"  # noqa: S608
        where = f"WHERE id IN (SELECT id FROM ({placed}) WHERE place > ?)"  # noqa: S608
        restored = encode(sorted(self._restored()))
        return self._archive_all(self._rows(where, scope_glob, restored, MAX_ENTRIES))

    def _restored(self) -> frozenset[int]:
        """Return the row numbers of restored entries."""
        names = {name for table, name in self._contributions.restored() if table == ENTRIES}
        rows = self._database.rows("SELECT id, scope, key FROM ltm_entries") if names else ()
        return frozenset(number for number, scope, key in rows if id_of(scope, key) in names)

    def _rebuild(
        self,
        scope: str,
        rows: Sequence[Row],
        at: float,
        known: dict[str, ByRun] | None = None,
        *,
        keep_place: bool = False,
    ) -> int:
        """Replace `rows` by the entries their contributions and `known` add up to; return their number."""
        contributions = dict(known or {})
        for row in rows:
            for key in self._keys(row):
                if key not in contributions:
                    contributions[key] = self._contributions.of(ENTRIES, id_of(scope, key))
        believed = aggregate_entries(scope, contributions, at=at, rate=self._rate)
        places = {row[KEY]: row[0] for row in rows} if keep_place else {}
        current = {(each.entry.key, encode(each.entry.data)) for each in believed}
        extended = {each.entry.key for each in believed if each.entry.kind in OVER_GAMES}
        for row in rows:
            with self._database.decoding(ENTRIES):
                stays = row[KEY] in extended or (row[KEY], encode(entry_of(row).data)) in current
            if stays:
                self._delete(row)
            else:
                self._archive_row(row)
        for each in believed:
            place = places.get(each.entry.key)
            self._database.execute(INSERT, (place, *row_of(each.entry, each.known)))
            for key, overruled in each.overruled.items():
                self._contributions.mark(ENTRIES, id_of(scope, key), overruled)
        return len(believed)

    def _holding(self, scope: str, key: str, *, is_old: bool) -> list[Row]:
        """Return the row of a key, or the one that it was merged into if the key `is_old`."""
        rows = self._rows("WHERE scope = ? AND key = ?", scope, key)
        if rows or not is_old:
            return rows
        is_there = "EXISTS (SELECT 1 FROM json_each(merged) WHERE value = ?)"
        return self._rows(f"WHERE scope = ? AND merged <> '[]' AND {is_there}", scope, key)

    def _keys(self, row: Row) -> tuple[str, ...]:
        """Return the keys merged into a row, its own first."""
        with self._database.decoding(ENTRIES):
            return row[KEY], *decode(row[19])

    def _rows(self, where: str, *parameters: object) -> list[Row]:
        return self._database.rows(SELECT + where, parameters)

    def _archive_all(self, rows: Sequence[Row]) -> int:
        for row in rows:
            self._archive_row(row)
        return len(rows)

    def _archive_row(self, row: Row) -> None:
        with self._database.decoding(ENTRIES):
            entry_json = archived(row)
        self._archive.add(ENTRIES, row[KEY], entry_json)
        self._delete(row)

    def _delete(self, row: Row) -> None:
        self._database.execute("DELETE FROM ltm_entries WHERE id = ?", (row[0],))
