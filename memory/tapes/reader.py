"""Reads what Tapes recorded, of every release that kept SQLite files, and what we record. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory.errors import ForeignStore, UnknownMemory
from memory.tapes.door import ReadOnlyFile
from memory.tapes.entries import SHORT, TapeEntry, TapeSession
from memory.tapes.links import Link, SessionHead, paths_from, sessions_in
from memory.tapes.rows import entry_of, is_hash_of, selected
from memory.tapes.times import moment

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

MOST_NODES: Final = 250_000  # of one session

# The set of hashes is a set, so that a circle ends; the order comes from the links, not from here.
_DOWN: Final = """
WITH RECURSIVE chain (h) AS (
    SELECT :start
    UNION
    SELECT n.hash FROM nodes n JOIN chain ON n.parent_hash = chain.h
    LIMIT :most
)
SELECT {columns} FROM chain JOIN nodes n ON n.hash = chain.h
"""
_UP: Final = """
WITH RECURSIVE chain (h) AS (
    SELECT :start
    UNION
    SELECT n.parent_hash FROM nodes n JOIN chain ON n.hash = chain.h WHERE n.parent_hash <> ''
    LIMIT :most
)
SELECT {columns} FROM chain JOIN nodes n ON n.hash = chain.h
"""


@dataclass(frozen=True, slots=True)
class Verified:
    """How many nodes are called by the hash of what they hold, and which are not."""

    matching: int
    mismatched: tuple[str, ...]


class TapeReader:
    """An open tape. Nothing in it is changed, nothing is made beside it, and others may write to it meanwhile."""

    def __init__(self, path: Path, *, most_nodes: int = MOST_NODES) -> None:
        """Open the tape at `path`; of a session at most `most_nodes` are read.

        Raises:
            StoreError: when there is none, or it holds no table of nodes with hashes and parents.
        """
        self.path = path
        self._most = most_nodes
        self._file = ReadOnlyFile(path)
        try:
            self._columns = self._known_columns()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> TapeReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def list_sessions(self) -> list[str]:
        """Return the hashes of all roots, the earliest first."""
        return [head.root for head in self.sessions() if head.is_complete]

    def list_leaves(self) -> list[str]:
        """Return the hashes that nothing follows, the earliest first: sessions as whoever came last sees them."""
        links = self._links()
        parents = {link.parent for link in links}
        leaves = [link for link in links if link.hash not in parents]
        by_time = sorted(leaves, key=lambda link: (link.at is not None, link.at, link.hash))
        return [link.hash for link in by_time]

    def sessions(self) -> tuple[SessionHead, ...]:
        """Return the first and last hash of each session, the earliest first; also of those without a root."""
        return sessions_in(self._links())

    def read_session(self, root: str) -> TapeSession:
        """Return the conversation that begins at `root`, which may be any node.

        Raises:
            UnknownMemory: when no node is called that.
        """
        entries = self._entries(_DOWN, root)
        paths = paths_from(
            root, (Link(e.hash, e.parent_hash, e.timestamp) for e in entries.values())
        )
        main = tuple(entries[name] for name in paths.main)
        branches = tuple(tuple(entries[name] for name in branch) for branch in paths.branches)
        return TapeSession(root, main, branches, self._faults(entries, root))

    def read_path(self, leaf: str) -> TapeSession:
        """Return the one way from its root to `leaf`, without what branches off.

        Raises:
            UnknownMemory: when no node is called that.
        """
        entries = self._entries(_UP, leaf)
        way: list[TapeEntry] = []
        at = entries.get(leaf)
        while at is not None and len(way) < len(entries):
            way.append(at)
            at = entries.get(at.parent_hash or "")
        way.reverse()
        return TapeSession(way[0].hash, tuple(way), (), self._faults(entries, way[0].hash))

    def verify_hash(self) -> Verified:
        """Return how many nodes of the tape are called by the hash of what they hold."""
        sql = f"SELECT {selected(self._columns)} FROM nodes n"  # noqa: S608  # names of our own
        matching, mismatched = 0, []
        for row in self._file.rows(sql):
            entry = entry_of(row)
            if is_hash_of(entry):
                matching += 1
            else:
                mismatched.append(entry.hash)
        return Verified(matching, tuple(sorted(mismatched)))

    def session_called(self, prefix: str) -> str:
        """Return the root of the one session whose hash begins with `prefix`, of 8 hex digits or more.

        Raises:
            UnknownMemory: when the prefix is too short, or none or several sessions are called that.
        """
        wanted = prefix.strip().lower()
        if len(wanted) < SHORT:
            message = f"{prefix!r} is too short for a session; give {SHORT} hex digits or more."
            raise UnknownMemory(message)
        found = sorted({head.root for head in self.sessions() if head.root.startswith(wanted)})
        if len(found) != 1:
            message = (
                f"{prefix!r} may mean any of {len(found)} sessions of {self.path}; give more of its hash."
                if found
                else f"no session of {self.path} is called {prefix!r}; give the hash of a root."
            )
            raise UnknownMemory(message)
        return found[0]

    def _links(self) -> list[Link]:
        at = "created_at" if "created_at" in self._columns else "NULL"
        sql = f"SELECT hash, parent_hash, {at} FROM nodes WHERE hash IS NOT NULL"  # noqa: S608  # as above
        return [
            Link(str(h), str(p) if p else None, moment(at)) for h, p, at in self._file.rows(sql)
        ]

    def _entries(self, chain: str, start: str) -> dict[str, TapeEntry]:
        sql = chain.format(columns=selected(self._columns))
        rows = self._file.rows(sql, {"start": start, "most": self._most})
        entries = {entry.hash: entry for entry in map(entry_of, rows)}
        if start not in entries:
            message = f"no node of {self.path} is called {start!r}; `list_sessions` has the roots."
            raise UnknownMemory(message)
        return entries

    def _faults(self, entries: dict[str, TapeEntry], root: str) -> tuple[str, ...]:
        parent = entries[root].parent_hash
        faults = []
        if parent is not None:
            faults.append("cycle" if parent in entries else "orphan")
        if len(entries) >= self._most:
            faults.append("limit")
        return tuple(faults)

    def _known_columns(self) -> frozenset[str]:
        rows = self._file.rows("SELECT name FROM pragma_table_info('nodes')")
        columns = frozenset(str(name) for (name,) in rows)
        if missing := sorted({"hash", "parent_hash", "content"} - columns):
            message = f"{self.path} is no tape (nodes has no {missing[0]}); name another file."
            raise ForeignStore(message)
        return columns
