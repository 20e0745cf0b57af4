"""A conversation that goes on and on in processes that are killed, and what its file must hold after each of them.

The file is read without the program: each message that a process knew to be kept is there as it was said; each is raw
or covered by one chunk of observations, never both, never twice; the cursor does not go back.
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
from tests.memory.conversation.threads import open_conversations
from tests.proofs.patches import fork
from tests.proofs.turns import turn
from tests.proofs.workers import Row

THREAD: Final = "play"
# Processes are short-lived, and two of one name never overlap: what a killed one worked on is free soon.
CONFIG: Final = ConversationConfig(deadline=2.0)
MOVES: Final = (
    "INSERT INTO conversation_chunks",
    "SET activated_after",
    "INSERT INTO conversation_reflections",
)
TURNS: Final = 500  # of a job, and of a process that is not killed
TOGETHER: Final = 0.3  # share of times that two processes talk on one thread
WHOLE_EVERY: Final = 50  # processes after which all of the file is looked at


class Aim(Enum):
    """At what a process is killed, and after how many of it at most."""

    STATEMENT = ("before a statement", 250)
    MOVE = ("within what keeps, activates or swaps observations", 6)
    MOMENT = ("at a moment", 150)  # milliseconds


@dataclass(frozen=True, slots=True)
class Fate:
    """How a process ends: at the `count`th of `aim`, or by itself after so many turns."""

    aim: Aim | None
    count: int
    turns: int


@dataclass
class Talk:
    """What one process reported: messages that it knows to be kept, and the tokens of each of its calls."""

    fate: Fate
    kept: dict[int, str] = field(default_factory=dict)
    calls: list[tuple[int, int]] = field(
        default_factory=list
    )  # tokens of messages, of observations
    turns: int = 0
    was_killed: bool = False


def conversation_job(number: int) -> Row:
    """Talk on one thread until so many turns are done, killed again and again."""
    chance = Random(number)
    kills: dict[str, int] = {}
    calls: list[tuple[int, int]] = []
    problems: list[str] = []
    done = count = 0
    with TemporaryDirectory(prefix="talk") as folder:
        path = Path(folder) / "talk.sqlite"
        open_conversations(
            path
        ).close()  # there is a file to look into, however early the first process ends
        truth = Truth(path)
        while done < TURNS:
            starts = [(done, _fate(chance, TURNS - done))]
            if chance.random() < TOGETHER:
                starts.append((done + 50_000, _fate(chance, TURNS)))
            talks = talk(path, number, starts)
            count += 1
            problems += truth.problems(talks, whole=count % WHOLE_EVERY == 0)
            for each in talks:
                done += each.turns
                calls += each.calls
                if each.was_killed and each.fate.aim is not None:
                    what, _ = each.fate.aim.value
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


def _fate(chance: Random, left: int) -> Fate:
    aim = chance.choices(tuple(Aim), (60, 12, 28))[0]
    _, most = aim.value
    return Fate(aim, chance.randrange(most), min(left, TURNS))


def talk(path: Path, seed: int, starts: Sequence[tuple[int, Fate]]) -> list[Talk]:
    """Return what became of as many processes at once on one file, each from its turn on."""
    running: list[tuple[int, int, Talk]] = []
    for place, (first, fate) in enumerate(starts):
        here, there = os.pipe()
        child = fork(partial(_talk, path, (seed, first, place), fate, there))
        os.close(there)
        running.append((child, here, Talk(fate)))
    # A pipe holds more than a process says while another one is read to its end, or the process waits for it.
    for child, pipe, found in running:
        with os.fdopen(pipe, "rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    _note(found, json.loads(line))
        _, status = os.waitpid(child, 0)
        found.was_killed = os.WIFSIGNALED(status)
        if not found.was_killed and os.WEXITSTATUS(status):
            message = f"a process ended with {os.WEXITSTATUS(status)}; see what it wrote above"
            raise RuntimeError(message)
    return [found for _, _, found in running]


def _note(found: Talk, told: list[Any]) -> None:
    word, *about = told
    if word == "kept":
        found.kept[about[0]] = about[1]
    elif word == "call":
        found.calls.append((about[0], about[1]))
    else:
        found.turns += 1


def _talk(path: Path, start: tuple[int, int, int], fate: Fate, pipe: int) -> int:
    seed, first, place = start
    if fate.aim is Aim.MOMENT:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(
            signal.ITIMER_REAL, (fate.count + 1) / 1_000
        )  # kills, as nothing handles it
    store = open_conversations(path)
    if fate.aim in (Aim.STATEMENT, Aim.MOVE):
        store.database._connection.set_trace_callback(_Killer(fate))
    means = Dependencies(HeuristicObserver(), HeuristicReflector(), time, holder=f"process {place}")
    conversation = Conversation(store, THREAD, means, CONFIG)
    for number in range(first, first + fate.turns):
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
    """Called before every statement; ends the process before the one that was chosen."""

    def __init__(self, fate: Fate) -> None:
        self._left = fate.count
        self._is_armed = fate.aim is Aim.STATEMENT

    def __call__(self, sql: str) -> None:
        self._is_armed = self._is_armed or any(move in sql for move in MOVES)
        if self._is_armed:
            self._left -= 1
            if self._left < 0:
                os.kill(os.getpid(), signal.SIGKILL)


def digest(blocks: str) -> str:
    """Return what tells the blocks of one message from all others."""
    return blake2b(blocks.encode(), digest_size=8).hexdigest()


@dataclass
class Truth:
    """What was found so far of one file; each look goes on where the last one found all to be settled."""

    path: Path
    cursor: int = 0
    known: dict[int, str] = field(default_factory=dict)  # messages that a process knew to be kept

    def problems(self, talks: Sequence[Talk], *, whole: bool = False) -> Iterator[str]:
        """Yield what is wrong after some processes ended; `whole` looks at all of the file again."""
        said = {seq: name for each in talks for seq, name in each.kept.items()}
        self.known |= said
        start = 0 if whole else self.cursor
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as file:
            messages, chunks = _messages(file, start), _chunks(file, start)
            for seq, name in (self.known if whole else said).items():
                if seq > start and messages.get(seq) != name:
                    yield f"message {seq} was kept, and is {messages.get(seq, 'gone')}"
            yield from _uncovered(messages, chunks)
            yield from _reflected(file)
            if whole:
                yield from (
                    str(row[0]) for row in file.execute("PRAGMA integrity_check") if row[0] != "ok"
                )
        cursor = max((last for _, last, is_active in chunks if is_active), default=self.cursor)
        if cursor < self.cursor:
            yield f"the cursor went back from {self.cursor} to {cursor}"
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
        yield "a chunk is active behind one that waits"


def _reflected(file: sqlite3.Connection) -> Iterator[str]:
    rows = file.execute(
        "SELECT generation, activated_after IS NULL FROM conversation_reflections "
        "WHERE owner = ? AND live = 1 ORDER BY id",
        (THREAD,),
    ).fetchall()
    if [generation for generation, _ in rows] != list(range(1, len(rows) + 1)):
        yield f"the generations of reflections are {[generation for generation, _ in rows]}"
    if any(waits for _, waits in rows[:-1]):
        yield "a reflection waits that is not the last"
