"""One life: a forked process that talks on, tells of each message once it is kept, and is killed where it was aimed at."""

import json
import os
import selectors
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from time import perf_counter, time
from typing import Any, Final

from dialogues.turns import turn
from memory.codec import encode
from memory.conversation.config import ConversationConfig
from memory.conversation.conversation import Conversation, open_conversations
from memory.conversation.jobs import Dependencies
from memory.conversation.rules import HeuristicObserver, HeuristicReflector
from memory.conversation.view import ConversationView
from memory.tokens import tokens

CHUNK: Final = 1 << 16
THREAD: Final = "play"
# Lives are short, and two of one name never overlap: what one that was killed was at is free soon.
CONFIG: Final = ConversationConfig(deadline=2.0)
MOVES: Final = (
    "INSERT INTO conversation_chunks",
    "SET activated_after",
    "INSERT INTO conversation_reflections",
)


class Aim(Enum):
    """At what a life is killed."""

    STATEMENT = "before any statement"
    MOVE = "within what keeps, activates or swaps"
    INSTANT = "at any instant"
    NEVER = "not at all"


@dataclass(frozen=True, slots=True)
class Fate:
    """How a life is to end: before the `count`th statement, or after so many milliseconds."""

    aim: Aim
    count: int
    turns: int  # after which it ends by itself


@dataclass
class Life:
    """What a life has said of itself: messages that it knows to be kept, and what its calls were made of."""

    fate: Fate
    first: int  # the number of its first turn
    kept: list[tuple[int, str]]
    saw: list[tuple[int, int, int]]  # turn, tokens of messages, tokens of observations
    took: list[float]  # milliseconds of making a call fit
    turns: int = 0
    was_killed: bool = False


def live(path: Path, seed: int, starts: Sequence[tuple[int, Fate]]) -> list[Life]:
    """Return what became of as many lives at once on one file, each from its turn on."""
    told = selectors.DefaultSelector()
    lives: dict[int, Life] = {}
    rest: dict[int, bytes] = {}
    for place, (first, fate) in enumerate(starts):
        here, there = os.pipe()
        if (child := os.fork()) == 0:
            os._exit(_talk(path, (seed, first, place), fate, there))
        os.close(there)
        lives[child] = Life(fate, first, [], [], [])
        rest[here] = b""
        told.register(here, selectors.EVENT_READ, lives[child])
    while told.get_map():
        for key, _ in told.select():
            data = os.read(key.fd, CHUNK)
            if not data:
                told.unregister(key.fd)
                os.close(key.fd)
                continue
            *lines, rest[key.fd] = (rest[key.fd] + data).split(b"\n")
            for line in lines:
                _note(key.data, json.loads(line))
    for child, life in lives.items():
        _, status = os.waitpid(child, 0)
        life.was_killed = os.WIFSIGNALED(status)
        if not life.was_killed and os.WEXITSTATUS(status):
            message = f"a life ended with {os.WEXITSTATUS(status)}; see what it wrote above."
            raise RuntimeError(message)
    return list(lives.values())


def digest(blocks: str) -> str:
    """Return what tells one message's blocks from all others."""
    return blake2b(blocks.encode(), digest_size=8).hexdigest()


def _note(life: Life, said: list[Any]) -> None:
    match said:
        case ["kept", int(seq), str(name)]:
            life.kept.append((seq, name))
        case ["saw", int(number), int(messages), int(observations), float(took)]:
            life.saw.append((number, messages, observations))
            life.took.append(took)
        case _:
            life.turns += 1


def _talk(path: Path, start: tuple[int, int, int], fate: Fate, pipe: int) -> int:
    """Talk on as a process of its own, from a turn of a seed on, and return how it ends where nobody kills it."""
    seed, first, place = start
    if fate.aim is Aim.INSTANT:
        signal.setitimer(signal.ITIMER_REAL, fate.count / 1_000)  # nothing handles it: it kills
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
            since = perf_counter()
            sight = conversation.before_call(step)
            took = 1_000 * (perf_counter() - since)
            yield ["saw", number, *_sizes(sight), took]
            step += 1
    conversation.after_turn()
    yield ["done", number]


def _sizes(sight: ConversationView) -> tuple[int, int]:
    observed = tokens(sight.reflection) + tokens(sight.observations)
    return sum(each.tokens for each in sight.tail), observed


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
