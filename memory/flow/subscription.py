"""Subscriptions, the edges of memory: which entries of a scope go to another, how they are transformed, and when."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from memory.blackboard.entry import DEFAULT_IMPORTANCE, Entry, Status
from memory.codec import Json
from memory.tokens import CHARACTERS


class Pending(NamedTuple):
    """The state of one subscription, for its trigger."""

    number: int
    waited_s: float  # game seconds since the last carry
    requested: bool  # whether a caller requested a carry
    fullness: Callable[[], float]  # of the source's token budget; 0.0 without one


# Returns whether a subscription in this state carries its entries now.
Trigger: TypeAlias = Callable[[Pending], bool]


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Fires when the consolidator or an action requests it."""

    def __call__(self, pending: Pending) -> bool:
        """Return whether a caller requested it."""
        return pending.requested


@dataclass(frozen=True, slots=True)
class Periodic:
    """Fires after `every_s` game seconds."""

    every_s: float

    def __call__(self, pending: Pending) -> bool:
        """Return whether the interval is over."""
        return pending.waited_s >= self.every_s


@dataclass(frozen=True, slots=True)
class Threshold:
    """Fires at `most` entries, or at `least` entries on request."""

    least: int
    most: int

    def __call__(self, pending: Pending) -> bool:
        """Return whether there are enough entries."""
        return pending.number >= (self.least if pending.requested else self.most)


@dataclass(frozen=True, slots=True)
class Fullness:
    """Fires when the source uses at least this share of its token budget."""

    share: float

    def __call__(self, pending: Pending) -> bool:
        """Return whether the source is full enough."""
        return pending.fullness() >= self.share


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Fires when any of several triggers fires."""

    triggers: tuple[Trigger, ...]

    def __call__(self, pending: Pending) -> bool:
        """Return whether any trigger fires."""
        for each in self.triggers:  # noqa: SIM110  # called for each write; a generator is slower
            if each(pending):
                return True
        return False


@dataclass(frozen=True, slots=True)
class AllOf:
    """Fires when all of several triggers fire."""

    triggers: tuple[Trigger, ...]

    def __call__(self, pending: Pending) -> bool:
        """Return whether all triggers fire."""
        return all(each(pending) for each in self.triggers)


class Derived(NamedTuple):
    """The arguments of one derived entry; a `scope` of None means the target of the subscription."""

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
    """Accepts entries by kind and tags; an empty set does not restrict."""

    kinds: frozenset[str] = frozenset()
    any_of: frozenset[str] = frozenset()
    all_of: frozenset[str] = frozenset()
    none_of: frozenset[str] = frozenset()

    def __call__(self, entry: Entry) -> bool:
        """Return whether `entry` passes."""
        if self.kinds and entry.kind not in self.kinds:
            return False  # called for each write: most entries are rejected by their kind
        return (
            (not self.any_of or not self.any_of.isdisjoint(entry.tags))
            and self.all_of <= entry.tags
            and self.none_of.isdisjoint(entry.tags)
        )


def of_kinds(*kinds: str) -> TagFilter:
    """Return the filter that accepts entries of `kinds`."""
    return TagFilter(kinds=frozenset(kinds))


ANYTHING: Final = TagFilter()
ON_DEMAND: Final = OnDemand()


@dataclass(frozen=True, slots=True)
class MemorySubscription:
    """One edge. `source` is a glob of scopes, so that several scopes may feed one.

    `complete_count(entries)` returns how many of the pending entries, oldest first, are complete; the rest waits until it is
    complete or the final run. An edge that `consumes` removes carried entries from their scope, in the commit that stores
    the results, except the newest `keep_last` it accepts and those younger than `keep_s`. Results of an edge that
    `delivers` also go to later runs, through the outbox.
    """

    name: str
    source: str
    target: str
    transformer: Transformer
    accepts: Callable[[Entry], bool] = ANYTHING
    trigger: Trigger = ON_DEMAND
    complete_count: Callable[[Sequence[Entry]], int] | None = None
    consumes: bool = False
    keep_last: int = 0
    keep_s: float = 0.0
    delivers: bool = False


SUMMARY: Final = "summary"
MAX_TOKENS: Final = 500


def identity(entries: Sequence[Entry]) -> list[Derived]:
    """Return the entries unchanged, each under its own key."""
    return [Derived(**each.rewritten(scope=None, sources=(each.key,))) for each in entries]


def filtering(passes: Callable[[Entry], bool]) -> Transformer:
    """Return the transformer that keeps the entries that pass, unchanged."""
    return lambda entries: identity([each for each in entries if passes(each)])


@dataclass(frozen=True, slots=True)
class Summarizing:
    """A transformer to one text entry with the keys of all as sources: by `summarize(prompt, text)`, without it by counting.

    A failure loses nothing: an empty summary counts as a failure, and one that is too long is cut.
    """

    prompt: str
    summarize: Callable[[str, str], str] | None = None
    max_tokens: int = MAX_TOKENS

    def __call__(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return one summary of all the entries."""
        by_model = ""
        if self.summarize is not None:
            with suppress(Exception):  # any failure of the model falls back to counting
                by_model = self.summarize(self.prompt, "\n".join(map(entry_line, entries))).strip()
        text = (by_model or summarize_counts(entries))[: self.max_tokens * CHARACTERS]
        return [
            Derived(
                SUMMARY,
                {"text": text, "count": len(entries)},
                sources=tuple(each.key for each in entries),
                tags=frozenset[str]().union(*(each.tags for each in entries)),
                importance=max(each.importance for each in entries),
                status="claim" if by_model else "inferred",
            )
        ]


def entry_line(entry: Entry) -> str:
    """Return one entry as a line of text."""
    values = ", ".join(
        f"{name} {value}" for name, value in entry.data.items() if value not in ("", None, [])
    )
    return f"tick {entry.tick}: {entry.kind}: {values}"


def summarize_counts(entries: Sequence[Entry]) -> str:
    """Return a summary of `entries` without a model: their number by kind, the time span, and the five most important."""
    kinds = Counter(each.kind for each in entries)
    counts = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    top = sorted(entries, key=lambda each: (-each.importance, each.seq))[:5]
    span = f"ticks {entries[0].tick} to {entries[-1].tick}: {counts}."
    return "\n".join([span, *(entry_line(each) for each in sorted(top, key=lambda each: each.seq))])
