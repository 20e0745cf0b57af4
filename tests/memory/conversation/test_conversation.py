"""Part D, the flow: what a call sees, and when messages become observations."""

from dataclasses import replace
from pathlib import Path

import pytest

from memory.conversation.boundaries import Cut, boundary, with_pairs
from memory.conversation.port import ConversationEvent, ConversationEventKind
from memory.store.conversation_record import Chunk, ConversationScope, Message, Reflection
from memory.store.conversations import ConversationStore
from tests.memory.conversation.fixtures import (
    TalkFixture,
    assert_sendable,
    coverage_problems,
    open_conversations,
    small_config,
    talk,
)

UNBUFFERED = small_config(bufferTokens=0)


def test_d02_d08_at_the_threshold_messages_are_observed_and_replaced(
    threads: ConversationStore,
) -> None:
    it = talk(threads, UNBUFFERED)
    while it.record.pending_message_tokens < 1_000:
        it.say("user", 30)
        it.say("assistant", 30)
        assert not it.observer.asked
    view = it.conversation.before_call(0)
    (asked,) = it.observer.asked
    record = it.record
    assert record.cursor == asked[-1].seq
    assert view.observations == record.active_observations
    assert view.observations.startswith("* 🟡 saw 1 2 3")
    task, reply = view.current_task, view.suggested_response
    assert (task, reply) == (f"task {record.cursor}", f"reply {record.cursor}")
    kinds = [part.kind for part in it.events]
    start = kinds.index(ConversationEventKind.OBSERVATION_START)
    assert start < kinds.index(ConversationEventKind.OBSERVATION_END)
    assert it.events[start].data["to_seq"] == record.cursor
    assert not list(coverage_problems(threads.database))


def test_d01_d04_d12_a_call_sees_observations_and_messages_after_the_cursor(
    it: TalkFixture,
) -> None:
    it.turns(40)
    it.say("user")
    view, record = it.conversation.before_call(0), it.record
    assert record.cursor > 0
    everything = [each.seq for each in it.store.messages("t")]
    assert [each.seq for each in view.tail] == [seq for seq in everything if seq > record.cursor]
    observed = [seq for seq in everything if seq in record.observed_message_ids]
    assert observed == [seq for seq in everything if seq <= record.cursor]
    assert {seq for seq in range(1, record.cursor + 1) if f" {seq}" in str(view.observations)}
    assert sum(each.tokens for each in view.tail) < 1_000


def test_d06_d20_d29_buffered_chunks_are_activated_without_the_observer(it: TalkFixture) -> None:
    while it.record.pending_message_tokens < 1_000:
        it.say("user", 30)
        it.say("assistant", 30)
        it.conversation.after_turn()
    waiting = it.record.buffered_observation_chunks
    assert len(waiting) >= 4  # one at each fifth of the threshold
    sizes = [sum(each.tokens for each in asked) for asked in it.observer.asked]
    assert all(200 <= size < 320 for size in sizes)
    assert it.record.cursor == 0
    it.observer.fails = True
    view = it.conversation.before_call(0)
    assert len(it.observer.asked) == len(sizes)
    record = it.record
    assert record.cursor in [each.to_seq for each in waiting]
    active = [each.text for each in waiting if each.to_seq <= record.cursor]
    assert view.observations == "\n".join(active)
    assert record.buffered_observation_chunks == waiting[len(active) :]
    assert 0 < record.pending_message_tokens <= 500


def test_d03_later_calls_of_a_turn_check_the_thresholds_too(threads: ConversationStore) -> None:
    it = talk(threads, UNBUFFERED)
    it.say("user")
    assert it.conversation.before_call(0).observations == ""
    for step in range(1, 40):
        it.call_tool(step, 40)
        view = it.conversation.before_call(step)
        assert sum(each.tokens for each in view.tail) < 1_000
        assert_sendable(view.tail)
    assert it.observer.asked
    assert it.record.cursor > 0


def test_d03_a_tool_call_is_always_sent_with_its_result() -> None:
    def message(seq: int, role: str, **block: object) -> Message:
        return Message("t", role, (block,), 0, 0.0, seq=seq)

    call = {"type": "tool_use", "id": "a", "name": "look", "input": {"at": "x"}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "a wall"}
    asked, answer = message(1, "assistant", **call), message(2, "user", **result)
    assert with_pairs([asked, answer]) == (asked, answer)
    assert with_pairs([asked]) == (asked,)  # it waits for its result
    (orphan,) = with_pairs([answer])
    assert orphan.blocks == ({"type": "text", "text": "[the result of an earlier call] a wall"},)
    interrupted, _ = with_pairs([asked, message(3, "user", type="text", text="on")])
    assert interrupted.blocks[0]["type"] == "text"
    assert "look" in interrupted.blocks[0]["text"]
    assert '{"at":"x"}' in interrupted.blocks[0]["text"]


EDGES = [Cut(10, 6_000), Cut(20, 12_000), Cut(30, 18_000), Cut(40, 24_500)]


