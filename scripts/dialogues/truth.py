"""What a file of conversations holds, read without the program that wrote it, and what is wrong with it."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dialogues.life import THREAD, Life, digest


@dataclass
class Truth:
    """What has been found so far of one file; each look goes on where the last one found all to be settled."""

    path: Path
    cursor: int = 0
    known: dict[int, str] = field(default_factory=dict)  # messages that a life knew to be kept

    def problems(self, lives: list[Life], *, whole: bool = False) -> Iterator[str]:
        """Yield what is wrong after `lives` ended; `whole` looks at all of the file again."""
        said = dict(kept for life in lives for kept in life.kept)
        self.known |= said
        start = 0 if whole else self.cursor
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as file:
            messages = _messages(file, start)
            chunks = _chunks(file, start)
            yield from _lost(self.known if whole else said, messages, start)
            yield from _uncovered(messages, chunks)
            yield from _reflected(file)
            cursor = max((last for _, last, is_active in chunks if is_active), default=self.cursor)
            if whole:
                yield from _broken(file)
        if cursor < self.cursor:
            yield f"the cursor went back from {self.cursor} to {cursor}"
        self.cursor = cursor


def _rows(file: sqlite3.Connection, sql: str, *values: object) -> list[tuple[Any, ...]]:
    return file.execute(sql, values).fetchall()


def _messages(file: sqlite3.Connection, start: int) -> dict[int, str]:
    sql = "SELECT seq, blocks FROM conversation_messages WHERE owner = ? AND live = 1 AND seq > ?"
    return {seq: digest(blocks) for seq, blocks in _rows(file, sql, THREAD, start)}


def _chunks(file: sqlite3.Connection, start: int) -> list[tuple[int, int, bool]]:
    sql = (
        "SELECT from_seq, to_seq, activated_after IS NOT NULL FROM conversation_chunks "
        "WHERE owner = ? AND live = 1 AND to_seq > ? ORDER BY id"
    )
    return [(first, last, bool(active)) for first, last, active in _rows(file, sql, THREAD, start)]


def _lost(known: Mapping[int, str], messages: Mapping[int, str], start: int) -> Iterator[str]:
    for seq, name in known.items():
        if seq > start and messages.get(seq) != name:
            yield f"message {seq} was kept, and is {messages.get(seq, 'gone')}"


def _uncovered(messages: Mapping[int, str], chunks: list[tuple[int, int, bool]]) -> Iterator[str]:
    times = dict.fromkeys(messages, 0)
    for first, last, _ in chunks:
        for seq in range(first, last + 1):
            if seq in times:
                times[seq] += 1
    end = max((last for _, last, _ in chunks), default=0)
    for seq, count in times.items():
        if count != (1 if seq <= end else 0):
            yield f"message {seq} is covered {count} times"
    active = [is_active for _, _, is_active in chunks]
    if active != sorted(active, reverse=True):
        yield "a chunk is active behind one that waits"


def _reflected(file: sqlite3.Connection) -> Iterator[str]:
    rows = _rows(
        file,
        "SELECT generation, upto_seq, activated_after IS NULL FROM conversation_reflections "
        "WHERE owner = ? AND live = 1 ORDER BY id",
        THREAD,
    )
    if [row[0] for row in rows] != list(range(1, len(rows) + 1)):
        yield f"the generations are {[row[0] for row in rows]}"
    if any(waits for _, _, waits in rows[:-1]):
        yield "a reflection waits that is not the last"


def _broken(file: sqlite3.Connection) -> Iterator[str]:
    found = _rows(file, "PRAGMA integrity_check")
    if found != [("ok",)]:
        yield f"the file is damaged: {found[0][0]}"
