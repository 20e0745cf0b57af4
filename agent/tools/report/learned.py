"""Memory at the start of a run and now: counts by kind, and descriptions of the most useful entries."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from agent.events import RecallEvent, events
from agent.tools.report.words import describe
from memory import Entry, MemoryItem, RunReader

LASTING: Final = ":ltm:"
FOREIGN: Final = "run:"  # prefix of a source from another run
PIECES: Final = 12  # entries described in each group
DECIDING: Final = ("mistake", "strategy", "preference", "pattern")  # kinds that come first


class KindCounts(NamedTuple):
    """The counts of one kind of entry: at the start, changed since, and new."""

    kind: str
    before: int
    changed: int
    new: int

    @property
    def now(self) -> int:
        """The number of entries now."""
        return self.before + self.new


class LearnedItem(NamedTuple):
    """The description of one entry, and whether it is new."""

    kind: str
    says: str
    is_new: bool


class MemoryChanges(NamedTuple):
    """Memory before and after, the lessons delivered by kind, and the number of queries."""

    sorts: Sequence[KindCounts]
    pieces: Sequence[LearnedItem]
    lessons: Mapping[str, int]
    recalled: Mapping[str, int]
    consolidations: int
    moved: Mapping[str, int]

    @property
    def new(self) -> int:
        """The number of new entries."""
        return sum(each.new for each in self.sorts)


def memory_changes(run: RunReader, moved: Mapping[str, int]) -> MemoryChanges:
    """Return what a run has learnt; `moved` counts changed decisions by the use of memory that changed them."""
    own = f"{FOREIGN}{run.run_id}"
    lasting = [each for each in run.live_entries() if LASTING in each.scope]
    known = [each for each in lasting if _was_known(each, own)]
    new = [each for each in lasting if not _was_known(each, own)]
    changed = [each for each in known if each.tick > 0]
    return MemoryChanges(
        sorts=_sorts(known, changed, new),
        pieces=[*_pieces(new, is_new=True), *_pieces(changed, is_new=False)],
        lessons=Counter(each.kind for each in run.outbox.rows()),
        recalled=Counter(  # by purpose, without its subject
            (each.why or "unknown").removeprefix("recalled:") for each in events(run, RecallEvent)
        ),
        consolidations=sum(1 for _ in run.record.events("consolidation")),
        moved={name: times for name, times in moved.items() if times},
    )


def _was_known(entry: Entry, own: str) -> bool:
    """Return whether an entry came from another run: it is from power-on, or names that run as a source."""
    foreign = (each for each in entry.sources if each.startswith(FOREIGN) and each != own)
    return entry.tick == 0 or any(foreign)


def _sorts(
    known: Iterable[Entry], changed: Iterable[Entry], new: Iterable[Entry]
) -> Sequence[KindCounts]:
    counts = [Counter(each.kind for each in part) for part in (known, changed, new)]
    kinds = sorted(counts[0] | counts[2], key=lambda kind: (_rank(kind), kind))
    return [KindCounts(kind, *(count[kind] for count in counts)) for kind in kinds]


def _pieces(entries: Iterable[Entry], *, is_new: bool) -> Iterable[LearnedItem]:
    ordered = sorted(entries, key=lambda each: (_rank(each.kind), -each.importance, -each.tick))
    telling = [each for each in ordered if _rank(each.kind) < len(DECIDING)]
    for each in (telling or ordered)[:PIECES]:
        item = MemoryItem(each.kind, "entries", each.key, each.data, closed=each.closed)
        yield LearnedItem(each.kind, describe(item), is_new)


def _rank(kind: str) -> int:
    return DECIDING.index(kind) if kind in DECIDING else len(DECIDING)
