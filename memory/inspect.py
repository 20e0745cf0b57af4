"""Inspection of a memory file by its owner: view, search, check, repair, and forget items."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from memory.agent_memory import open_memory
from memory.blackboard.entry import Entry
from memory.errors import CorruptStore, StoreError
from memory.flow.memory_map import MemoryMap
from memory.recall.query import MOST, MemoryQuery, Score, Weights
from memory.store.checks.finding import CheckFinding
from memory.store.checks.knowledge import check_knowledge
from memory.store.checks.repair import ArchivedItem, Repairs, Restorer, archived_items
from memory.store.checks.run import check_run
from memory.store.copies import backup_copy
from memory.store.database import Database, in_memory, open_database
from memory.store.dates import dates_at
from memory.store.entry_search import EntrySearch
from memory.store.files import KINDS, OpenedFile, file_fault, open_intact
from memory.store.items import MemoryItem, knowledge_items, run_items
from memory.store.lasting import Archive, ContributionTable
from memory.store.run_folder import LOCK, own, require_own_files
from memory.store.run_store import RunReader, RunStore
from memory.store.schema import RUN_SCHEMA, Schema
from memory.tiers.contributions import Totals
from memory.tiers.knowledge import MONTH_S


class FileRepair(NamedTuple):
    """The repaired and the remaining findings, and the backup; None when nothing was changed."""

    fixed: tuple[CheckFinding, ...]
    remaining: tuple[CheckFinding, ...]
    copy: Path | None


def check_file(path: Path, *, now: float) -> list[CheckFinding]:
    """Return the findings of the file at `path`; the file is not changed."""
    opened = open_intact(path)
    with closing(opened.database):
        return _check_copy(opened.database, opened.schema, now)


def repair_file(path: Path, *, now: float) -> FileRepair:
    """Repair all findings with an unambiguous repair, in one transaction, after a backup next to the file."""
    with open_for_writing(path) as (database, schema):
        findings = _check_copy(database, schema, now)
        if not any(each.action for each in findings):
            return FileRepair((), tuple(findings), None)
        copy = backup_copy(database, "before-repair")
        with database.transaction():
            try:
                fixed = _repair(database, schema, now)
                remaining = tuple(_check(database, schema, now))
            except StoreError as error:
                # The indexes of the file prevent it; only a backup helps.
                message = f"{database.path} is damaged, and cannot be repaired in place ({error})"
                raise CorruptStore(message) from error
        return FileRepair(tuple(each for each in fixed if each not in remaining), remaining, copy)


def write_repaired_copy(path: Path, to: Path, *, now: float) -> tuple[CheckFinding, ...]:
    """Write the file at `path` without its unreadable rows to a new file `to`, and return the repaired findings.

    Raises StoreError if `to` cannot be written, or is not sound either; `path` is not changed.
    """
    opened = open_intact(path)
    with closing(opened.database):
        opened.database.backup(to)
    with closing(open_database(to, opened.schema)) as database, database.transaction():
        fixed = _repair(database, opened.schema, now, only_damage=True)
    flaw = file_fault(to)
    if flaw is not None:
        raise flaw
    return tuple(fixed)


@contextmanager
def open_for_writing(path: Path) -> Iterator[tuple[Database, Schema]]:
    """Yield an intact file for writing, without decay of its knowledge; a run that is being played is refused."""
    opened = open_intact(path)
    opened.database.close()
    with ExitStack() as stack:
        home = opened.path.parent
        if opened.is_run:
            require_own_files(home)
        if opened.is_run and (home / LOCK).exists():
            with own(home) as lock:
                stack.callback(lock.release)
        database = open_database(opened.path, opened.schema)
        yield stack.enter_context(closing(database)), opened.schema


def _repair(
    database: Database, schema: Schema, now: float, *, only_damage: bool = False
) -> list[CheckFinding]:
    """Repair findings by sort, and return them; the findings are computed again after each sort.

    Contradictions are repaired one by one: the next may concern the same rows.
    """
    repairs = database if schema is RUN_SCHEMA else Repairs(database, now=now)
    fixed: dict[CheckFinding, None] = {}
    while todo := [
        each
        for each in _check(database, schema, now)
        if each.action and each not in fixed and not (only_damage and each.sort != "damage")
    ]:
        batch = [each for each in todo if each.sort == todo[0].sort]
        if batch[0].sort == "contradiction":
            del batch[1:]
        for each in batch:
            assert each.action is not None
            each.action(repairs)
            fixed[each] = None
    return list(fixed)


def _check_copy(database: Database, schema: Schema, now: float) -> list[CheckFinding]:
    with closing(database.scratch_copy()) as copy:
        return list(_check(copy, schema, now))


def _check(database: Database, schema: Schema, now: float) -> Iterator[CheckFinding]:
    return check_run(database) if schema is RUN_SCHEMA else check_knowledge(database, now=now)


def forget_items(path: Path, wanted: Collection[tuple[str, str, str]], *, now: float) -> Path:
    """Archive the items with these tables, scopes and ids, and return the backup of the file.

    Items that no longer exist are skipped: a game in play may have changed the file.
    """
    with open_for_writing(path) as (database, schema):
        if schema is RUN_SCHEMA:
            message = f"{path} is the record of a run, which stays complete; remove its folder to forget the run"
            raise StoreError(message)
        copy = backup_copy(database, "before-forget")
        with database.transaction():
            repairs = Repairs(database, now=now)
            for item in list(knowledge_items(database, now=now)):
                if item_key(item) in wanted:
                    repairs.archive(item.row)
    return copy


def restore_items(path: Path, numbers: Collection[int], *, now: float) -> Path:
    """Bring items with these numbers back from the archive, and return the backup of the file.

    Items that the memory holds again are skipped: a game in play may have changed the file.
    """
    with open_for_writing(path) as (database, _):
        copy = backup_copy(database, "before-restore")
        with database.transaction():
            restorer = Restorer(database, now=now)
            for each in list(archived_items(database, now=now)):
                if each.number in numbers:
                    restorer.restore(each)
    return copy


def item_key(item: MemoryItem) -> tuple[str, str, str]:
    """Return the key of an item in its file: table, scope and id."""
    return item.table, item.scope, item.id


class Match(NamedTuple):
    """One search result with its score."""

    item: MemoryItem
    score: Score


class RunDelivery(NamedTuple):
    """The delivery state of one run: its last lesson, and how many of its items the file still holds."""

    run_id: str
    lessons: int
    held: int


class FileView:
    """One file, open for reading. `now` is the date of decay in epoch seconds."""

    def __init__(self, opened: OpenedFile, *, now: float) -> None:
        self.path = opened.path
        self.is_run = opened.is_run
        self._database = opened.database
        self._clock = now
        self.now = now if opened.is_run else dates_at(now, opened.database, {}).today
        self.close = opened.database.close

    @property
    def run(self) -> RunReader:
        """The run, when the file is one."""
        return RunReader(self._database)

    def items(self) -> list[MemoryItem]:
        """Return all items, closed ones included."""
        if self.is_run:
            return list(run_items(self.run.run_id, self.run.live_entries()))
        return list(knowledge_items(self._database, now=self._clock))

    def totals(self) -> Totals:
        """Return the totals of all runs that delivered to this file."""
        return ContributionTable(self._database).totals()

    def archive(self) -> list[ArchivedItem]:
        """Return what the archive holds and the memory does not, the last removed first."""
        return list(archived_items(self._database, now=self._clock))

    def archived(self) -> int:
        """Return the number of archived rows."""
        return Archive(self._database).size()

    def runs(self) -> list[RunDelivery]:
        """Return the runs that delivered to this file, by name."""
        rows = self._database.rows("SELECT run_id, sequence FROM deliveries ORDER BY run_id")
        held = Counter(each.run_id for each in self.items())
        return [RunDelivery(run_id, sequence, held[run_id]) for run_id, sequence in rows]

    def maps(self) -> dict[str, MemoryMap]:
        """Return the memory map of each agent of a run, as in play."""
        with closing(RunStore(self._database.scratch_copy())) as run:
            names = {each.scope for each in run.live_entries() if each.scope.startswith("agent:")}
            agents = sorted({each.split(":")[1] for each in names})
            return {
                name: open_memory(run, name, session_id=run.run_id, started_at=0.0).map()
                for name in agents
            }

    def search(self, words: str, limit: int, says: Callable[[MemoryItem], str]) -> list[Match]:
        """Return the items with any of `words` in their data or in what `says` of them, ranked as in recalls."""
        query = MemoryQuery(text=words, max_results=min(limit, MOST), include_closed=True)
        items = self.items()
        last = max((each.game_s or 0.0 for each in items), default=0.0)
        with closing(in_memory(RUN_SCHEMA)) as database:
            database.execute("INSERT INTO run (id, run_id) VALUES (1, 'reader')")
            store = RunStore(database)
            for number, item in enumerate(items, 1):
                store.put_entry(_as_entry(number, item, says(item)))
            store.commit()
            search = EntrySearch(database, weights=score_weights(self))
            found = search.find(query, now_s=last if self.is_run else self.now)
        return [Match(items[each.entry.seq - 1], each.score) for each in found]


@contextmanager
def view_file(path: Path, *, now: float, kinds: tuple[Schema, ...] = KINDS) -> Iterator[FileView]:
    """Yield a view of the file or run folder at `path`, which must be intact."""
    with closing(FileView(open_intact(path, kinds), now=now)) as view:
        yield view


def score_weights(view: FileView) -> Weights:
    """Return the score weights for this file: knowledge that outlives runs ages by the month."""
    return Weights() if view.is_run else Weights(half_s=MONTH_S)


def _as_entry(number: int, item: MemoryItem, says: str) -> Entry:
    more: Mapping[str, Any] = item.more
    return Entry(
        number,
        "agent:reader:ltm:semantic",  # one scope for all rows of the four tables
        item.kind,
        item.tick,
        item.last if item.game_s is None or item.last else item.game_s,
        {**item.data, "says": says},
        frozenset(map(str, more.get("tags", ()))),
        more.get("importance", 7),
        None,
        f"{number}:{item.id}",
        utility=more.get("utility", 0.5),
        closed=item.closed,
    )
