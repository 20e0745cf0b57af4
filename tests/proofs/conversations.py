"""A long conversation in processes that are killed, and the conditions on its file after each of them.

The file is read without the program: each message acknowledged as stored is there unchanged; each is raw or covered by
one chunk of observations, never both, never twice; the cursor does not move back.
"""

import json
import os
import signal
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from hashlib import blake2b
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import time
from typing import Any, Final

from memory.codec import encode
from memory.conversation.config import ConversationConfig
from memory.conversation.conversation import Conversation
from memory.conversation.jobs import Dependencies
from memory.conversation.rules import HeuristicObserver, HeuristicReflector
from memory.tokens import tokens
from tests.memory.conversation.fixtures import open_conversations
from tests.proofs.patches import fork
from tests.proofs.turns import turn
from tests.proofs.workers import Row

THREAD: Final = "play"
# Processes are short-lived, and two of one name never overlap, so a lease of a killed one may expire soon.
CONFIG: Final = ConversationConfig(deadline=2.0)
MOVES: Final = (
    "INSERT INTO conversation_chunks",
    "SET activated_after",
    "INSERT INTO conversation_reflections",
)
TURNS: Final = 500  # of a job, and of a process that is not killed
TOGETHER: Final = 0.3  # share of rounds with two processes on one conversation
WHOLE_EVERY: Final = 50  # processes between two checks of the complete file


class Aim(Enum):
    """The event at which a process is killed, and the maximum count of it."""

    STATEMENT = ("before a statement", 250)
    MOVE = ("while observations are stored, activated or swapped", 6)
    MOMENT = ("at a random time", 150)  # milliseconds


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """The end of a process: at the `count`th event of `aim`, or by itself after `turns` turns."""

    aim: Aim | None
    count: int
    turns: int


@dataclass
class TalkReport:
    """The report of one process: acknowledged messages, and the tokens of each of its calls."""

    end: ProcessEnd
    kept: dict[int, str] = field(default_factory=dict)
    # Tokens of messages, of observations.
    calls: list[tuple[int, int]] = field(default_factory=list)
    turns: int = 0
    was_killed: bool = False


def conversation_job(number: int) -> Row:
    """Run one conversation for TURNS turns in processes that are killed repeatedly."""
    chance = Random(number)
    kills: dict[str, int] = {}
    calls: list[tuple[int, int]] = []
    problems: list[str] = []
    done = count = 0
    with TemporaryDirectory(prefix="talk") as folder:
        path = Path(folder) / "talk.sqlite"
        # So that the file exists, even if the first process ends early.
        open_conversations(path).close()
        truth = Truth(path)
        while done < TURNS:
            starts = [(done, _random_end(chance, TURNS - done))]
            if chance.random() < TOGETHER:
                starts.append((done + 50_000, _random_end(chance, TURNS)))
            talks = talk(path, number, starts)
            count += 1
            problems += truth.problems(talks, whole=count % WHOLE_EVERY == 0)
            for each in talks:
                done += each.turns
                calls += each.calls
                if each.was_killed and each.end.aim is not None:
                    what, _ = each.end.aim.value
                    kills[what] = kills.get(what, 0) + 1
        problems += truth.problems([], whole=True)
    most = max((messages + observed for messages, observed in calls), default=0)
    if most > CONFIG.hard_limit:
        problems.append(f"a call has {most} tokens, more than {CONFIG.hard_limit}")
    return {
        "name": f"conversation {number}",
        "turns": done,
        "kills": kills,
        "calls": len(calls),
        "most tokens of messages": max((messages for messages, _ in calls), default=0),
        "most tokens of observations": max((observed for _, observed in calls), default=0),
        "problems": problems,
    }


def _random_end(chance: Random, left: int) -> ProcessEnd:
    aim = chance.choices(tuple(Aim), (60, 12, 28))[0]
    _, most = aim.value
    return ProcessEnd(aim, chance.randrange(most), min(left, TURNS))


