"""The tables of a memory file: entries that outlive runs, what each run contributed to them, deliveries and the archive."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, TypeAlias

from memory.blackboard.entry import Entry
from memory.codec import Json, as_json, decode, encode
from memory.store.database import (
    Database,
    Reader,
    insert_into,
    open_database,
    open_readonly,
    select_from,
)
from memory.store.schema import KNOWLEDGE_SCHEMA
from memory.tiers.contributions import (
    BY_HAND,
    RESTORED,
    ByEntry,
    ByRun,
    Contribution,
    EntryHistory,
    Overruled,
    Totals,
    sum_totals,
)
from memory.tiers.knowledge import KIND_BY_NAME, KINDS, KNOWLEDGE_SCOPES, Knowledge, KnowledgeRecord
from memory.tiers.lasting import ENTRIES, RUN, TOTALS_KEY, Key, record_of, valid_record
from memory.tiers.tactician import IMPORTANCE, TOTALS

Row: TypeAlias = tuple[Any, ...]

COLUMNS: Final = (
    "id, scope, kind, tick, game_s, data, tags, importance, key, version, relevance, utility, "
    "status, sources, closed, origin, run_id, sequence, count, merged"
)
NAMES: Final = tuple(COLUMNS.split(", "))
SCOPE: Final = 1
KEY: Final = 8
_JSON: Final = ("data", "tags", "sources", "merged")
SELECT: Final = select_from(ENTRIES, NAMES)
INSERT: Final = insert_into(ENTRIES, NAMES)
SEEDS: Final = 100  # of each kind in a scope
WORTH: Final = "importance * utility DESC, id DESC"
KNOWN: Final = "scope GLOB 'ltm:*' ORDER BY scope, key"  # all knowledge
OTHERS: Final = "scope NOT GLOB 'ltm:*'"
MAX_NAMED_RUNS: Final = 8  # of the runs that contributed to a record


def entry_of(row: Row) -> Entry:
    """Return the entry in a row of `COLUMNS`; the run that learnt it is among its sources, but for knowledge."""
    sources = () if row[13] == "[]" else tuple(decode(row[13]))
    tags = frozenset(() if row[6] == "[]" else decode(row[6]))
    if row[SCOPE] not in KNOWLEDGE_SCOPES and (learnt_in := f"{RUN}{row[15]}") not in sources:
        sources = (*sources, learnt_in)
    data = dict(decode(row[5]))
    return Entry._make((*row[:5], data, tags, row[7], None, *row[8:13], sources, row[14]))


def history_of(row: Row) -> EntryHistory:
    """Return the history of the entry in a row of `COLUMNS`."""
    return EntryHistory._make((*row[15:19], tuple(decode(row[19]))))


def row_of(entry: Entry, known: EntryHistory) -> Row:
    """Return the row for `INSERT`, without its id."""
    return (
        *entry[1:5],
        encode(entry.data),
        encode(sorted(entry.tags)),
        entry.importance,
        *entry[9:14],
        encode(entry.sources),
        entry.closed,
        *known[:4],
        encode(known.merged),
    )


def archived(row: Row) -> dict[str, Json]:
    """Return a row of `COLUMNS` as the archive stores it."""
    values = dict(zip(NAMES[1:], row[1:], strict=True))
    return values | {name: decode(values[name]) for name in _JSON}


def from_archive(row: Mapping[str, Any]) -> Row:
    """Return the row of `COLUMNS` that was archived."""
    return (None, *(encode(row[each]) if each in _JSON else row[each] for each in NAMES[1:]))


class LastingEntries(Reader):
    """Reads the entries of a memory file."""

    def rows(self, where: str = "", *parameters: object) -> list[Row]:
        """Return the rows of `COLUMNS` for which `where` holds."""
        return self._database.rows(SELECT + where, parameters)

    def found(self, where: str = "", *parameters: object) -> list[Entry]:
        """Return the entries for which `where` holds."""
        return self._database.read(ENTRIES, entry_of, SELECT + where, parameters)

    def row_with(self, scope: str, key: str, *, is_old: bool) -> list[Row]:
        """Return the row of a key, or the one that it was merged into if the key `is_old`."""
        rows = self.rows("WHERE scope = ? AND key = ?", scope, key)
        if rows or not is_old:
            return rows
        is_there = "EXISTS (SELECT 1 FROM json_each(merged) WHERE value = ?)"
        return self.rows(f"WHERE scope = ? AND merged <> '[]' AND {is_there}", scope, key)

    def keys(self, row: Row) -> tuple[str, ...]:
        """Return the keys merged into a row, its own first."""
        with self._database.decoding(ENTRIES):
            return row[KEY], *decode(row[19])


_SELECT: Final = "SELECT scope, key, run_id, sequence, contribution FROM contributions "
_SAVE: Final = (
    "INSERT INTO contributions (scope, key, run_id, sequence, contribution) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET sequence = excluded.sequence, contribution = excluded.contribution, "
    "overruled = '', evidence = '[]'"
)
FORGOTTEN: Final = encode(Contribution("", is_forgotten=True).to_json())
_RESTORED: Final = f"SELECT scope, key FROM contributions WHERE run_id = '{RESTORED}' AND contribution <> '{FORGOTTEN}'"  # noqa: S608  # our own
NOT_RESTORED: Final = f"(scope, key) NOT IN ({_RESTORED})"


class ContributionTable(Reader):
    """The table of contributions, including those to archived rows: from them a row returns with all its evidence."""

    def of(self, scope: str, key: str) -> ByRun:
        """Return the contributions to one entry, by run."""
        rows = self._database.rows(_SELECT + "WHERE scope = ? AND key = ?", (scope, key))
        return {contribution.run_id: contribution for _, contribution in self._read(rows)}

    def all(self) -> ByEntry:
        """Return the contributions to all entries."""
        found: defaultdict[Key, ByRun] = defaultdict(dict)
        for key, contribution in self._read(self._database.rows(_SELECT)):
            found[key][contribution.run_id] = contribution
        return dict(found)

    def save(self, scope: str, key: str, *contributions: Contribution) -> None:
        """Replace the contributions of these runs to one entry."""
        self.save_all({(scope, key): {each.run_id: each for each in contributions}})

    def save_all(self, saved: Mapping[Key, ByRun]) -> None:
        """Replace the contributions of these runs to many entries."""
        rows = [
            (*key, each.run_id, each.sequence, encode(each.to_json()))
            for key, runs in saved.items()
            for each in runs.values()
        ]
        self._database.execute_many(_SAVE, rows)

    def forget(self, keys: Iterable[Key]) -> None:
        """Mark entries as forgotten on purpose, up to their last lessons."""
        self._database.execute_many(
            "UPDATE contributions SET contribution = ?1, overruled = '', evidence = '[]' "
            "WHERE scope = ?2 AND key = ?3 AND contribution <> ?1",
            [(FORGOTTEN, *key) for key in keys],
        )

    def replace_by_hand(self, scope: str, key: str, contribution: Contribution) -> None:
        """Replace all contributions to an entry by one without a run."""
        last = self.of(scope, key).get(BY_HAND, Contribution(BY_HAND)).sequence
        self.forget([(scope, key)])
        data = contribution.to_json()
        self.save(scope, key, Contribution.from_json(BY_HAND, last + 1, data))

    def mark_overruled(self, scope: str, key: str, overruled: Overruled) -> None:
        """Record which runs are overruled, with reason and evidence; all other contributions hold."""
        self._database.execute(
            "UPDATE contributions SET overruled = '', evidence = '[]' "
            "WHERE scope = ? AND key = ? AND overruled <> ''",
            (scope, key),
        )
        self._database.execute_many(
            "UPDATE contributions SET overruled = ?, evidence = ? "
            "WHERE scope = ? AND key = ? AND run_id = ?",
            [
                (reason, encode(evidence), scope, key, run_id)
                for run_id, (reason, evidence) in overruled.items()
            ],
        )

    def stored(self, run_id: str) -> list[tuple[str, str, int, str]]:
        """Return the contributions of one run as stored: scope, key, sequence and content of each."""
        return self._database.rows(
            "SELECT scope, key, sequence, contribution FROM contributions WHERE run_id = ? ORDER BY 1, 2",
            (run_id,),
        )

    def take_back(
        self, run_id: str, after: int, rows: Iterable[tuple[str, str, int, str]]
    ) -> list[Key]:
        """Replace what a run contributed after lesson `after` by its `rows` of then, from `stored`; return the keys.

        What was forgotten on purpose since then stays so.
        """
        then = {(scope, key): rest for scope, key, *rest in rows}
        changed = [
            (scope, key)
            for scope, key, sequence, contribution in self.stored(run_id)
            if sequence > after and contribution != FORGOTTEN
        ]
        self._database.execute_many(
            "DELETE FROM contributions WHERE scope = ? AND key = ? AND run_id = ?",
            ((*key, run_id) for key in changed),
        )
        back = [(*key, run_id, *then[key]) for key in changed if key in then]
        self._database.execute_many(_SAVE, back)
        return changed

    def restored(self) -> frozenset[Key]:
        """Return the entries that were brought back from the archive, and not forgotten again."""
        return frozenset(self._database.rows(_RESTORED))

    def run_ids(self) -> dict[Key, tuple[str, ...]]:
        """Return the sorted runs that contributed to each entry."""
        found: defaultdict[Key, list[str]] = defaultdict(list)
        rows = self._database.rows(
            "SELECT scope, key, run_id FROM contributions "
            "WHERE json_type(contribution, '$.record') IS NOT NULL ORDER BY run_id"
        )
        for scope, key, run_id in rows:
            found[scope, key].append(run_id)
        return {key: tuple(runs) for key, runs in found.items()}

    def sums(self) -> Mapping[str, Any]:
        """Return the sums of sessions, battles and victories of all runs."""
        return sum_totals(self.of(*TOTALS_KEY).values())

    def totals(self) -> Totals:
        """Return the totals of all runs."""
        sums = self.sums()
        won = sums["victories"] / sums["battles"] if sums["battles"] else 0.0
        return Totals(sums["sessions"], sums["battles"], won)

    def _read(
        self, rows: Iterable[tuple[str, str, str, int, str]]
    ) -> Iterator[tuple[Key, Contribution]]:
        with self._database.decoding("contributions"):
            for scope, key, run_id, sequence, text in rows:
                yield (scope, key), Contribution.from_json(run_id, sequence, decode(text))


def save_delivery(database: Database, run_id: str, sequence: int) -> None:
    """Store only the last sequence of a run: it delivers in order, so older ones are not needed; 0 is before the first."""
    database.execute("DELETE FROM deliveries WHERE run_id = ?", (run_id,))
    if sequence:
        database.execute("INSERT INTO deliveries VALUES (?, ?)", (run_id, sequence))


class Archive(Reader):
    """The table of removed rows."""

    def size(self) -> int:
        """Return the number of its rows."""
        ((count,),) = self._database.rows("SELECT count(*) FROM archive")
        return int(count)

    def add(self, scope: str, key: str, row: Mapping[str, Json], at: float) -> None:
        """Add a row, dated `at`, in the transaction that deletes it from its table."""
        self._database.execute(
            "INSERT INTO archive (scope, key, archived_at, row) VALUES (?, ?, ?, ?)",
            (scope, key, at, encode(row)),
        )


class KnowledgeReader:
    """Reads a memory file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._entries = LastingEntries(database)
        self._contributions = ContributionTable(database)
        self.origins = self._contributions.run_ids
        self.contributions = self._contributions.of  # to one entry, by run, with closings
        self.backup = database.backup
        self.close = database.close

    def entry(self, scope: str, key: str) -> Entry | None:
        """Return the entry with a key, closed ones too, or None."""
        return next(iter(self._entries.found("WHERE scope = ? AND key = ?", scope, key)), None)

    def entries(self) -> list[Entry]:
        """Return all entries but those of knowledge, closed ones too, oldest first."""
        return self._entries.found(f"WHERE {OTHERS} ORDER BY id")

    def seed(self, limit_per_kind: int = SEEDS) -> list[Entry]:
        """Return the open entries, but those of knowledge, that are worth most of each kind in a scope, best first.

        They name the run they come from: their keys begin with it, their sources end with it.
        """
        place = f"row_number() OVER (PARTITION BY scope, kind ORDER BY {WORTH})"
        chosen = f"SELECT id, {place} AS place FROM ltm_entries WHERE closed = '' AND {OTHERS}"  # noqa: S608
        where = f"WHERE id IN (SELECT id FROM ({chosen}) WHERE place <= ?) "  # noqa: S608
        return self._entries.found(f"{where}ORDER BY {WORTH}", limit_per_kind)

    def __iter__(self) -> Iterator[Entry]:
        """Yield what a new run starts with, in the order in which it writes it: knowledge, the totals, and the seeds.

        Knowledge holds what is left of its value, and names the newest runs that contributed to it.
        """
        origins = self._contributions.run_ids()
        known = [
            each._replace(data=as_json(record), sources=_runs(origins, each))
            for each, record in self._knowledge()
        ]
        (scope, key), sums = TOTALS_KEY, self._contributions.sums()
        totals = Entry(0, scope, TOTALS, 0, 0.0, sums, frozenset(), IMPORTANCE, None, key)
        yield from [*known, totals, *sorted(self.seed(), key=lambda each: each.seq)]

    def load_knowledge(self) -> Knowledge:
        """Return all knowledge except closed rows."""
        found: dict[str, dict[str, Any]] = {kind.name: {} for kind in KINDS}
        for each, record in self._knowledge():
            found[each.kind][getattr(record, KIND_BY_NAME[each.kind].id)] = record
        patterns, strategies, mistakes, preferences = (found[kind.name] for kind in KINDS)
        return Knowledge(patterns, strategies, mistakes, preferences, *self._contributions.totals())

    def delivered(self, run_id: str) -> int:
        """Return the sequence of the last lesson that `run_id` delivered, or 0."""
        return self.deliveries().get(run_id, 0)

    def deliveries(self) -> dict[str, int]:
        """Return the sequence of the last lesson of each run that delivered any."""
        return dict(self._database.rows("SELECT run_id, max(sequence) FROM deliveries GROUP BY 1"))

    @property
    def is_in_place(self) -> bool:
        """Whether the open file still has its path; another program may have moved or replaced it."""
        return self._database.is_in_place

    def size(self) -> tuple[int, int]:
        """Return the number of entries, and of the runs that delivered lessons."""
        ((entries, runs),) = self._database.rows(
            "SELECT (SELECT count(*) FROM ltm_entries), (SELECT count(*) FROM deliveries)"
        )
        return entries, runs

    def snapshot(self, path: Path) -> None:
        """Write what a run reads of this file to a new file at `path`; the archive stays behind."""
        self.backup(path)
        with closing(open_database(path, KNOWLEDGE_SCHEMA)) as copy:
            copy.execute("DELETE FROM archive")
            copy.execute("VACUUM")

    def content_hash(self) -> str:
        """Return 32 hex digits that change exactly when what a run would read changes."""
        read: list[Json] = [
            [each.scope, each.kind, each.key, each.data, sorted(each.tags), *each[10:14]]
            for each in self
        ]
        return blake2b(encode(read).encode(), digest_size=16).hexdigest()

    def _knowledge(self) -> list[tuple[Entry, KnowledgeRecord]]:
        """Return the open entries of knowledge with their records, by scope and key."""

        def read(row: Row) -> tuple[Entry, KnowledgeRecord]:
            entry = entry_of(row)
            return entry, valid_record(record_of(entry))

        return self._database.read(ENTRIES, read, f"{SELECT}WHERE closed = '' AND {KNOWN}")


def _runs(origins: Mapping[Key, Sequence[str]], entry: Entry) -> tuple[str, ...]:
    runs = origins.get((entry.scope, entry.key), ())
    return tuple(f"{RUN}{each}" for each in runs[-MAX_NAMED_RUNS:])


def read_knowledge_store(path: Path) -> KnowledgeReader:
    """Open the memory file at `path` for reading; nothing is changed."""
    return KnowledgeReader(open_readonly(path, KNOWLEDGE_SCHEMA))