@pytest.mark.parametrize(
    ("edges", "total", "floor", "expected"),
    [
        (EDGES, 30_000, 6_000, 40),  # beyond the target of 24,000
        (EDGES, 24_000, 6_000, 30),  # exactly at the target
        (EDGES, 30_000, 17_000, 30),  # target 13,000, removed 18,000: within the overshoot
        ([Cut(10, 1_000), Cut(20, 12_000)], 12_900, 6_000, 10),  # almost nothing would stay
        (
            [Cut(10, 1_000), Cut(20, 12_800)],
            13_000,
            6_000,
            10,
        ),  # 5,800 more than the target, of a floor of 6,000
        ([Cut(20, 12_800)], 13_000, 6_000, 20),  # the only cut
        (EDGES[:2], 30_000, 6_000, 20),  # the last cut
        ([], 30_000, 6_000, None),
    ],
)
def test_d21_the_cut_nearest_the_target_is_taken_unless_it_removes_too_much(
    edges: list[Cut], total: int, floor: int, expected: int | None
) -> None:
    found = boundary(edges, total, floor)
    assert (found.seq if found else None) == expected


def test_d07_d22_above_their_threshold_observations_become_a_new_generation(
    threads: ConversationStore,
) -> None:
    it = talk(threads)
    for _ in range(400):
        it.turn()
        assert it.record.observation_token_count < 480
    view, record = it.conversation.before_call(0), it.record
    assert record.generation_count == record.reflection.generation >= 2
    assert view.reflection == record.reflection.text
    generations = threads.reflections("t")
    assert [each.generation for each in generations][: record.generation_count] == list(
        range(1, record.generation_count + 1)
    )
    everything = threads.chunks("t")
    assert {each.from_seq for each in everything} > {
        each.from_seq for each in record.active_chunks
    }  # the observations are still stored
    assert not list(coverage_problems(threads.database))

    def size(**bounds: int) -> int:
        return sum(each.tokens for each in threads.messages("t", **bounds))

    lines = [record.reflection.text, *(each.text for each in record.active_chunks)]
    assert record.active_observations == "\n".join(lines)
    assert record.pending_message_tokens == size(after=record.cursor)
    assert record.total_tokens_observed == size(upto=record.cursor)
    assert record.last_observed_at == record.last_buffered_at == 1_000_000
    buffered = [each.message_tokens for each in record.buffered_observation_chunks]
    assert record.last_buffered_at_tokens == sum(buffered)
    assert not record.works
    settled = record.scope, record.origin_type, record.timezone
    assert settled == (ConversationScope.THREAD, "initial", "UTC")
    assert '"message_tokens":1000' in record.config


def test_d20_a_buffered_reflection_is_activated_without_a_call(it: TalkFixture) -> None:
    while it.record.buffered_reflection is None:
        it.turn()
        assert it.record.observation_token_count < 400
    assert it.record.generation_count == 0
    calls = len(it.reflector.asked)
    while it.record.generation_count == 0:
        it.turn()
    assert len(it.reflector.asked) <= calls + 1  # the next one is buffered at once
    record = it.record
    assert record.active_chunks[0].from_seq > record.reflection.upto_seq


def test_d12_messages_are_filtered_by_number_and_never_by_time(threads: ConversationStore) -> None:
    it = talk(threads, UNBUFFERED)
    while not it.record.cursor:
        it.turn(60)
    it.clock.now -= 500.0  # the wall clock was set back
    late = it.say("user")
    view = it.conversation.before_call(0)
    assert view.tail[-1].seq == late.seq
    assert late.created_ms < min(each.created_ms for each in threads.messages("t")[:-1])


def test_d13_d26_status_has_counts_thresholds_and_buffers(it: TalkFixture) -> None:
    it.turns(8, 30)
    status = it.data_of(ConversationEventKind.STATUS)[-1]
    assert status == it.conversation.status()
    assert (status["message_threshold"], status["observation_threshold"]) == (1_000, 400)
    assert status["message_tokens"] == sum(each.tokens for each in it.store.messages("t"))
    assert status["buffered_chunks"] == 2
    buffered = it.record.buffered_observation_chunks
    assert status["buffered_message_tokens"] == sum(each.message_tokens for each in buffered)
    sharing = talk(it.store, replace(small_config(), share_token_budget=True), thread="u")
    assert sharing.conversation.status()["message_threshold"] == 1_200


def test_d14_repeated_messages_never_overwrite_observations(it: TalkFixture) -> None:
    it.turns(60)
    cursor = it.record.cursor
    before = it.store.messages("t", upto=cursor)
    again = it.conversation.say(
        before[0].role, before[0].blocks, before[0].origin, before[0].tick, before[0].game_s
    )
    it.conversation.after_turn()
    assert again.seq > cursor
    assert it.store.messages("t", upto=cursor) == before