def talk(path: Path, seed: int, starts: Sequence[tuple[int, ProcessEnd]]) -> list[TalkReport]:
    """Run processes in parallel on one file, each from its first turn on, and return their reports."""
    running: list[tuple[int, int, TalkReport]] = []
    for place, (first, end) in enumerate(starts):
        here, there = os.pipe()
        child = fork(partial(_talk, path, (seed, first, place), end, there))
        os.close(there)
        running.append((child, here, TalkReport(end)))
    # A pipe buffers the output of one process while another is read, or the process waits.
    for child, pipe, found in running:
        with os.fdopen(pipe, "rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    _record(found, json.loads(line))
        _, status = os.waitpid(child, 0)
        found.was_killed = os.WIFSIGNALED(status)
        if not found.was_killed and os.WEXITSTATUS(status):
            message = f"a process ended with {os.WEXITSTATUS(status)}; see its output above"
            raise RuntimeError(message)
    return [found for _, _, found in running]


def _record(found: TalkReport, event: list[Any]) -> None:
    word, *about = event
    if word == "kept":
        found.kept[about[0]] = about[1]
    elif word == "call":
        found.calls.append((about[0], about[1]))
    else:
        found.turns += 1


def _talk(path: Path, start: tuple[int, int, int], end: ProcessEnd, pipe: int) -> int:
    seed, first, place = start
    if end.aim is Aim.MOMENT:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        # Kills the process, because there is no handler.
        signal.setitimer(signal.ITIMER_REAL, (end.count + 1) / 1_000)
    store = open_conversations(path)
    if end.aim in (Aim.STATEMENT, Aim.MOVE):
        store.database._connection.set_trace_callback(_Killer(end))
    needs = Dependencies(HeuristicObserver(), HeuristicReflector(), time, holder=f"process {place}")
    conversation = Conversation(store, THREAD, needs, CONFIG)
    for number in range(first, first + end.turns):
        for line in _turn(conversation, seed, number):
            os.write(pipe, (json.dumps(line) + "\n").encode())
    store.close()
    return 0


def _turn(conversation: Conversation, seed: int, number: int) -> Iterator[list[Any]]:
    step = 0
    for role, origin, blocks in turn(seed, number):
        message = conversation.say(role, blocks, origin, number * 40, number * 20.0)
        yield ["kept", message.seq, digest(encode(blocks))]
        if role == "user":
            view = conversation.before_call(step)
            observed = tokens(view.reflection) + tokens(view.observations)
            yield ["call", sum(each.tokens for each in view.tail), observed]
            step += 1
    conversation.after_turn()
    yield ["done", number]


class _Killer:
    """A callback before every statement that kills the process before the chosen one."""

    def __init__(self, end: ProcessEnd) -> None:
        self._left = end.count
        self._is_armed = end.aim is Aim.STATEMENT

    def __call__(self, sql: str) -> None:
        self._is_armed = self._is_armed or any(move in sql for move in MOVES)
        if self._is_armed:
            self._left -= 1
            if self._left < 0:
                os.kill(os.getpid(), signal.SIGKILL)


def digest(blocks: str) -> str:
    """Return the digest of the blocks of a message."""
    return blake2b(blocks.encode(), digest_size=8).hexdigest()


@dataclass
class Truth:
    """The state of one file so far; each check starts where the last one found everything settled."""

    path: Path
    cursor: int = 0
    known: dict[int, str] = field(default_factory=dict)  # acknowledged messages

    def problems(self, talks: Sequence[TalkReport], *, whole: bool = False) -> Iterator[str]:
        """Yield the problems after some processes ended; `whole` checks the complete file again."""
        stored = {seq: name for each in talks for seq, name in each.kept.items()}
        self.known |= stored
        start = 0 if whole else self.cursor
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as file:
            messages, chunks = _messages(file, start), _chunks(file, start)
            for seq, name in (self.known if whole else stored).items():
                if seq > start and messages.get(seq) != name:
                    yield f"message {seq} was stored, and is {messages.get(seq, 'gone')}"
            yield from _uncovered(messages, chunks)
            yield from _reflected(file)
            if whole:
                yield from (
                    str(row[0]) for row in file.execute("PRAGMA integrity_check") if row[0] != "ok"
                )
        cursor = max((last for _, last, is_active in chunks if is_active), default=self.cursor)
        if cursor < self.cursor:
            yield f"the cursor moved back from {self.cursor} to {cursor}"
        self.cursor = cursor


def _messages(file: sqlite3.Connection, start: int) -> dict[int, str]:
    sql = "SELECT seq, blocks FROM conversation_messages WHERE owner = ? AND live = 1 AND seq > ?"
    return {seq: digest(blocks) for seq, blocks in file.execute(sql, (THREAD, start))}


def _chunks(file: sqlite3.Connection, start: int) -> list[tuple[int, int, bool]]:
    sql = (
        "SELECT from_seq, to_seq, activated_after IS NOT NULL FROM conversation_chunks "
        "WHERE owner = ? AND live = 1 AND to_seq > ? ORDER BY id"
    )
    return [
        (first, last, bool(active)) for first, last, active in file.execute(sql, (THREAD, start))
    ]


def _uncovered(
    messages: Mapping[int, str], chunks: Sequence[tuple[int, int, bool]]
) -> Iterator[str]:
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
        yield "a chunk is active after one that waits"


def _reflected(file: sqlite3.Connection) -> Iterator[str]:
    rows = file.execute(
        "SELECT generation, activated_after IS NULL FROM conversation_reflections "
        "WHERE owner = ? AND live = 1 ORDER BY id",
        (THREAD,),
    ).fetchall()
    if [generation for generation, _ in rows] != list(range(1, len(rows) + 1)):
        yield f"the generations of reflections are {[generation for generation, _ in rows]}"
    if any(waits for _, waits in rows[:-1]):
        yield "a waiting reflection is not the last"
