"""An edge of memory: what of one scope goes to another, what it is made into, and when."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, TypeAlias

from memory.blackboard.entry import DEFAULT_IMPORTANCE, Entry, Status
from memory.codec import Json
from memory.tokens import CHARACTERS


class Pending(NamedTuple):
    """What waits at one subscription."""

    number: int
    waited_s: float  # game seconds since it was last carried
    asked: bool  # whether it was asked for now
    fullness: Callable[[], float]  # of the source's budget of tokens; 0.0 where it has none


class Trigger(Protocol):
    """Decides whether it is time."""

    def due(self, pending: Pending) -> bool:
        """Return whether to carry on what is pending."""


@dataclass(frozen=True, slots=True)
class OnDemand:
    """When it is asked for: by the consolidator, or by an action."""

    def due(self, pending: Pending) -> bool:
        """Return whether it was asked for."""
        return pending.asked


@dataclass(frozen=True, slots=True)
class Periodic:
    """After `every_s` game seconds."""

    every_s: float

    def due(self, pending: Pending) -> bool:
        """Return whether the time is up."""
        return pending.waited_s >= self.every_s


@dataclass(frozen=True, slots=True)
class Threshold:
    """At `most` entries; when asked for, from `least` on."""

    least: int
    most: int

    def due(self, pending: Pending) -> bool:
        """Return whether there are enough."""
        return pending.number >= (self.least if pending.asked else self.most)


@dataclass(frozen=True, slots=True)
class Fullness:
    """When the source holds this share of its budget of tokens."""

    share: float

    def due(self, pending: Pending) -> bool:
        """Return whether the source is that full."""
        return pending.fullness() >= self.share


@dataclass(frozen=True, slots=True)
class AnyOf:
    """When one of several says so."""

    triggers: tuple[Trigger, ...]

    def due(self, pending: Pending) -> bool:
        """Return whether it is time for any."""
        for each in self.triggers:  # noqa: SIM110  # asked of every write, and a generator costs more than the answer
            if each.due(pending):
                return True
        return False


@dataclass(frozen=True, slots=True)
class AllOf:
    """When each of several says so."""

    triggers: tuple[Trigger, ...]

    def due(self, pending: Pending) -> bool:
        """Return whether it is time for all."""
        return all(each.due(pending) for each in self.triggers)


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


SUMMARY: Final = "summary"
MAX_TOKENS: Final = 500


def identity(entries: Sequence[Entry]) -> list[Derived]:
    """Return the entries as they are, each under its own key."""
    return [Derived(**each.rewritten(scope=None, sources=(each.key,))) for each in entries]


@dataclass(frozen=True, slots=True)
class Filtering:
    """Those entries as they are that pass."""

    passes: Callable[[Entry], bool]

    def __call__(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return the entries that pass."""
        return identity([each for each in entries if self.passes(each)])


@dataclass(frozen=True, slots=True)
class Summarizing:
    """One entry in words, made by `summarize(prompt, text)`; by counting where there is none, or it fails.

    Nothing that fails loses anything: an empty summary counts as a failure, and one that is too long is cut.
    """

    prompt: str
    summarize: Callable[[str, str], str] | None = None
    max_tokens: int = MAX_TOKENS

    def __call__(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return one summary of all the entries, with links to each."""
        by_model = ""
        if self.summarize is not None:
            with suppress(Exception):  # whatever a model does, there is the offline way
                by_model = self.summarize(self.prompt, "\n".join(map(line, entries))).strip()
        text = (by_model or in_figures(entries))[: self.max_tokens * CHARACTERS]
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


def line(entry: Entry) -> str:
    """Return one entry as a line of text."""
    said = ", ".join(
        f"{name} {value}" for name, value in entry.data.items() if value not in ("", None, [])
    )
    return f"tick {entry.tick}: {entry.kind}: {said}"


def in_figures(entries: Sequence[Entry]) -> str:
    """Return what can be said of `entries` without a model: how many of what, when, and the gravest of them."""
    kinds = Counter(each.kind for each in entries)
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    gravest = sorted(entries, key=lambda each: (-each.importance, each.seq))[:5]
    span = f"ticks {entries[0].tick} to {entries[-1].tick}: {told}."
    return "\n".join([span, *(line(each) for each in sorted(gravest, key=lambda each: each.seq))])
