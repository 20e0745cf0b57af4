"""The reader of tapes of every SQLite release of Tapes, and of our own. Standard library only.

Reading ends for any links, even cycles; a row of any era becomes an entry, whatever its columns hold.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from memory.errors import ForeignStore, StoreError, UnknownMemory
from memory.tapes.entries import SHORT, TapeEntry, TapeSession, TokenUsage, moment, read_content
from memory.tapes.hashing import Bucket
from memory.tapes.readonly_file import ReadOnlyFile

_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


class NodeLink(NamedTuple):
    """A node and its parent: None for a root."""

    hash: str
    parent: str | None = None
    at: datetime | None = None


class SessionHead(NamedTuple):
    """A session without its entries: first and last hash, number of nodes, and start.

    `is_complete` states whether it begins at a root; otherwise it follows a missing node, or is a cycle.
    """

    root: str
    head: str
    nodes: int
    started: datetime | None
    is_complete: bool


class Paths(NamedTuple):
    """The paths of one session, as hashes: the main path, then each branch after its fork."""

    main: tuple[str, ...]
    branches: tuple[tuple[str, ...], ...]


def paths_from(root: str, links: Iterable[NodeLink]) -> Paths:
    """Return the paths from `root` to its leaves.

    The main path is the deepest, then the latest, then the one with the greatest hash. Branches are sorted by the depth
    of their fork, then by time in UTC, then by hash.
    """
    by_hash = {link.hash: link for link in links}
    depth, leaves = _depths(root, _children(by_hash.values()))

    def age(name: str) -> tuple[datetime, str]:
        return (by_hash[name].at or _EARLIEST if name in by_hash else _EARLIEST, name)

    main = max(leaves, key=lambda leaf: (depth[leaf], age(leaf)))
    taken: set[str] = set()
    paths = [
        _path_down(leaf, root, by_hash, taken) for leaf in [main, *sorted(leaves - {main}, key=age)]
    ]
    branches = sorted(paths[1:], key=lambda way: (depth[way[0]], age(way[0])))
    return Paths(paths[0], tuple(branches))


def sessions_in(links: Sequence[NodeLink]) -> tuple[SessionHead, ...]:
    """Return every session, earliest first: from roots, from nodes with a missing parent, and cycles."""
    by_hash = {link.hash: link for link in links}
    children = _children(by_hash.values())
    beginnings = [link for link in by_hash.values() if link.parent not in by_hash]
    seen = set[str]()
    found = [_head(link.hash, by_hash, children, seen) for link in beginnings]
    found += [  # the remaining nodes lead into cycles; the head of a cycle covers all its nodes
        _head(_cycle_start(name, by_hash), by_hash, children, seen)
        for name in by_hash
        if name not in seen
    ]
    return tuple(sorted(found, key=lambda head: (head.started or _EARLIEST, head.root)))


def _head(
    root: str, by_hash: Mapping[str, NodeLink], children: Mapping[str, list[str]], seen: set[str]
) -> SessionHead:
    depth, leaves = _depths(root, children)
    seen.update(depth)
    head = max(leaves, key=lambda leaf: (depth[leaf], by_hash[leaf].at or _EARLIEST, leaf))
    first = by_hash[root]
    return SessionHead(root, head, len(depth), first.at, is_complete=first.parent is None)


def _children(links: Iterable[NodeLink]) -> Mapping[str, list[str]]:
    children = defaultdict[str, list[str]](list)
    for link in links:
        if link.parent is not None:
            children[link.parent].append(link.hash)
    return children


def _depths(root: str, children: Mapping[str, list[str]]) -> tuple[dict[str, int], set[str]]:
    """Return the depth of each node below `root`, and the leaves: nodes without unvisited children."""
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


def _path_down(
    leaf: str, root: str, by_hash: Mapping[str, NodeLink], taken: set[str]
) -> tuple[str, ...]:
    """Return the path to `leaf` from `root`, or from below the nearest node of another path."""
    way: list[str] = []
    name: str | None = leaf
    while name is not None and name not in taken:
        way.append(name)
        taken.add(name)
        name = by_hash[name].parent if name != root and name in by_hash else None
    return tuple(reversed(way))


def _cycle_start(name: str, by_hash: Mapping[str, NodeLink]) -> str:
    """Return the least hash of the cycle above `name`."""
    visited: dict[str, None] = {}
    while name not in visited:
        visited[name] = None
        name = by_hash[name].parent or name
    circle = list(visited)
    return min(circle[circle.index(name) :])


_TOKENS: Final = (
    "prompt_tokens", "completion_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"
)  # fmt: skip
_WORDS: Final = ("model", "agent_name", "provider", "project", "type", "stop_reason")
WANTED: Final = (
    *("hash", "parent_hash", "role", "content", "created_at", "total_duration_ns"),
    *_TOKENS,
    *_WORDS,
)


def select_list(there: Collection[str]) -> str:
    """Return the SQL list of WANTED for a table with the columns `there`; missing ones are NULL."""
    return ", ".join(f"n.{name}" if name in there else f"NULL AS {name}" for name in WANTED)


def entry_of(row: tuple[Any, ...]) -> TapeEntry:
    """Return the entry of a row of WANTED; never raises."""
    found = dict(zip(WANTED, row, strict=True))
    content, parent = read_content(found["content"]), found["parent_hash"]
    return TapeEntry(
        hash=str(found["hash"]),
        parent_hash=str(parent) if parent else None,
        role=_word(found["role"]) or content.role,
        blocks=content.blocks,
        raw=content.raw,
        usage=TokenUsage(*(_count(found[name]) for name in _TOKENS)),
        timestamp=moment(found["created_at"]),
        duration_ns=_count(found["total_duration_ns"]),
        **{name: _word(found[name]) for name in _WORDS},
    )


def has_valid_hash(entry: TapeEntry) -> bool:
    """Return whether the hash of `entry` is the hash v1 of its content."""
    named = (entry.model, entry.provider, entry.agent_name, entry.type)
    bucket = Bucket(entry.role or "", entry.blocks, *(each or "" for each in named))
    try:
        return entry.raw is None and bucket.hash(entry.parent_hash) == entry.hash
    except (TypeError, ValueError, RecursionError):
        return False


def _word(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if value is None else str(value)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) else None


MAX_NODES: Final = 250_000  # of one session
MOST_NODES: Final = 500_000  # of a tape

# UNION keeps a set of hashes, so that a cycle ends; the order is computed from the links.
_DOWN: Final = """
WITH RECURSIVE chain (h) AS (
    SELECT :start
    UNION
    SELECT n.hash FROM nodes n JOIN chain ON n.parent_hash = chain.h
    LIMIT :most
)
SELECT {columns} FROM chain JOIN nodes n ON n.hash = chain.h
"""


@dataclass(frozen=True, slots=True)
class HashCheck:
    """The number of nodes with a valid hash, and the other nodes."""

    matching: int
    mismatched: tuple[str, ...]


class TapeReader:
    """An open tape. It is not changed, no file is created, and other processes may write to it."""

    def __init__(self, path: Path, *, max_nodes: int = MAX_NODES) -> None:
        """Open the tape at `path`; at most `max_nodes` of a session are read.

        Raises StoreError when it does not exist, or has no table of nodes with hashes and parents.
        """
        self.path = path
        self._max_nodes = max_nodes
        self._file = ReadOnlyFile(path)
        try:
            self._columns = self._known_columns()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "TapeReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def list_sessions(self) -> list[str]:
        """Return the hashes of all roots, earliest first."""
        return [head.root for head in self.sessions() if head.is_complete]

    def list_leaves(self) -> list[str]:
        """Return the hashes of all leaves, earliest first: sessions by their last message."""
        links = self._links()
        parents = {link.parent for link in links}
        leaves = [link for link in links if link.hash not in parents]
        by_time = sorted(leaves, key=lambda link: (link.at is not None, link.at, link.hash))
        return [link.hash for link in by_time]

    def sessions(self) -> tuple[SessionHead, ...]:
        """Return the head of each session, earliest first, including those without a root."""
        return sessions_in(self._links())

    def read_session(self, root: str) -> TapeSession:
        """Return the conversation that begins at `root`, any node.

        Raises UnknownMemory when there is no such node.
        """
        entries = self._entries(root)
        paths = paths_from(
            root, (NodeLink(e.hash, e.parent_hash, e.timestamp) for e in entries.values())
        )
        main = tuple(entries[name] for name in paths.main)
        branches = tuple(tuple(entries[name] for name in branch) for branch in paths.branches)
        return TapeSession(root, main, branches, self._faults(entries, root))

    def verify_hash(self) -> HashCheck:
        """Return how many nodes of the tape have a valid hash, and which do not."""
        sql = f"SELECT {select_list(self._columns)} FROM nodes n"  # noqa: S608  # names of our own
        matching, mismatched = 0, []
        for row in self._file.rows(sql):
            entry = entry_of(row)
            if has_valid_hash(entry):
                matching += 1
            else:
                mismatched.append(entry.hash)
        return HashCheck(matching, tuple(sorted(mismatched)))

    def find_session(self, prefix: str) -> str:
        """Return the root of the only session whose hash begins with `prefix`, of 8 hex digits or more.

        Raises UnknownMemory when the prefix is too short, or matches no session or several.
        """
        wanted = prefix.strip().lower()
        if len(wanted) < SHORT:
            message = f"{prefix!r} is too short for a session; give {SHORT} hex digits or more."
            raise UnknownMemory(message)
        found = sorted({head.root for head in self.sessions() if head.root.startswith(wanted)})
        if len(found) != 1:
            message = (
                f"{prefix!r} matches {len(found)} sessions of {self.path}; give more of its hash."
                if found
                else f"no session of {self.path} begins with {prefix!r}; give the hash of a root."
            )
            raise UnknownMemory(message)
        return found[0]

    def _links(self) -> list[NodeLink]:
        at = "created_at" if "created_at" in self._columns else "NULL"
        sql = f"SELECT hash, parent_hash, {at} FROM nodes WHERE hash IS NOT NULL"  # noqa: S608  # as above
        return [
            NodeLink(str(h), str(p) if p else None, moment(at)) for h, p, at in self._file.rows(sql)
        ]

    def _entries(self, start: str) -> dict[str, TapeEntry]:
        sql = _DOWN.format(columns=select_list(self._columns))
        rows = self._file.rows(sql, {"start": start, "most": self._max_nodes})
        entries = {entry.hash: entry for entry in map(entry_of, rows)}
        if start not in entries:
            message = f"no node of {self.path} has the hash {start!r}; `list_sessions` has roots."
            raise UnknownMemory(message)
        return entries

    def _faults(self, entries: dict[str, TapeEntry], root: str) -> tuple[str, ...]:
        parent = entries[root].parent_hash
        faults = []
        if parent is not None:
            faults.append("cycle" if parent in entries else "orphan")
        if len(entries) >= self._max_nodes:
            faults.append("limit")
        return tuple(faults)

    def _known_columns(self) -> frozenset[str]:
        self._file.require_plain("nodes")
        rows = self._file.rows("SELECT name FROM pragma_table_info('nodes')")
        columns = frozenset(str(name) for (name,) in rows)
        if missing := sorted({"hash", "parent_hash", "content"} - columns):
            message = f"{self.path} is not a tape (nodes has no {missing[0]}); name another file."
            raise ForeignStore(message)
        if (count := self._file.rows("SELECT count(*) FROM nodes")[0][0]) > MOST_NODES:
            message = f"{self.path} has {count:,} nodes, and at most {MOST_NODES:,} are read; begin another tape with --tapes."
            raise StoreError(message)
        return columns
