"""Complete streams of other servers: usage in one place or in none, and events and pieces that belong to nothing."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.claude import Claude
from agent.advisor.model import Reply, Request, Usage
from agent.advisor.port import Advice
from agent.advisor.reply import message_of, reply_of
from tests.agent.advisor.advising import advising, question

Event = Mapping[str, Any]
COUNTED = {"input_tokens": 10, "output_tokens": 3}
TEXT = {"type": "text", "text": ""}
CALL = {"type": "tool_use", "id": "call_1", "name": "look", "input": {}}


def delta(index: int, kind: str, **fields: object) -> Event:
    return {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": f"{kind}_delta", **fields},
    }


SAID = delta(0, "text", text="North.")
ASKED = delta(1, "input_json", partial_json='{"place":"lab"}')
ASTRAY = [
    {"type": "ping"},
    {"type": "a_new_event", "index": 9},
    delta(0, "input_json", partial_json='{"place":'),
    delta(0, "thinking", thinking="hm"),
    delta(0, "signature", signature="abc"),
    delta(0, "new", new=1),
    delta(1, "text", text=" and so on"),
    delta(2, "text", text="of a new kind of block"),
    delta(2, "input_json", partial_json="{"),
]


def stream(start: Event, end: Event, *more: Event) -> list[tuple[str, str]]:
    begun = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    opened = [TEXT, CALL, {"type": "new_block"}]
    events: list[Event] = [
        {"type": "message_start", "message": {**begun, "stop_reason": None, **start}},
        *(
            {"type": "content_block_start", "index": at, "content_block": each}
            for at, each in enumerate(opened)
        ),
        *more,
        *({"type": "content_block_stop", "index": at} for at in range(len(opened))),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, **end},
        {"type": "message_stop"},
    ]
    return [(str(each["type"]), json.dumps(each)) for each in events]


def replied(start: Event, end: Event, *more: Event) -> Reply:
    return reply_of(message_of([*stream(start, end, *(more or (SAID, ASKED))), ("done", "[DONE]")]))


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (COUNTED | {"output_tokens": 1}, {"output_tokens": 3}),
        (COUNTED | {"output_tokens": 1}, COUNTED),
        ({"input_tokens": 10}, {"output_tokens": 3, "input_tokens": None}),
        (None, COUNTED),
    ],
)
def test_usage_may_come_at_the_start_and_at_the_end(start: Any, end: Any) -> None:  # noqa: ANN401  # JSON
    for without in ({}, {"usage": None}):
        reply = replied(without if start is None else {"usage": start}, {"usage": end})
        assert (reply.usage, reply.is_counted) == (Usage(10, 3), True)


def test_an_answer_without_a_count_at_its_end_is_counted_by_its_bytes() -> None:
    ends: list[Event] = [{}, {"usage": None}, {"usage": {}}]
    for end in ends:
        reply = replied({"usage": COUNTED | {"output_tokens": 1}}, end)
        assert reply.blocks[0]["text"] == "North."
        assert reply.usage.input == 10
        assert reply.usage.output > len('North.{"place":"lab"}')


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ({}, {}),
        ({"usage": None}, {"usage": {}}),
        ({}, {"usage": {"output_tokens": 3}}),
        ({"usage": {"output_tokens": 3}}, {}),
    ],
)
def test_a_reply_without_usage_is_complete_and_booked_at_its_maximum(
    start: Event, end: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert replied(start, end).is_counted is False
    answer = {"goals": ["heal"], "candidates": [], "note": "", "confidence": 0.7}
    said = delta(0, "text", text=json.dumps(answer))

    def complete(_self: Claude, _request: Request) -> Reply:
        end_turn = {**end, "delta": {"stop_reason": "end_turn"}}
        return reply_of(message_of(stream(start, end_turn, said)))

    monkeypatch.setattr(Claude, "complete", complete)
    with advising() as bench:
        assert isinstance(bench.advisor.ask(question()), Advice)
    assert bench.wallet.settled == [None]


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(ASTRAY)), max_size=6))
def test_what_belongs_to_no_block_changes_no_reply(odd: list[tuple[int, Event]]) -> None:
    events = [SAID, ASKED]
    for at, event in odd:
        events.insert(at, event)
    blocks = replied({"usage": COUNTED}, {"usage": COUNTED}, *events).blocks
    assert blocks == (
        TEXT | {"text": "North."},
        CALL | {"input": {"place": "lab"}},
        {"type": "new_block"},
    )
