"""Part D under crashes: activation, swap and cursor change together, and messages are stored."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from shutil import copy

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory import RunStore, open_run_store
from memory.conversation.archive import MessageRecall, catalogue, group_id
from memory.conversation.config import ConversationConfig, parse_config
from memory.conversation.conversation import conversations_of
from memory.conversation.port import ConversationEvent, ConversationEventKind
from memory.conversation.view import ConversationView
from memory.errors import UnknownMemory
from memory.observations.observation import ObservationQuery
from memory.store.conversation_record import Chunk, Reflection
from memory.store.conversations import ConversationStore
from memory.store.database import Database
from memory.tokens import tokens
from tests.memory.conversation.fixtures import (
    Crash,
    CrashingDatabase,
    StubObserver,
    StubReflector,
    TalkFixture,
    assert_sendable,
    coverage_problems,
    crashing_database,
    cursor_of,
    small_config,
    talk,
)
from tests.memory.samples import checkpoint


def fill_buffers(path: Path) -> None:
    """Store two buffered chunks and a buffered reflection that depends on them."""
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


def cursor_and_counts(database: Database) -> tuple[object, ...]:
    """The cursor, the number of active reflections, and the number of observations."""
    return (
        cursor_of(database, "t"),
        database.row(
            "SELECT count(*) FROM conversation_reflections WHERE activated_after IS NOT NULL"
        ),
        database.row("SELECT count(*) FROM observations"),
    )


def test_d31_activation_swap_and_cursor_change_in_one_transaction(tmp_path: Path) -> None:
    base = tmp_path / "base.sqlite"
    fill_buffers(base)
    found = set()
    for survived in count():
        path = tmp_path / f"{survived}.sqlite"
        copy(base, path)
        database = crashing_database(path)
        store = conversations_of(RunStore(database), "s")
        database.left = survived
        with suppress(Crash):
            store.swap_buffered("t", upto=6, reflection=True)
        is_over = database.left > 0
        database._connection.close()
        with closing(crashing_database(path)) as again:
            found.add(cursor_and_counts(again))
            assert not list(coverage_problems(again))
        if is_over:
            break
    assert found == {(2, (0,), (1,)), (6, (1,), (3,))}
    assert survived > 5


def test_d31_events_are_reported_after_the_commit(tmp_path: Path) -> None:
    database = crashing_database(tmp_path / "a.sqlite")
    store = ConversationStore(database)
    events: list[tuple[ConversationEventKind, bool]] = []

    def listen(part: ConversationEvent) -> None:
        events.append((part.kind, database._connection.in_transaction))

    it = talk(store, on_part=listen)
    it.turns(60)
    assert ConversationEventKind.ACTIVATION in {kind for kind, _ in events}
    assert not any(is_within for _, is_within in events)
    database.close()


def test_d31_a_crash_reports_no_undone_event(tmp_path: Path) -> None:
    fill_buffers(tmp_path / "a.sqlite")
    database = crashing_database(tmp_path / "a.sqlite")
    it = talk(ConversationStore(database), small_config(messageTokens=40, bufferTokens=0))
    for survived in range(20):
        database.left = survived
        with suppress(Crash):
            it.conversation.before_call(0)
            break
        cursor = cursor_of_copy(database)
        ended = it.data_of(ConversationEventKind.ACTIVATION)
        assert all(int(str(data["cursor"])) <= cursor for data in ended)
    database.left = None
    database.close()


def cursor_of_copy(database: CrashingDatabase) -> int:
    database.left = None
    if database._connection.in_transaction:
        database._connection.rollback()
    return cursor_of(database, "t")


def test_d09_messages_survive_the_end_of_the_process_at_any_point(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    said = 0
    for survived in range(0, 120, 3):
        database = crashing_database(path)
        it = talk(ConversationStore(database))
        database.left = survived
        with suppress(Crash):
            while True:
                it.say("user" if said % 2 == 0 else "assistant", 30)
                said += 1
                it.conversation.before_call(0)
        database._connection.close()
        with closing(crashing_database(path)) as again:
            assert again.row("SELECT count(*) FROM conversation_messages") == (said,)
            assert not list(coverage_problems(again))
    assert said > 60


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RunStore]:
    opened = open_run_store(tmp_path / "run.sqlite", run_id="r")
    yield opened
    opened.close()


def commit(run: RunStore, tick: int) -> None:
    run.commit(checkpoint=checkpoint(tick))


def held(it: TalkFixture) -> object:
    record = it.record
    seqs = [each.seq for each in it.store.messages("t")]
    return record.cursor, record.active_observations, record.generation_count, seqs


def test_d30_a_checkpoint_holds_its_cursor(run: RunStore) -> None:
    it = talk(conversations_of(run, "s"))
    states = []
    for number in range(1, 8):
        it.turns(11)
        commit(run, number)
        states.append(held(it))
    assert len({str(each) for each in states}) == 7
    cursors = [it.record.cursor]
    for moment, state in zip(run.checkpoints.all(), reversed(states), strict=True):
        it.turn()
        run.rewind(moment)
        assert held(it) == state
        assert not list(coverage_problems(run.database))
        cursors.append(it.record.cursor)
    assert cursors == sorted(cursors, reverse=True)
    seqs = [each.seq for each in it.store.messages("t")]
    assert it.say("user").seq > max(seqs) + 50  # no number is reused
    while not (waiting := it.record.buffered_observation_chunks):
        it.turn()
    commit(run, 9)
    it.store.swap_buffered("t", upto=waiting[-1].to_seq)
    assert it.record.buffered_observation_chunks == ()
    run.rewind(next(run.checkpoints.all()))  # what was activated later is buffered again
    assert it.record.buffered_observation_chunks == waiting


def test_d28_chunks_of_a_dead_branch_cover_nothing(run: RunStore) -> None:
    it = talk(conversations_of(run, "s"), small_config(bufferTokens=0))
    it.say("user")
    answer = it.say("assistant")
    commit(run, 1)
    dead = it.say("user")
    chunk = Chunk(1, dead.seq, "* 🔴 late", 2, 60, "llm", count=3)
    assert it.store.update_active("t", chunk)
    run.rewind(next(run.checkpoints.all()))
    assert it.record.cursor == 0
    assert not list(coverage_problems(run.database))
    assert not it.store.update_buffered("t", chunk)
    more = it.say("user")
    assert not it.store.update_buffered("t", chunk)  # three messages again, but different ones
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
    assert not list(coverage_problems(run.database))


def test_d22_d31_conversation_observations_are_also_observations_of_the_run_if_it_takes_any(
    run: RunStore,
) -> None:
    it = talk(
        conversations_of(run, "s"),
        observer=StubObserver(
            source="llm", reply=lambda _: "* 🔴 (14:30) beat the rival\nDate: x\n- plain"
        ),
    )
    while not it.record.cursor:
        it.turn()
    commit(run, 1)
    found = run.observations.find(ObservationQuery(session="s"))
    assert {(each.content, each.importance, each.source) for each in found} == {
        ("(14:30) beat the rival", 9, "llm"),
        ("plain", 4, "llm"),
    }
    run.rewind(next(run.checkpoints.all()))
    assert run.observations.find(ObservationQuery(session="s")) == found
    run.database.execute("DROP TABLE observations")
    cursor = it.record.cursor
    while it.record.cursor == cursor:
        it.turn()
    assert run.faults["observations"] > 0
    assert not list(coverage_problems(run.database))


SIZES = st.sampled_from((1, 10, 40, 120, 700))
WHO = st.sampled_from((0, 1))


def config(*, ahead: bool, together: bool) -> ConversationConfig:
    made = parse_config(
        {
            "scope": "resource" if together else "thread",
            "observation": {"messageTokens": 400, "bufferTokens": 0.2 if ahead else 0},
            "reflection": {"observationTokens": 120, "bufferActivation": 0.5 if ahead else 0},
        }
    )
    assert made is not None
    return made


class Process:
    """A process that has the file open, and its conversation."""

    def __init__(
        self, path: Path, number: int, settled: ConversationConfig, observer: StubObserver
    ) -> None:
        self.path, self.number, self.config = path, number, settled
        self.observer, self.reflector = observer, StubReflector()
        self.open()

    def open(self) -> None:
        self.database: CrashingDatabase = crashing_database(self.path)
        self.run = RunStore(self.database)
        is_shared = self.config.scope.value == "resource"
        self.talk: TalkFixture = talk(
            conversations_of(self.run, "s"),
            self.config,
            thread=f"t{self.number}" if is_shared else "t",
            resource="r",
            observer=self.observer,
            reflector=self.reflector,
            holder=f"process {self.number}",
        )

    def die(self) -> None:
        self.database._connection.close()


class Threads(RuleBasedStateMachine):
    @initialize(ahead=st.booleans(), together=st.booleans())
    def begin(self, ahead: bool, together: bool) -> None:  # noqa: FBT001  # hypothesis names them
        self.folder = tempfile.TemporaryDirectory()
        self.config = config(ahead=ahead, together=together)
        path = Path(self.folder.name) / "a.sqlite"
        observer = StubObserver()
        self.processes = [Process(path, number, self.config, observer) for number in (0, 1)]
        self.cursor = 0
        self.ticks = 0
        self.calls = 0

    @rule(who=WHO, words=SIZES)
    def turn(self, who: int, words: int) -> None:
        it = self.processes[who].talk
        it.say("user", words)
        self.seen(who, it.conversation.before_call(0))
        it.say("assistant", words)
        it.conversation.after_turn()

    @rule(who=WHO, words=SIZES, steps=st.integers(1, 4))
    def use_tools(self, who: int, words: int, steps: int) -> None:
        it = self.processes[who].talk
        for step in range(steps):
            self.calls += 1
            it.call_tool(self.calls, words)
            self.seen(who, it.conversation.before_call(step + 1))

    @rule(who=WHO)
    def ask_and_never_answer(self, who: int) -> None:
        self.processes[who].talk.say("user", 10)

    @rule(fails=st.booleans(), rambles=st.booleans())
    def change_observer(self, fails: bool, rambles: bool) -> None:  # noqa: FBT001
        self.processes[0].observer.fails = fails
        for each in self.processes:
            each.reflector.shrinks = not rambles

    @rule(who=WHO, words=SIZES, left=st.integers(0, 60))
    def be_killed(self, who: int, words: int, left: int) -> None:
        process = self.processes[who]
        process.database.left = left
        with suppress(Crash):
            self.turn(who, words)
        process.die()
        process.open()

    @rule(who=WHO)
    def commit(self, who: int) -> None:
        self.ticks += 1
        self.processes[who].run.commit(checkpoint=checkpoint(self.ticks))

    @rule(which=st.integers(0, 7))
    @precondition(lambda self: self.ticks)
    def go_back(self, which: int) -> None:
        run = self.processes[0].run
        moments = list(run.checkpoints.all())
        run.rewind(moments[which % len(moments)])
        self.cursor = self.now()

    @rule(seconds=st.sampled_from((1.0, 1_000.0)))
    def wait(self, seconds: float) -> None:
        for each in self.processes:
            each.talk.clock.now += seconds

    def seen(self, who: int, view: ConversationView) -> None:
        process = self.processes[who]
        said = sum(each.tokens for each in view.tail)
        assert said <= self.config.observation.hard_limit
        observed = tokens(view.reflection) + tokens(view.observations)
        assert observed <= self.config.reflection.hard_limit + 1
        assert_sendable(view.tail)
        cursor = cursor_of(process.database, process.talk.conversation.owner)
        behind = process.talk.store.messages(process.talk.conversation.owner, after=cursor)
        mine = [each.seq for each in behind if each.thread == process.talk.conversation.thread]
        assert [each.seq for each in view.tail] == mine

    def now(self) -> int:
        process = self.processes[0]
        return cursor_of(process.database, process.talk.conversation.owner)

    @invariant()
    def each_message_is_raw_or_covered_once(self) -> None:
        if hasattr(self, "processes"):
            assert not list(coverage_problems(self.processes[0].database))

    @invariant()
    def the_cursor_never_goes_back(self) -> None:
        if hasattr(self, "processes"):
            assert self.now() >= self.cursor
            self.cursor = self.now()

    def teardown(self) -> None:
        if hasattr(self, "processes"):
            for each in self.processes:
                each.die()
            self.folder.cleanup()


def test_d28_d29_d30_each_message_is_always_raw_or_covered_once() -> None:
    run_state_machine_as_test(Threads, settings=settings(max_examples=15, stateful_step_count=25))


def test_d18_d26_details_dropped_by_a_reflection_can_be_recalled(
    threads: ConversationStore,
) -> None:
    it = talk(threads, reflector=StubReflector(reply="* 🔴 a lot was said"))
    it.say("user", 1, text="the secret is kept\nunder the third stone")
    while not it.record.generation_count:
        it.turn()
    upto = it.record.reflection.upto_seq
    chunks = [each for each in threads.chunks("t") if each.to_seq <= upto]
    groups = [group_id(each) for each in chunks]
    assert groups[0] in catalogue(chunks)
    recalling = MessageRecall(threads, "t", tokens)
    short, whole = (recalling.recall(groups[0], in_full=each).text for each in (False, True))
    assert "tick 1, user: the secret is kept under the third stone" in short
    assert "the secret is kept\nunder the third stone" in whole
    everything = [recalling.recall(group).text.count("tick ") for group in groups]
    assert sum(everything) == len(threads.messages("t", upto=upto))
    with pytest.raises(UnknownMemory, match="group-99"):
        recalling.recall("group-99")


def test_d26_text_that_does_not_fit_a_page_is_on_the_next(it: TalkFixture) -> None:
    words = " ".join(f"{number:05}" for number in range(1_500))
    it.say("user", 1, text=words)
    it.conversation.before_call(0)
    recalling = MessageRecall(it.store, "t", tokens, room=500)
    (group,) = map(group_id, it.store.chunks("t"))
    first = recalling.recall(group, in_full=True)
    assert first.pages > 3
    pages = [recalling.recall(group, number + 1, in_full=True) for number in range(first.pages)]
    assert "".join(page.text for page in pages) == f"tick 1, user: {words}"
    assert all(tokens(page.text) <= 500 for page in pages)
    assert recalling.recall(group, 99, in_full=True) == pages[-1]
    short = recalling.recall(group)
    assert (short.pages, len(short.text)) == (1, len("tick 1, user: ") + 160)


def test_what_is_answered_from_the_record_after_a_rewind_keeps_its_observations(
    run: RunStore,
) -> None:
    it = talk(conversations_of(run, "s"))
    it.turn()
    commit(run, 0)
    while not it.record.cursor:
        it.turn()
    last = max(each.tick for each in it.store.messages("t"))
    commit(run, last)
    found, state = run.observations.find(ObservationQuery(session="s")), held(it)
    assert found
    run.rewind(list(run.checkpoints.all())[-1], answered_to=last)
    assert held(it) == state
    assert run.observations.find(ObservationQuery(session="s")) == found
    run.rewind(list(run.checkpoints.all())[-1])
    assert run.observations.find(ObservationQuery(session="s")) == []
