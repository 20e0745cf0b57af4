"""A message put together from events, and what becomes of events that are none."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.model import FaultKind, ModelFault, Usage
from agent.advisor.reply import DEEPEST, message_of, plain_json, reply_of

USAGE = {"input_tokens": 5, "output_tokens": 1}
CALL = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
START: dict[str, Any] = {
    "type": "message_start",
    "message": {"id": "msg_1", "model": "m", "content": [], "stop_reason": None, "usage": USAGE},
}
END: dict[str, Any] = {
    "type": "message_delta",
    "delta": {"stop_reason": "end_turn"},
    "usage": {"output_tokens": 9, "input_tokens": None},
}
STOP: dict[str, Any] = {"type": "message_stop"}


def block(index: int, begun: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": begun},
        *({"type": "content_block_delta", "index": index, "delta": each} for each in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def spoken(*words: str) -> list[dict[str, Any]]:
    deltas = [{"type": "text_delta", "text": each} for each in words]
    return block(0, {"type": "text", "text": ""}, *deltas)


def message(*events: dict[str, Any]) -> dict[str, Any]:
    return message_of((each.get("type"), json.dumps(each)) for each in events)


def test_pieces_come_together_and_counts_are_the_last() -> None:
    told = message(START, *spoken("go ", "west"), END, STOP)
    assert told["content"] == [{"type": "text", "text": "go west"}]
    assert told["stop_reason"] == "end_turn"
    assert told["usage"] == {"input_tokens": 5, "output_tokens": 9}


def test_thoughts_keep_their_signature() -> None:
    thought = block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "hm"},
        {"type": "signature_delta", "signature": "abc"},
        {"type": "a_later_delta", "odd": 1},
    )
    told = message(START, *thought, {"type": "a_later_event"}, END, STOP)
    assert told["content"] == [{"type": "thinking", "thinking": "hm", "signature": "abc"}]


def test_a40_a_call_that_was_cut_off_in_its_input_is_left_out() -> None:
    cut = block(1, CALL, {"type": "input_json_delta", "partial_json": '{"place": "pew'})
    told = message(START, *spoken("let me see"), *cut, END, STOP)
    assert [each["type"] for each in told["content"]] == ["text"]


@pytest.mark.parametrize("events", [[], [START], [START, *spoken("go"), END], [STOP], [START, END]])
def test_a40_a_stream_without_its_end_is_broken(events: list[dict[str, Any]]) -> None:
    with pytest.raises(ModelFault) as fault:
        message(*events)
    assert fault.value.kind is FaultKind.BROKEN_STREAM


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": "message_start"},
        {"type": "content_block_delta", "index": 7, "delta": {"type": "signature_delta"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}},
        {"type": "content_block_stop", "index": 3},
        {"type": "message_delta", "delta": {}, "usage": 3},
        {"type": "error", "error": None},
    ],
)
def test_an_event_of_another_shape_is_a_fault(event: dict[str, Any]) -> None:
    with pytest.raises(ModelFault) as fault:
        message(START, event, *spoken("go"), END, STOP)
    assert fault.value.kind is FaultKind.MALFORMED


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("overloaded_error", FaultKind.OVERLOADED),
        ("rate_limit_error", FaultKind.RATE_LIMIT),
        ("authentication_error", FaultKind.DENIED),
        ("something_new", FaultKind.SERVER),
    ],
)
def test_a_service_that_breaks_off_says_why(said: str, kind: FaultKind) -> None:
    with pytest.raises(ModelFault) as fault:
        message(START, {"type": "error", "error": {"type": said, "message": "sk-ant-x"}})
    assert fault.value.kind is kind
    assert not fault.value.is_free
    assert "sk-ant" not in str(fault.value)


def test_json_is_held_to_what_can_be_written_again() -> None:
    assert plain_json('{"a\\ud800": ["\\udfff", 1]}') == {"a?": ["?", 1]}
    for odd in (
        "NaN",
        "[1e",
        "[" * 100_000,
        "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2),
        "-Infinity",
    ):
        with pytest.raises(ValueError, match=r".+"):
            plain_json(odd)


WHOLE: dict[str, Any] = START["message"] | {"stop_reason": "end_turn"}


def test_what_is_written_without_a_word_on_how_long_counts_as_the_dearer() -> None:
    usage = {"cache_creation_input_tokens": 30, "cache_read_input_tokens": 7} | USAGE
    assert reply_of(WHOLE | {"usage": usage}).usage == Usage(5, 1, 7, 0, 30)
    by_ttl = {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 10}
    assert reply_of(WHOLE | {"usage": usage | {"cache_creation": by_ttl}}).usage == Usage(
        5, 1, 7, 20, 10
    )


@pytest.mark.parametrize(
    "change",
    [
        {"id": 7},
        {"stop_reason": None},
        {"content": None},
        {"content": [7]},
        {"content": [{"type": "text"}]},
        {"content": [CALL | {"input": []}]},
        {"content": [CALL | {"id": None}]},
        {"usage": USAGE | {"input_tokens": -1}},
        {"usage": USAGE | {"output_tokens": True}},
        {"usage": {}},
        {"diagnostics": {"cache_miss_reason": {"type": 3}}},
    ],
)
def test_what_has_not_the_shape_of_a_message_is_a_fault(change: dict[str, Any]) -> None:
    with pytest.raises(ModelFault) as fault:
        reply_of(WHOLE | change)
    assert fault.value.kind is FaultKind.MALFORMED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = ("type", "index", "delta", "message", "content_block", "usage", "error", "text")
EVENTS = st.dictionaries(
    st.sampled_from(NAMES),
    JSON | st.sampled_from([each["type"] for each in (START, END, STOP, *spoken("x"))]),
)


@given(st.lists(EVENTS, max_size=4), st.integers(0, 5))
def test_whatever_comes_is_a_message_or_a_fault(odd: list[dict[str, Any]], at: int) -> None:
    events = [START, *spoken("go"), END, STOP]
    with suppress(ModelFault):
        reply_of(message(*events[:at], *odd, *events[at:]))
