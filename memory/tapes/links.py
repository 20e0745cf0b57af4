"""Who follows whom on a tape: sessions, heads, paths. Pure; any links end in an answer, circles too."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_NEVER: Final = datetime.min.replace(tzinfo=UTC)


class Link(NamedTuple):
    """A node and what it follows: None for a root."""

    hash: str
    parent: str | None = None
    at: datetime | None = None


class SessionHead(NamedTuple):
    """A session without its entries: its first and last hash, how many nodes it has, when it began.

    `is_complete` says whether it begins at a root; one that does not follows a node that is missing, or itself.
    """

    root: str
    head: str
    nodes: int
    started: datetime | None
    is_complete: bool = True


class Paths(NamedTuple):
    """The ways through one session, as hashes: the main one, then each branch from where it forks."""

    main: tuple[str, ...]
    branches: tuple[tuple[str, ...], ...]


def paths_from(root: str, links: Iterable[Link]) -> Paths:
    """Return the ways from `root` to the leaves below it.

    The main one is the deepest, of equally deep ones the latest, then the one with the greatest hash. Branches come
    by the depth of their fork, then by time in UTC, then by hash.
    """
    by_hash = {link.hash: link for link in links}
    depth, leaves = _depths(root, _children(by_hash.values()))

    def age(name: str) -> tuple[datetime, str]:
        return (by_hash[name].at or _NEVER if name in by_hash else _NEVER, name)

    main = max(leaves, key=lambda leaf: (depth[leaf], age(leaf)))
    taken: set[str] = set()
    ways = [
        _climb(leaf, root, by_hash, taken) for leaf in [main, *sorted(leaves - {main}, key=age)]
    ]
    branches = sorted(ways[1:], key=lambda way: (depth[way[0]], age(way[0])))
    return Paths(ways[0], tuple(branches))


def sessions_in(links: Sequence[Link]) -> tuple[SessionHead, ...]:
    """Return every session, the earliest first: those of roots, and what follows a missing node or runs in a circle."""
    by_hash = {link.hash: link for link in links}
    children = _children(by_hash.values())
    roots = [link.hash for link in by_hash.values() if link.parent is None]
    orphans = [
        link.hash
        for link in by_hash.values()
        if link.parent is not None and link.parent not in by_hash
    ]
    seen = set[str]()
    found = [_head(root, by_hash, children, seen) for root in (*roots, *orphans)]
    found += [  # whatever is left leads into a circle; the first head of it has seen all of it
        _head(_in_circle(name, by_hash), by_hash, children, seen)
        for name in by_hash
        if name not in seen
    ]
    whole = set(roots)
    heads = (head._replace(is_complete=head.root in whole) for head in found)
    return tuple(sorted(heads, key=lambda head: (head.started or _NEVER, head.root)))


def _head(
    root: str, by_hash: Mapping[str, Link], children: Mapping[str, list[str]], seen: set[str]
) -> SessionHead:
    depth, leaves = _depths(root, children)
    seen.update(depth)
    head = max(leaves, key=lambda leaf: (depth[leaf], by_hash[leaf].at or _NEVER, leaf))
    return SessionHead(root, head, len(depth), by_hash[root].at)


def _children(links: Iterable[Link]) -> Mapping[str, list[str]]:
    children = defaultdict[str, list[str]](list)
    for link in links:
        if link.parent is not None:
            children[link.parent].append(link.hash)
    return children


def _depths(root: str, children: Mapping[str, list[str]]) -> tuple[dict[str, int], set[str]]:
    """Return how far each node is below `root`, and which have none below them that was not met before."""
    depth, leaves, level = {root: 0}, set[str](), [root]
    while level:
        below = []
        for name in level:
            new = [each for each in children.get(name, ()) if each not in depth]
            depth.update(dict.fromkeys(new, depth[name] + 1))
            below += new
            if not new:
                leaves.add(name)
        level = below
    return depth, leaves


def _climb(leaf: str, root: str, by_hash: Mapping[str, Link], taken: set[str]) -> tuple[str, ...]:
    """Return the way down to `leaf` from `root`, or from below the first node that another way has taken."""
    way = list(_upwards(leaf, root, by_hash, taken))
    taken.update(way)
    return tuple(reversed(way))


def _upwards(leaf: str, root: str, by_hash: Mapping[str, Link], taken: set[str]) -> Iterator[str]:
    name: str | None = leaf
    while name is not None and name not in taken:
        yield name
        name = by_hash[name].parent if name != root and name in by_hash else None


def _in_circle(name: str, by_hash: Mapping[str, Link]) -> str:
    """Return the least hash of the circle that `name` leads back to."""
    met: dict[str, None] = {}
    while name not in met:
        met[name] = None
        name = by_hash[name].parent or name
    circle = list(met)
    return min(circle[circle.index(name) :])
