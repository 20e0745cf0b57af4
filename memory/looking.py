"""A file of memory as people look at it: everything it holds, its map, and words to find things by. Nothing is changed."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory.agent_memory import open_memory
from memory.blackboard.entry import Entry
from memory.recall.query import MOST, MemoryQuery
from memory.recall.ranking import Found, Score, Weights
from memory.store.database import in_memory
from memory.store.entry_search import EntrySearch
from memory.store.items import Item, Totals, knowledge_items, run_items, totals
from memory.store.run_reader import RunReader
from memory.store.run_schema import RUN_SCHEMA
from memory.store.run_store import RunStore
from memory.store.sound import KINDS, Opened, open_sound
from memory.tiers.forgetting import MONTH_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memory.blackboard.entry import Part
    from memory.codec import Json
    from memory.flow.memory_map import MemoryMap
    from memory.store.database import Schema
    from memory.tiers.lessons import Kind

PASSING: Final = (
    "agent:reader:ltm:semantic"  # where rows of the four tables lie while they are searched
)


@dataclass(frozen=True, slots=True)
class Match:
    """Something that was found, and how well it answers."""

    item: Item
    score: Score


@dataclass(frozen=True, slots=True)
class Delivered:
    """What one run taught: up to which lesson it delivered, and how much of that is still there."""

    run_id: str
    lessons: int
    held: int


class Look:
    """One file, open for reading. `now` is today's date in epoch seconds, by which knowledge has faded."""

    def __init__(self, opened: Opened, *, now: float) -> None:
        self._opened = opened
        self.now = now

    @property
    def path(self) -> Path:
        """The file."""
        return self._opened.path

    @property
    def is_run(self) -> bool:
        """Whether it is the file of one run."""
        return self._opened.is_run

    @property
    def run(self) -> RunReader:
        """The run, where it is one."""
        return RunReader(self._opened.database)

    def items(self) -> list[Item]:
        """Return all that is remembered, with what no longer holds."""
        if self.is_run:
            return list(run_items(self.run))
        return list(knowledge_items(self._opened.database, now=self.now))

    def totals(self) -> Totals:
        """Return the totals of all runs that taught this file."""
        return totals(self._opened.database)

    def archived(self) -> int:
        """Return how many rows were let go of and lie in the archive."""
        row = self._opened.database.row("SELECT count(*) FROM archive")
        return 0 if row is None else int(row[0])

    def runs(self) -> list[Delivered]:
        """Return which runs taught this file, in the order of their names."""
        rows = self._opened.database.rows("SELECT run_id, sequence FROM deliveries ORDER BY run_id")
        held = Counter(each.run_id for each in self.items())
        return [Delivered(run_id, sequence, held[run_id]) for run_id, sequence in rows]

    def maps(self) -> dict[str, MemoryMap]:
        """Return the map of each agent of a run, as play itself would see it."""
        reader = _Unchanging(self._opened.database)
        names = {each.scope for each in reader.live_entries() if each.scope.startswith("agent:")}
        agents = sorted({each.split(":")[1] for each in names})
        return {
            name: open_memory(reader, name, session_id=reader.run_id, started_at=0.0).map()
            for name in agents
        }

    def search(self, words: str, limit: int) -> list[Match]:
        """Return what has any of `words`, the best first, by the ranking that recalls use."""
        query = MemoryQuery(
            text=words,
            max_results=min(limit, MOST),
            include_closed=True,
            include_expired=True,
        )
        items = self.items()
        if self.is_run:
            last = max((each.game_s or 0.0 for each in items), default=0.0)
            by_key = {(each.scope, each.id): each for each in items}
            found = self.run.find(query, now_s=last)
            return [Match(by_key[each.entry.scope, each.entry.key], each.score) for each in found]
        return _search(items, query, self.now)

    def close(self) -> None:
        """Close the file."""
        self._opened.database.close()


@contextmanager
def looking_at(path: Path, *, now: float, kinds: tuple[Schema, ...] = KINDS) -> Iterator[Look]:
    """Lend a look at the file or run folder `path`, which must be whole."""
    look = Look(open_sound(path, kinds), now=now)
    try:
        yield look
    finally:
        look.close()


def weights_of(look: Look) -> Weights:
    """Return what each part of a score counts for in this file: what outlives runs ages by the month."""
    return Weights() if look.is_run else Weights(half_s=MONTH_S)


def _search(items: Sequence[Item], query: MemoryQuery, now: float) -> list[Match]:
    """Rank items that lie in several tables as recalls are ranked: as entries of one run that never was."""
    database = in_memory(RUN_SCHEMA)
    try:
        database.execute("INSERT INTO run (id, run_id) VALUES (1, 'reader')")
        store = RunStore(database)
        for number, item in enumerate(items, 1):
            store.put_entry(_as_entry(number, item))
        store.commit()
        search = EntrySearch(database, weights=Weights(half_s=MONTH_S))
        found: list[Found] = search.find(query, now_s=now)
    finally:
        database.close()
    return [Match(items[each.entry.seq - 1], each.score) for each in found]


def _as_entry(number: int, item: Item) -> Entry:
    more = item.more
    return Entry(
        number,
        PASSING,
        item.kind,
        item.tick,
        item.last,
        item.data,
        frozenset(map(str, _listed(more.get("tags")))),
        _whole(more.get("importance"), 7),
        None,
        f"{number}:{item.id}",
        utility=_share(more.get("utility")),
        closed=item.closed,
    )


def _listed(value: Json) -> list[Json]:
    return list(value) if isinstance(value, list) else []


def _whole(value: Json, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise


def _share(value: Json) -> float:
    return value if isinstance(value, float) else 0.5


class _Unchanging(RunReader):
    """A run as its memory wants it, which takes nothing in."""

    def put_entry(self, entry: Entry) -> None:
        """Leave the file as it is."""

    def drop_entry(self, seq: int) -> None:
        """Leave the file as it is."""

    def enqueue(self, tick: int, kind: Kind, payload: Mapping[str, Json]) -> None:
        """Leave the file as it is."""

    def append_event(self, tick: int, kind: str, payload: Mapping[str, Json]) -> None:
        """Leave the file as it is."""

    def reindex(self) -> int:
        """Leave the file as it is."""
        return 0

    def attach(self, name: str, part: Part) -> None:
        """Bring `part` to the last checkpoint."""
        self.restore_part(name, part)
