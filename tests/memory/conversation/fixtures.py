"""Shared helpers of conversation tests: stubs of observers, files, and a check of message coverage."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.conversation.boundaries import call_ids, result_ids
from memory.conversation.config import ConversationConfig, parse_config
from memory.conversation.conversation import Conversation
from memory.conversation.jobs import Dependencies
from memory.conversation.port import (
    Condensed,
    CondensingFailed,
    ConversationEvent,
    ConversationEventKind,
)
from memory.conversation.view import ConversationView
from memory.store.conversation_record import Message, MessageOrigin, ObservationalMemoryRecord
from memory.store.conversations import ConversationStore
from memory.store.database import Database, open_database
from memory.store.schema import RUN_SCHEMA

WORD = "word "  # slightly more than one token


def open_conversations(path: Path) -> ConversationStore:
    """Return the conversations of a new file."""
    return ConversationStore(open_database(path, RUN_SCHEMA))


def small_config(**more: object) -> ConversationConfig:
    """Settings with thresholds of 1,000 and 400 tokens."""
    config = parse_config(
        {"observation": {"messageTokens": 1_000, **more}, "reflection": {"observationTokens": 400}}
    )
    assert config is not None
    return config


def seen(messages: Sequence[Message]) -> str:
    """The numbers of the observed messages, in the given order."""
    return "* 🟡 saw " + " ".join(str(each.seq) for each in messages)


@dataclass
class StubObserver:
    """An observer that lists message numbers, or fails when `fails` is set."""

    source: str = "programmatic"
    fails: bool = False
    reply: Callable[[Sequence[Message]], str] = seen
    asked: list[tuple[Message, ...]] = field(default_factory=list)
    known: list[str] = field(default_factory=list)

    def observe(self, messages: Sequence[Message], known: str) -> Condensed:
        self.asked.append(tuple(messages))
        self.known.append(known)
        if self.fails:
            raise CondensingFailed("it failed; try again.")
        last = messages[-1].seq
        return Condensed(self.reply(messages), f"task {last}", f"reply {last}")


@dataclass
class StubReflector:
    """A reflector that returns the beginning of its input, up to the target, or all of it."""

    source: str = "programmatic"
    shrinks: bool = True
    reply: str | None = None
    asked: list[tuple[str, int, int]] = field(default_factory=list)

    def reflect(self, observations: str, *, level: int, target: int) -> Condensed:
        self.asked.append((observations, level, target))
        if self.reply is not None:
            return Condensed(self.reply)
        return Condensed(observations[: 4 * target] if self.shrinks else observations, "reflected")


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Crash(BaseException):
    """The process ended here."""


class CrashingDatabase(Database):
    """A database whose process is killed before one of its statements; reopening the file undoes open transactions."""

    left: int | None = None

    def count_down(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Crash

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> int:
        self.count_down()
        return super().execute(sql, parameters)

    def rows(self, sql: str, parameters: object = ()) -> list[tuple[object, ...]]:
        self.count_down()
        return super().rows(sql, parameters)  # type: ignore[arg-type]

    def row(self, sql: str, parameters: Sequence[object] = ()) -> tuple[object, ...] | None:
        self.count_down()
        return super().row(sql, parameters)


def crashing_database(path: Path) -> CrashingDatabase:
    database = open_database(path, RUN_SCHEMA)
    return CrashingDatabase(path, database._connection)


@dataclass
class TalkFixture:
    """A conversation and its collaborators."""

    store: ConversationStore
    conversation: Conversation
    observer: StubObserver
    reflector: StubReflector
    clock: Clock
    deps: Dependencies
    events: list[ConversationEvent]
    tick: int = 0

    def say(self, role: str, words: int = 20, **more: object) -> Message:
        self.tick += 1
        block = {"type": "text", "text": WORD * words} | more
        origin = MessageOrigin.PLAY if role == "user" else MessageOrigin.MODEL
        return self.conversation.say(role, [block], origin, self.tick, self.tick / 60)

    @property
    def record(self) -> ObservationalMemoryRecord:
        return self.conversation.record()

    def data_of(self, kind: ConversationEventKind) -> list[Mapping[str, object]]:
        """Return what the events of a kind said."""
        return [part.data for part in self.events if part.kind is kind]

    def turns(self, count: int, words: int = 20) -> None:
        for _ in range(count):
            self.turn(words)

    def call_tool(self, number: int, words: int) -> Message:
        """Call a tool, and return the message with its result."""
        call = {"type": "tool_use", "id": f"c{number}", "name": "look", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": WORD * words}
        self.conversation.say("assistant", [call], MessageOrigin.MODEL, number, number / 60)
        return self.conversation.say("user", [result], MessageOrigin.PLAY, number, number / 60)

    def turn(self, words: int = 20) -> ConversationView:
        """Say a question and an answer, and return the view of the call between them."""
        self.say("user", words)
        view = self.conversation.before_call(0)
        self.say("assistant", words)
        self.conversation.after_turn()
        return view


def talk(
    store: ConversationStore,
    config: ConversationConfig | None = None,
    *,
    thread: str = "t",
    resource: str = "",
    observer: StubObserver | None = None,
    reflector: StubReflector | None = None,
    **deps: object,
) -> TalkFixture:
    observer, reflector, clock = observer or StubObserver(), reflector or StubReflector(), Clock()
    events: list[ConversationEvent] = []
    given: dict[str, Any] = {"clock": clock, "on_part": events.append, **deps}
    dependencies = Dependencies(observer, reflector, **given)
    conversation = Conversation(
        store, thread, dependencies, config or small_config(), resource=resource
    )
    return TalkFixture(store, conversation, observer, reflector, clock, dependencies, events)


def coverage_problems(database: Database) -> Iterator[str]:
    """Yield problems of coverage: each live message must be in exactly one chunk up to the last chunk, or raw after it."""
    owners = [
        owner for (owner,) in database.rows("SELECT DISTINCT owner FROM conversation_messages")
    ]
    for owner in owners:
        seqs = [
            seq
            for (seq,) in database.rows(
                "SELECT seq FROM conversation_messages WHERE owner = ? AND live = 1 ORDER BY seq",
                (owner,),
            )
        ]
        chunks = database.rows(
            "SELECT from_seq, to_seq, activated_after IS NOT NULL FROM conversation_chunks "
            "WHERE owner = ? AND live = 1 ORDER BY id",
            (owner,),
        )
        ranges = [range(first, last + 1) for first, last, _ in chunks]
        end = max((last for _, last, _ in chunks), default=0)
        for seq in seqs:
            count = sum(seq in each for each in ranges)
            if count != (1 if seq <= end else 0):
                yield f"{owner}: message {seq} is covered {count} times"
        are_active = [bool(is_active) for _, _, is_active in chunks]
        if are_active != sorted(are_active, reverse=True):
            yield f"{owner}: a chunk is active behind one that waits"
        for first, last, _ in chunks:
            if first not in seqs or last not in seqs:
                yield f"{owner}: chunk {first} to {last} is about messages that are not there"
        yield from _reflected(database, owner)


def _reflected(database: Database, owner: str) -> Iterator[str]:
    cursor = cursor_of(database, owner)
    rows = database.rows(
        "SELECT generation, upto_seq FROM conversation_reflections WHERE owner = ? AND live = 1 ORDER BY id",
        (owner,),
    )
    for number, (generation, upto) in enumerate(rows, 1):
        if generation != number or upto > cursor:
            yield f"{owner}: generation {generation} up to {upto}, cursor {cursor}"


def cursor_of(database: Database, owner: str) -> int:
    row = database.row(
        "SELECT coalesce(max(to_seq), 0) FROM conversation_chunks "
        "WHERE owner = ? AND live = 1 AND activated_after IS NOT NULL",
        (owner,),
    )
    assert row is not None
    return int(row[0])


def assert_sendable(tail: tuple[Message, ...]) -> None:
    """Assert that each result follows its call, and each call but the last has its result."""
    open_calls: set[str] = set()
    for message in tail:
        results = result_ids(message)
        assert results <= open_calls
        assert message.role != "user" or results == open_calls
        open_calls = call_ids(message)
