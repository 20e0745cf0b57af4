"""Part D, bounds for any observer: token limits, budgets, retries, leases."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from memory.conversation.boundaries import CONTINUED
from memory.conversation.config import ConversationConfig
from memory.conversation.jobs import run_in_thread
from memory.conversation.port import Condensed, ConversationEventKind
from memory.store.conversation_record import Message, MessageOrigin, Work
from memory.store.conversations import ConversationStore
from memory.tokens import tokens
from tests.memory.conversation.fixtures import (
    WORD,
    StubObserver,
    StubReflector,
    TalkFixture,
    coverage_problems,
    open_conversations,
    small_config,
    talk,
)

UNBUFFERED = small_config(bufferTokens=0)
PATIENT = replace(small_config(), patience=0.2)


def context(it: TalkFixture) -> int:
    """The tokens of the next call."""
    view = it.conversation.before_call(0)
    said = sum(each.tokens for each in view.tail)
    return said + tokens(view.reflection) + tokens(view.observations) + tokens(view.others)


def test_d29_buffered_chunks_survive_a_waiting_step_and_a_failing_observer(it: TalkFixture) -> None:
    while len(it.record.buffered_observation_chunks) < 2:
        it.turn(30)
    waiting = it.record.buffered_observation_chunks
    it.say("user", 1_200)
    it.say("assistant", 10)
    it.conversation.before_call(0)
    assert it.record.cursor > waiting[-1].to_seq
    it.observer.fails = True
    it.turns(40, 30)
    assert it.store.chunks("t")[:2] == waiting
    assert not list(coverage_problems(it.store.database))


def test_d33_a_message_larger_than_the_threshold_is_observed_in_slices(
    threads: ConversationStore,
) -> None:
    it = talk(
        threads, observer=StubObserver(reply=lambda all: f"* 🟡 {all[0].blocks[0]['text'][:9]}")
    )
    text = " ".join(f"{number:04}" for number in range(4_000))
    large = it.say("user", 1, text=text)
    assert large.tokens > 4_000
    view = it.conversation.before_call(0)
    assert len(it.observer.asked) >= 5
    assert all(sum(each.tokens for each in asked) <= 1_100 for asked in it.observer.asked)
    parts = [
        block["text"] for asked in it.observer.asked for each in asked for block in each.blocks
    ]
    assert "".join(each.removeprefix(CONTINUED) for each in parts) == text
    assert it.record.cursor == large.seq
    assert len(view.observations.splitlines()) == len(it.observer.asked)
    assert context(it) < 1_000


def test_d33_a_huge_tool_result_keeps_its_call_in_each_slice(threads: ConversationStore) -> None:
    it = talk(threads, UNBUFFERED)
    call = {"type": "tool_use", "id": "a", "name": "map", "input": {"all": True}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": WORD * 3_000}
    it.say("user")
    it.conversation.say("assistant", [call], MessageOrigin.MODEL, 1, 0.0)
    it.conversation.say("user", [result], MessageOrigin.PLAY, 1, 0.0)
    view = it.conversation.before_call(1)
    slices = [each for asked in it.observer.asked for each in asked if each.seq == 3]
    assert len(slices) >= 3
    assert {block["tool_use_id"] for each in slices for block in each.blocks} == {"a"}
    assert "".join(str(each.blocks[0]["content"]) for each in slices) == WORD * 3_000
    assert sum(each.tokens for each in view.tail) < 1_000


def test_d36_tool_results_count_and_are_observed_and_an_open_call_blocks_nothing(
    it: TalkFixture,
) -> None:
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    it.conversation.say("assistant", [call], MessageOrigin.MODEL, 1, 0.0)  # then it was killed
    for number in range(30):
        assert it.call_tool(number, 60).tokens > 60
        view = it.conversation.before_call(number)
        assert sum(each.tokens for each in view.tail) < 1_000
    observed = [each for asked in it.observer.asked for each in asked]
    assert sum(each.blocks[0]["type"] == "tool_result" for each in observed) > 10
    assert it.record.cursor > 20


def test_d35_injected_text_is_not_shown_to_an_observer(it: TalkFixture) -> None:
    for number in range(60):
        block = {"type": "text", "text": "your memories are above " + WORD * 20}
        it.conversation.say("user", [block], MessageOrigin.INJECTED, number, 0.0)
        it.turn()
    observed = [each for asked in it.observer.asked for each in asked]
    assert observed
    assert {each.origin for each in observed} == {MessageOrigin.PLAY, MessageOrigin.MODEL}
    assert not list(coverage_problems(it.store.database))  # it is still covered


@pytest.mark.parametrize("reply", ["", "* 🔴 " + "on and on " * 20_000])
def test_d37_the_context_stays_under_the_hard_limit_for_any_observer(
    threads: ConversationStore, reply: str
) -> None:
    config = small_config()
    it = talk(threads, config, observer=StubObserver(source="llm", reply=lambda _: reply))
    for _ in range(60):
        it.turn(40)
        assert context(it) <= config.hard_limit
    assert it.record.cursor  # by the fallback
    assert it.deps.faults["observer"] > 0
    assert all(each.tokens < each.message_tokens for each in threads.chunks("t"))


def test_d37_a_fallback_observes_before_the_limit_despite_other_failures(
    threads: ConversationStore,
) -> None:
    fallback = StubObserver(reply=lambda all: f"* 🔴 by rule {all[0].seq} to {all[-1].seq}")
    it = talk(threads, observer=StubObserver(source="llm", fails=True), fallback=fallback)
    it.turns(60, 40)
    record = it.record
    assert "by rule 1 to" in record.active_observations
    assert {each.source for each in threads.chunks("t")} == {"programmatic"}
    fallback.fails = True
    it.turns(60, 40)
    assert it.deps.faults["fallback observer"] > 0
    assert it.record.cursor > record.cursor
    assert it.deps.faults["observer"] == len(it.observer.asked) < 60
    assert not list(coverage_problems(threads.database))


class Slow(StubObserver):
    """An observer that answers when the test allows it."""

    def __init__(self) -> None:
        super().__init__(source="llm")
        self.may_go_on = Event()

    def observe(self, messages: tuple[Message, ...], known: str) -> Condensed:  # type: ignore[override]
        assert self.may_go_on.wait(60)
        return super().observe(messages, known)


def test_d37_a_slow_observer_delays_a_step_only_for_its_patience(
    threads: ConversationStore,
) -> None:
    slow = Slow()
    it = talk(threads, PATIENT, observer=slow, background=run_in_thread, clock=monotonic)
    for _ in range(40):  # without any answer of the observer
        it.say("user", 20)
        assert context(it) <= PATIENT.hard_limit
        it.say("assistant", 20)
        it.conversation.after_turn()
    assert it.record.cursor  # it continued without the observer
    slow.may_go_on.set()


def test_d20_d37_background_observations_are_stored_at_the_next_call(
    threads: ConversationStore,
) -> None:
    slow = Slow()
    it = talk(threads, PATIENT, observer=slow, background=run_in_thread, clock=monotonic)
    while Work.BUFFERING_OBSERVATION not in it.record.works:
        it.turn()
    assert it.conversation.status()["buffered_chunks"] == 0
    slow.may_go_on.set()
    while it.conversation.status()["buffered_chunks"] == 0:
        it.conversation.after_turn()
    assert slow.asked[0][-1].seq == it.record.buffered_observation_chunks[0].to_seq


def test_d22_flags_show_running_jobs_and_waiting_steps(threads: ConversationStore) -> None:
    slow = Slow()
    it = talk(threads, PATIENT, observer=slow, background=run_in_thread)
    it.say("user", 900)
    it.say("assistant", 5)
    it.conversation.after_turn()
    record = it.record
    assert record.works == {Work.BUFFERING_OBSERVATION}
    other = talk(threads, PATIENT, thread="u", observer=slow, background=run_in_thread)
    other.say("user", 1_200)
    other.conversation.before_call(0)
    record = other.record
    assert record.works == {Work.BUFFERING_OBSERVATION, Work.OBSERVING}
    slow.may_go_on.set()
    while Work.OBSERVING in other.record.works:
        other.conversation.after_turn()


def test_d37_an_endless_job_is_abandoned(threads: ConversationStore) -> None:
    slow = Slow()
    config = replace(small_config(), patience=0.0, deadline=60.0)
    it = talk(threads, config, observer=slow, background=run_in_thread)
    while Work.BUFFERING_OBSERVATION not in it.record.works:
        it.turn()
    it.clock.now += 61
    assert Work.BUFFERING_OBSERVATION not in it.record.works  # stale by now
    it.conversation.after_turn()
    assert it.deps.faults["observer"] == 1
    slow.may_go_on.set()


def test_d32_two_processes_do_not_observe_the_same_messages(tmp_path: Path) -> None:
    slow, quick = Slow(), StubObserver(source="llm")
    one, two = (open_conversations(tmp_path / "a.sqlite") for _ in range(2))
    first = talk(one, observer=slow, background=run_in_thread, holder="first")
    second = talk(two, observer=quick, holder="second")
    while Work.BUFFERING_OBSERVATION not in first.record.works:
        first.turn()
    second.conversation.after_turn()
    assert quick.asked == []
    slow.may_go_on.set()
    while first.conversation.status()["buffered_chunks"] == 0:
        first.conversation.after_turn()
    second.conversation.after_turn()
    assert quick.asked == []
    while not quick.asked:
        second.turn()
    assert quick.asked[0][0].seq == slow.asked[0][-1].seq + 1
    assert not list(coverage_problems(one.database))
    one.close()
    two.close()


def test_d32_the_lease_of_a_killed_process_expires(threads: ConversationStore) -> None:
    def take(holder: str, now: int) -> bool:
        until = now + 100
        return threads.set_flag("t", Work.OBSERVING, holder, now_ms=now, until_ms=until)

    assert take("killed", 0)
    assert not take("another", 99)
    assert take("killed", 50)  # the restarted process uses its old name
    assert not take("another", 149)
    assert take("another", 150)
    threads.clear_flag("t", Work.OBSERVING, "killed")  # no longer its lease
    assert not take("third", 200)
    threads.clear_flag("t", Work.OBSERVING, "another")
    assert take("third", 200)


def test_d32_a_late_chunk_is_rejected(tmp_path: Path) -> None:
    """When a lease expires while its holder works, the store decides."""
    slow = Slow()
    one, two = (open_conversations(tmp_path / "a.sqlite") for _ in range(2))
    first = talk(one, observer=slow, background=run_in_thread, holder="first")
    second = talk(two, holder="second")
    while Work.BUFFERING_OBSERVATION not in first.record.works:
        first.turn()
    second.clock.now += ConversationConfig().deadline + 1
    second.conversation.after_turn()
    assert second.record.buffered_observation_chunks
    slow.may_go_on.set()
    while not (ends := first.data_of(ConversationEventKind.BUFFERING_END)):
        first.conversation.after_turn()
    assert ends[0]["is_kept"] is False
    assert not list(coverage_problems(one.database))
    one.close()
    two.close()


def test_d34_a_reflection_that_cannot_shrink_is_retried_after_growth(
    threads: ConversationStore,
) -> None:
    it = talk(threads, reflector=StubReflector(source="llm", shrinks=False))
    while not it.deps.faults["reflector"]:
        it.turn()
    calls = len(it.reflector.asked)
    assert calls == 4  # all levels, once
    before = it.record
    for _ in range(50):
        it.conversation.before_call(0)
    assert len(it.reflector.asked) == calls
    with closing(open_conversations(threads.database.path)) as reopened:  # as another process
        talk(reopened, reflector=it.reflector).conversation.before_call(0)
    assert len(it.reflector.asked) == calls
    assert it.record.active_observations == before.active_observations
    while len(it.reflector.asked) == calls:
        it.turn()
    grown = it.record.observation_token_count - before.observation_token_count
    assert grown >= 400 / 10 / 2


def test_d34_the_required_growth_doubles_after_each_failure(threads: ConversationStore) -> None:
    it = talk(threads, reflector=StubReflector(source="llm", shrinks=False))
    it.turns(500)
    assert it.deps.faults["reflector"] < 10
    assert it.record.observation_token_count < 600  # the fallback keeps the limit


@pytest.mark.parametrize("reply", ["", "  \n"])
def test_d19_an_empty_reflection_removes_nothing(threads: ConversationStore, reply: str) -> None:
    it = talk(threads, reflector=StubReflector(source="llm", reply=reply))
    while it.record.observation_token_count < 400:
        it.turn()
    assert it.deps.faults["reflector"] > 0
    assert it.record.generation_count == 0
    assert it.record.active_observations.startswith("* 🟡 saw 1 2")
