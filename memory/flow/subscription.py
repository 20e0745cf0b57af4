"""An edge of memory: what of one scope goes to another, as what, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from memory.blackboard.entry import DEFAULT_IMPORTANCE, Status
from memory.flow.triggers import OnDemand, Trigger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memory.blackboard.entry import Entry
    from memory.codec import Json


class Derived(NamedTuple):
    """What a transformer makes of entries; `scope` is the subscription's target where it is None."""

    kind: str
    data: Mapping[str, Json]
    sources: tuple[str, ...] = ()  # keys of the entries it was made from
    tags: Iterable[str] = ()
    importance: int = DEFAULT_IMPORTANCE
    status: Status = "inferred"
    key: str | None = None
    scope: str | None = None


Transformer: TypeAlias = "Callable[[Sequence[Entry]], Iterable[Derived]]"


@dataclass(frozen=True, slots=True)
class TagFilter:
    """Entries of some kinds, or with some tags; where nothing is named, anything goes."""

    kinds: frozenset[str] = frozenset()
    any_of: frozenset[str] = frozenset()
    all_of: frozenset[str] = frozenset()
    none_of: frozenset[str] = frozenset()

    def __call__(self, entry: Entry) -> bool:
        """Return whether `entry` passes."""
        if self.kinds and entry.kind not in self.kinds:
            return False  # asked of every write: most are told by their kind alone
        return (
            (not self.any_of or not self.any_of.isdisjoint(entry.tags))
            and self.all_of <= entry.tags
            and self.none_of.isdisjoint(entry.tags)
        )


def of_kinds(*kinds: str) -> TagFilter:
    """Return the filter of entries of `kinds`."""
    return TagFilter(kinds=frozenset(kinds))


ANYTHING: Final = TagFilter()
ON_DEMAND: Final = OnDemand()


@dataclass(frozen=True, slots=True)
class MemorySubscription:
    """One edge. `source` is a glob of scopes, so that many may feed one.

    `ripe(entries)` says how many of those pending, from the oldest on, are complete; the rest waits, until it is
    asked for in the end. What was carried from a scope that it `consumes` is let go of there, in the same commit as
    what came of it, except the newest `keep_last` that it `accepts` and those younger than `keep_s`. What it `delivers`
    is told to those to come as well, by way of the outbox.
    """

    name: str
    source: str
    target: str
    transformer: Transformer
    accepts: Callable[[Entry], bool] = ANYTHING
    trigger: Trigger = ON_DEMAND
    ripe: Callable[[Sequence[Entry]], int] | None = None
    consumes: bool = False
    keep_last: int = 0
    keep_s: float = 0.0
    delivers: bool = False

    def facts(self) -> dict[str, Any]:
        """Return what a map of memory shows of it."""
        return {
            "name": self.name,
            "source": self.source,
            "target": self.target,
            "transformer": getattr(self.transformer, "__name__", type(self.transformer).__name__),
            "trigger": repr(self.trigger),
            "consumes": self.consumes,
            "delivers": self.delivers,
        }
