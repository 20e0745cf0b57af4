"""The map of memory: its scopes, its edges, what is pending, and its gaps."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import Scope, scope_of
from memory.errors import UnknownScope
from memory.flow.flows import Flows


@dataclass(frozen=True, slots=True)
class ScopeMap:
    """One scope: its policies and the counts of its entries."""

    policies: Scope
    kinds: Mapping[str, int]
    closed: int
    claims: int
    oldest_tick: int | None
    newest_tick: int | None

    @property
    def count(self) -> int:
        """The number of entries in the scope."""
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True)
class Edge:
    """One subscription and its progress."""

    name: str
    source: str
    target: str
    transformer: str
    trigger: str
    pending: int
    carried: int


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """Scopes by name, edges, gaps, and problems of the configuration."""

    scopes: Mapping[str, ScopeMap]
    edges: tuple[Edge, ...]
    gaps: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def count(self) -> int:
        """The number of entries in all scopes."""
        return sum(each.count for each in self.scopes.values())

    @property
    def pending(self) -> int:
        """The number of pending entries, each counted at every edge where it is pending."""
        return sum(each.pending for each in self.edges)


def memory_map(blackboard: Blackboard, flows: Flows, expected: Iterable[str] = ()) -> MemoryMap:
    """Return the map of `blackboard`; scopes in `expected` are included even when they are empty."""
    names = sorted({*expected, *blackboard.scopes()})
    scopes = {name: _scope(blackboard, name) for name in names}
    edges = tuple(_edge(flows, name) for name in flows.subscriptions)
    return MemoryMap(scopes, edges, _gaps(blackboard, scopes, edges), problems(flows, names))


def problems(flows: Flows, scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the problems of the edges: unknown target scopes, sources that match no scope, cycles.

    A cycle is not an error, since no edge carries what it wrote itself, but its author should know.
    """
    found: list[str] = []
    known = set(scopes)
    for each in flows.subscriptions.values():
        try:
            scope_of(each.target)
        except UnknownScope:
            found.append(f"{each.name} leads to {each.target}, which is no scope")
        if not any(fnmatchcase(name, each.source) for name in known):
            found.append(f"{each.name} reads {each.source}, which holds no entries")
    found.extend(f"there is a cycle through {name}" for name in _cycles(flows, known))
    return tuple(found)


def _scope(blackboard: Blackboard, name: str) -> ScopeMap:
    entries = blackboard.entries(name)
    return ScopeMap(
        policies=scope_of(name),
        kinds=blackboard.count(name),
        closed=sum(bool(each.closed) for each in entries),
        claims=sum(each.status == "claim" for each in entries),
        oldest_tick=min((each.tick for each in entries), default=None),
        newest_tick=max((each.tick for each in entries), default=None),
    )


def _edge(flows: Flows, name: str) -> Edge:
    each = flows.subscriptions[name]
    return Edge(
        name=name,
        source=each.source,
        target=each.target,
        transformer=getattr(each.transformer, "__name__", type(each.transformer).__name__),
        trigger=repr(each.trigger),
        pending=len(flows.pending(name)),
        carried=flows.carried(name),
    )


def _gaps(
    blackboard: Blackboard, scopes: Mapping[str, ScopeMap], edges: Iterable[Edge]
) -> tuple[str, ...]:
    """Return what memory does not know: empty scopes, kinds without entries, edges that carried nothing."""
    gaps = [f"{name} holds nothing" for name, each in scopes.items() if not each.count]
    held = {kind for each in scopes.values() for kind in each.kinds}
    gaps += [f"no {kind} is known" for kind in sorted(blackboard.kinds) if kind not in held]
    gaps += [f"nothing was carried by {each.name}" for each in edges if not each.carried]
    return tuple(gaps)


def _cycles(flows: Flows, scopes: set[str]) -> list[str]:
    targets = defaultdict[str, set[str]](set)
    for each in flows.subscriptions.values():
        for name in scopes | {each.target}:
            if fnmatchcase(name, each.source) and name != each.target:
                targets[name].add(each.target)
    return [name for name in sorted(targets) if _reaches(targets, name)]


def _reaches(targets: Mapping[str, set[str]], start: str) -> bool:
    seen = set(targets.get(start, ()))
    while more := {after for name in seen for after in targets.get(name, ())} - seen:
        seen |= more
    return start in seen
