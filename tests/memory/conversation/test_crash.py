"""Part D under crashes: activation, swap and cursor move together, and what was said is there."""

from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from shutil import copy

import pytest

from memory import RunStore, open_run_store
from memory.conversation.conversation import conversations_of
from memory.conversation.port import ConversationEvent, ConversationEventKind
from memory.observations.observation import ObservationQuery
from memory.store.conversation_record import Chunk, Reflection
from memory.store.conversations import ConversationStore
from memory.store.database import Database
from tests.memory.conversation.threads import (
    Crash,
    Stub,
    Talk,
    Tripping,
    cursor_of,
    small,
    talk,
    tripping,
    uncovered,
)
from tests.memory.samples import checkpoint


def prepared(path: Path) -> None:
    """Leave two chunks that wait, and a reflection that waits for them to become active."""
    run = open_run_store(path, run_id="r")
    store = conversations_of(run, "s")
    it = talk(store)
    it.conversation.record()
    said = [it.say(role, 10).seq for role in ("user", "assistant") * 3]
    for from_seq, to_seq in ((said[0], said[1]), (said[2], said[3]), (said[4], said[5])):
        chunk = Chunk(from_seq, to_seq, f"* 🔴 saw {from_seq}", 9, 40, "llm", count=2)
        assert store.update_buffered("t", chunk)
    store.swap_buffered("t", upto=said[1])
    reflection = Reflection(1, said[1], "* 🔴 reflected", 4, "llm")
    assert store.create_generation("t", reflection, active=False)
    run.close()


def swapped(database: Database) -> tuple[object, ...]:
    """How far the cursor, the reflection and the observations beside them are."""
    return (
        cursor_of(database, "t"),
        database.row(
            "SELECT count(*) FROM conversation_reflections WHERE activated_after IS NOT NULL"
        ),
        database.row("SELECT count(*) FROM observations"),
    )


def test_d31_activation_swap_and_cursor_move_in_one_transaction(tmp_path: Path) -> None:
    base = tmp_path / "base.sqlite"
    prepared(base)
    found = set()
    for survived in count():
        path = tmp_path / f"{survived}.sqlite"
        copy(base, path)
        database = tripping(path)
        run = RunStore(database)
        store = conversations_of(run, "s")
        database.left = survived
        with suppress(Crash):
            store.swap_buffered("t", upto=6, reflection=True)
        is_over = database.left > 0
        database._connection.close()
        with closing(tripping(path)) as again:
            found.add(swapped(again))
            assert not list(uncovered(again))
        if is_over:
            break
    assert found == {(2, (0,), (1,)), (6, (1,), (3,))}
    assert survived > 5


def test_d31_parts_are_told_after_the_commit(tmp_path: Path) -> None:
    database = tripping(tmp_path / "a.sqlite")
    store = ConversationStore(database)
    told: list[tuple[ConversationEventKind, bool]] = []

    def listen(part: ConversationEvent) -> None:
        told.append((part.kind, database._connection.in_transaction))

    it = talk(store, on_part=listen)
    for _ in range(60):
        it.turn()
    assert ConversationEventKind.ACTIVATION in {kind for kind, _ in told}
    assert not any(is_within for _, is_within in told)
    database.close()


def test_d31_a_crash_tells_nothing_of_what_was_undone(tmp_path: Path) -> None:
    prepared(tmp_path / "a.sqlite")
    database = tripping(tmp_path / "a.sqlite")
    told: list[ConversationEvent] = []
    it = talk(
        ConversationStore(database), small(messageTokens=40, bufferTokens=0), on_part=told.append
    )
    for survived in range(20):
        database.left = survived
        with suppress(Crash):
            it.conversation.before_call(0)
            break
        cursor = cursor_of_copy(database)
        ended = [part for part in told if part.kind is ConversationEventKind.ACTIVATION]
        assert all(int(str(part.data["cursor"])) <= cursor for part in ended)
    database.left = None
    database.close()


def cursor_of_copy(database: Tripping) -> int:
    database.left = None
    if database._connection.in_transaction:
        database._connection.rollback()
    return cursor_of(database, "t")


def test_d09_what_was_said_is_there_whenever_the_process_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    said = 0
    for survived in range(0, 120, 3):
        database = tripping(path)
        it = talk(ConversationStore(database))
        database.left = survived
        with suppress(Crash):
            while True:
                it.say("user" if said % 2 == 0 else "assistant", 30)
                said += 1
                it.conversation.before_call(0)
        database._connection.close()
        with closing(tripping(path)) as again:
            assert again.row("SELECT count(*) FROM conversation_messages") == (said,)
            assert not list(uncovered(again))
    assert said > 60


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RunStore]:
    opened = open_run_store(tmp_path / "run.sqlite", run_id="r")
    yield opened
    opened.close()


