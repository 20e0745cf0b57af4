"""Part D in any order: said, called, killed, opened again, gone back, by two processes on one file."""

import tempfile
from contextlib import suppress
from pathlib import Path

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

from memory import RunStore
from memory.conversation.config import ConversationConfig, parse_config
from memory.conversation.conversation import conversations_of
from memory.conversation.view import ConversationView
from memory.store.conversation_record import MessageOrigin
from memory.tokens import tokens
from tests.memory.conversation.threads import (
    WORD,
    Crash,
    Mirror,
    Stub,
    Talk,
    Tripping,
    assert_sendable,
    cursor_of,
    talk,
    tripping,
    uncovered,
)
from tests.memory.samples import checkpoint

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
    """One process with the file open, and its conversation."""

    def __init__(
        self, path: Path, number: int, settled: ConversationConfig, observer: Stub
    ) -> None:
        self.path, self.number, self.config = path, number, settled
        self.observer, self.reflector = observer, Mirror()
        self.open()

    def open(self) -> None:
        self.database: Tripping = tripping(self.path)
        self.run = RunStore(self.database)
        is_together = self.config.scope.value == "resource"
        self.talk: Talk = talk(
            conversations_of(self.run, "s"),
            self.config,
            thread=f"t{self.number}" if is_together else "t",
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
        observer = Stub()
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
            call = {"type": "tool_use", "id": f"c{self.calls}", "name": "look", "input": {}}
            result = {
                "type": "tool_result",
                "tool_use_id": f"c{self.calls}",
                "content": WORD * words,
            }
            it.conversation.say("assistant", [call], MessageOrigin.MODEL, step, 0.0)
            it.conversation.say("user", [result], MessageOrigin.PLAY, step, 0.0)
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
        moments = list(run.checkpoints())
        run.rewind(moments[which % len(moments)])
        self.cursor = self.now()

    @rule(seconds=st.sampled_from((1.0, 1_000.0)))
    def wait(self, seconds: float) -> None:
        for each in self.processes:
            each.talk.clock.now += seconds

    def seen(self, who: int, sight: ConversationView) -> None:
        process = self.processes[who]
        said = sum(each.tokens for each in sight.tail)
        assert said <= self.config.observation.hard_limit
        observed = tokens(sight.reflection) + tokens(sight.observations)
        assert observed <= self.config.reflection.hard_limit + 1
        assert_sendable(sight.tail)
        cursor = cursor_of(process.database, process.talk.conversation.owner)
        behind = process.talk.store.messages(process.talk.conversation.owner, after=cursor)
        mine = [each.seq for each in behind if each.thread == process.talk.conversation.thread]
        assert [each.seq for each in sight.tail] == mine

    def now(self) -> int:
        process = self.processes[0]
        return cursor_of(process.database, process.talk.conversation.owner)

    @invariant()
    def each_message_is_raw_or_covered_once(self) -> None:
        if hasattr(self, "processes"):
            assert not list(uncovered(self.processes[0].database))

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


def test_d28_d29_d30_each_message_is_raw_or_covered_once_whatever_happens() -> None:
    run_state_machine_as_test(
        Threads, settings=settings(max_examples=25, stateful_step_count=25, deadline=None)
    )