def test_d23_each_storage_method_works(it: TalkFixture) -> None:
    assert it.store.get("t", now_ms=0) is None
    empty = it.record
    said = [it.say(role).seq for role in ("user", "assistant", "user", "assistant")]
    assert it.store.get("t", now_ms=0) is not None
    first = Chunk(said[0], said[1], "* 🔴 a", 2, 50, "llm", count=2)
    second = Chunk(said[2], said[3], "* 🔴 b", 2, 50, "llm", count=2)
    assert it.store.update_active("t", first)
    assert not it.store.update_active("t", first)  # a chunk is activated once
    assert it.store.update_buffered("t", second)
    assert it.store.create_generation("t", Reflection(1, said[1], "r", 1, "llm"), active=False)
    assert it.store.swap_buffered("t", upto=said[3], reflection=True) == 1
    record = it.record
    assert (record.cursor, record.active_observations) == (said[3], "r\n* 🔴 b")
    assert not it.store.create_generation("t", Reflection(1, 1, "again", 1, "llm"), active=True)
    beyond = Reflection(2, said[3] + 5, "of what is not observed", 1, "llm")
    assert not it.store.create_generation("t", beyond, active=True)
    it.store.initialize(empty)  # a second initialize does nothing
    assert it.record == record


SHARED = replace(small_config(), scope=ConversationScope.RESOURCE)


def test_d05_d24_threads_of_one_resource_see_each_other(threads: ConversationStore) -> None:
    one = talk(threads, SHARED, thread="one", resource="player")
    two = talk(threads, SHARED, thread="two", resource="player")
    other = talk(threads, SHARED, thread="three", resource="somebody else")
    one.say("user", 1, text="the key is in the gym")
    other.say("user", 1, text="a secret")
    two.say("user", 1, text="where is the key?")
    view = two.conversation.before_call(0)
    assert view.others == (
        '<other-conversation thread="one">\nuser: the key is in the gym\n</other-conversation>'
    )
    assert [each.thread for each in view.tail] == ["two"]
    while not two.record.cursor:
        two.turn()
        one.turn()
    assert {each.thread for each in two.observer.asked[0]} == {"one", "two"}
    assert one.record == two.record
    assert not list(coverage_problems(threads.database))


def test_d24_separate_threads_share_nothing(threads: ConversationStore) -> None:
    one, two = talk(threads, thread="one"), talk(threads, thread="two")
    one.turns(60)
    two.say("user")
    view = two.conversation.before_call(0)
    assert (view.observations, view.others, len(view.tail)) == ("", "", 1)
    assert two.record.cursor == 0 < one.record.cursor


def test_d26_idle_time_or_another_provider_activates_buffered_chunks(
    threads: ConversationStore,
) -> None:
    config = replace(small_config(), activate_after_idle=300.0, activate_on_provider_change=True)
    it = talk(threads, config)

    def reasons() -> list[object]:
        return [data["reason"] for data in it.data_of(ConversationEventKind.ACTIVATION)]

    it.turns(8, 30)
    assert it.record.buffered_observation_chunks
    it.clock.now += 299
    it.conversation.before_call(0, "one")
    assert reasons() == []
    it.clock.now += 1
    it.conversation.before_call(1, "one")
    assert reasons() == []  # not in the middle of a turn
    it.conversation.before_call(0, "one")
    assert reasons() == ["ttl"]
    it.turns(5, 30)
    it.conversation.before_call(1, "two")
    it.conversation.before_call(0, "three")
    assert reasons() == ["ttl", "provider"]
    assert not list(coverage_problems(threads.database))


def test_d26_an_observer_sees_the_end_of_earlier_observations(threads: ConversationStore) -> None:
    it = talk(threads, small_config(previousObserverTokens=30))
    it.turns(80)
    assert it.observer.known[0] == ""
    assert all(len(known) <= 4 * 30 for known in it.observer.known)
    assert f" {it.observer.asked[-2][-1].seq}" in it.observer.known[-1]


def test_d27_events_are_reported_in_order(it: TalkFixture) -> None:
    it.turns(60)
    it.observer.fails = True
    it.turns(10)
    kinds = "BUFFERING_START BUFFERING_END BUFFERING_FAILED ACTIVATION STATUS THREAD_UPDATE"
    assert {part.kind.name for part in it.events} >= {*kinds.split()}
    activation = it.data_of(ConversationEventKind.ACTIVATION)[0]
    assert activation["reason"] == "threshold"
    assert int(str(activation["tokens_after"])) < 1_000 <= int(str(activation["tokens_before"]))
    update = it.data_of(ConversationEventKind.THREAD_UPDATE)[-1]
    assert update["current_task"] == it.conversation.before_call(0).current_task


def test_d27_a_failing_listener_is_only_counted(threads: ConversationStore) -> None:
    def broken(_part: ConversationEvent) -> None:
        raise ValueError("it is broken")

    it = talk(threads, on_part=broken)
    it.turns(30)
    assert it.deps.faults["on_part"] > 30
    assert it.record.cursor


def test_d04_a_conversation_continues_from_its_file(tmp_path: Path) -> None:
    store = open_conversations(tmp_path / "a.sqlite")
    it = talk(store)
    it.turns(60)
    before = it.conversation.before_call(0)
    store.close()
    again = open_conversations(tmp_path / "a.sqlite")
    assert talk(again).conversation.before_call(0) == before
    again.close()