def commit(run: RunStore, tick: int) -> None:
    run.commit(checkpoint=checkpoint(tick))


def held(it: Talk) -> object:
    record = it.conversation.record()
    seqs = [each.seq for each in it.store.messages("t")]
    return record.cursor, record.active_observations, record.generation_count, seqs


def test_d30_a_checkpoint_holds_the_cursor_of_its_moment(run: RunStore) -> None:
    it = talk(conversations_of(run, "s"))
    states = []
    for number in range(1, 8):
        for _ in range(11):
            it.turn()
        commit(run, number)
        states.append(held(it))
    assert len({str(each) for each in states}) == 7
    cursors = [it.conversation.record().cursor]
    for moment, state in zip(run.checkpoints(), reversed(states), strict=True):
        it.turn()
        run.rewind(moment)
        assert held(it) == state
        assert not list(uncovered(run.database))
        cursors.append(it.conversation.record().cursor)
    assert cursors == sorted(cursors, reverse=True)
    seqs = [each.seq for each in it.store.messages("t")]
    assert it.say("user").seq > max(seqs) + 50  # no number comes again


def test_d29_a_chunk_that_was_activated_after_the_checkpoint_waits_again(run: RunStore) -> None:
    it = talk(conversations_of(run, "s"))
    while not (waiting := it.conversation.record().buffered_observation_chunks):
        it.turn()
    commit(run, 1)
    it.store.swap_buffered("t", upto=waiting[-1].to_seq)
    assert it.conversation.record().buffered_observation_chunks == ()
    run.rewind(next(run.checkpoints()))
    assert it.conversation.record().buffered_observation_chunks == waiting


def test_d28_what_was_observed_of_a_dead_branch_covers_nothing(run: RunStore) -> None:
    it = talk(conversations_of(run, "s"), small(bufferTokens=0))
    it.say("user")
    answer = it.say("assistant")
    commit(run, 1)
    dead = it.say("user")
    chunk = Chunk(1, dead.seq, "* 🔴 late", 2, 60, "llm", count=3)
    assert it.store.update_active("t", chunk)
    run.rewind(next(run.checkpoints()))
    assert it.conversation.record().cursor == 0
    assert not list(uncovered(run.database))
    assert not it.store.update_buffered("t", chunk)
    more = it.say("user")
    assert not it.store.update_buffered("t", chunk)  # three again, but not the same three
    assert [each.seq for each in it.store.messages("t")] == [1, answer.seq, more.seq]


def test_d28_a_chunk_neither_skips_nor_repeats_a_message(run: RunStore) -> None:
    it = talk(conversations_of(run, "s"))
    for role in ("user", "assistant") * 3:
        it.say(role)

    def keeps(first: int, last: int) -> bool:
        chunk = Chunk(first, last, "* 🔴 x", 2, 60, "llm", count=last - first + 1)
        return it.store.update_buffered("t", chunk)

    assert not keeps(2, 3)
    assert keeps(1, 2)
    assert not keeps(1, 2)
    assert not keeps(2, 3)
    assert not keeps(4, 5)
    assert not keeps(3, 9)
    assert keeps(3, 6)
    assert not list(uncovered(run.database))


def test_d22_observations_of_a_conversation_are_among_those_of_its_run(run: RunStore) -> None:
    it = talk(
        conversations_of(run, "s"),
        observer=Stub(source="llm", says=lambda _: "* 🔴 (14:30) beat the rival\nDate: x\n- plain"),
    )
    while not it.conversation.record().cursor:
        it.turn()
    commit(run, 1)
    found = run.observations(ObservationQuery(session="s"))
    assert {(each.content, each.importance, each.source) for each in found} == {
        ("(14:30) beat the rival", 9, "llm"),
        ("plain", 4, "llm"),
    }
    run.rewind(next(run.checkpoints()))
    assert run.observations(ObservationQuery(session="s")) == found


def test_d31_a_run_that_takes_no_observations_takes_conversations_all_the_same(
    run: RunStore,
) -> None:
    run.database.execute("DROP TABLE observations")
    it = talk(conversations_of(run, "s"))
    while not it.conversation.record().cursor:
        it.turn()
    assert run.faults["observations"] > 0
    assert not list(uncovered(run.database))
