"""Claude by the real SDK against the server on loopback, and messages put together from events."""

import json
import time
import traceback
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.claude import Claude
from agent.advisor.model import FaultKind, ModelFault, Reply, Request, Usage
from agent.advisor.reply import DEEPEST, message_of, plain_json, reply_of
from agent.errors import UsageError
from tests.agent.advisor.advising import KEY, LOOK, MODEL, Records, connected
from tests.fake_service import FakeClaude, ScriptedAnswer, ServiceScenario, ToolCall
from tests.fake_service.faults import ServiceFault
from tests.fake_service.faults import ServiceFaultKind as Mishap

ASKED = Request(
    model=MODEL,
    system=[{"type": "text", "text": "Be brief."}],
    messages=[{"role": "user", "content": [{"type": "text", "text": "Where to?"}]}],
    max_tokens=100,
)
LOOKING = ScriptedAnswer(rounds=[[ToolCall("look", {"place": "pewter"})]])


def faulty(*faults: ServiceFault) -> FakeClaude:
    return FakeClaude(ServiceScenario(lines=[ScriptedAnswer(text="North.")], faults=faults))


def failed(
    *faults: ServiceFault,
    request: Request = ASKED,
    timeout_s: float = 5.0,
    record: Records | None = None,
) -> ModelFault:
    """Return the fault that a call ends in."""
    with faulty(*faults) as server, connected(server, timeout_s, record) as claude:
        with pytest.raises(ModelFault) as fault:
            claude.complete(request)
        return fault.value


def test_a_reply_comes_whole_with_its_usage() -> None:
    lines = [ScriptedAnswer(text="North, then west. " * 20)]
    with FakeClaude(ServiceScenario(lines=lines)) as server, connected(server) as claude:
        reply = claude.complete(ASKED)
    assert [each["text"] for each in reply.blocks] == ["North, then west. " * 20]
    assert reply.stop_reason == "end_turn"
    assert reply.usage == Usage(input=reply.usage.input, output=reply.usage.output)
    assert reply.usage.input > 0
    assert reply.usage.output > 0


def test_a40_a_streamed_call_of_a_tool_arrives_and_is_recorded_whole() -> None:
    records = Records()
    tool = {"name": LOOK.name, "description": LOOK.says, "input_schema": dict(LOOK.schema)}
    looking = FakeClaude(ServiceScenario(lines=[LOOKING]))
    with looking as server, connected(server, record=records) as claude:
        reply = claude.complete(replace(ASKED, tools=[tool]))
    (call,) = reply.blocks
    assert (call["type"], call["name"], call["input"]) == ("tool_use", "look", {"place": "pewter"})
    assert reply.stop_reason == "tool_use"
    ((_, message, _),) = records
    assert reply_of(message) == reply
    assert message["usage"]["output_tokens"] > 0


def test_what_is_sent_is_what_was_asked_and_nothing_else() -> None:
    with faulty() as server, connected(server) as claude:
        claude.complete(ASKED)
        claude.complete(Request(MODEL, (), ASKED.messages, 9, (), {"type": "object"} | CLOSED, ""))
        plain, formed = (each.body for each in server.requests)
        headers = {name.lower(): each for name, each in server.requests[0].headers.items()}
    assert plain == {
        "model": MODEL,
        "system": ASKED.system,
        "messages": ASKED.messages,
        "max_tokens": 100,
        "stream": True,
    }
    assert headers["authorization"] == "present"
    assert headers["accept-encoding"] == "identity"
    assert formed["output_config"]["format"]["type"] == "json_schema"
    assert formed["diagnostics"] == {"previous_message_id": None}
    assert "system" not in formed


CLOSED = {"properties": {}, "required": [], "additionalProperties": False}


def test_tokens_are_counted_and_limits_read_where_the_service_says_them() -> None:
    with faulty() as server, connected(server) as claude:
        assert claude.count_tokens(ASKED) > 3
        assert claude.room(MODEL) == 1_000_000
        with pytest.raises(ModelFault) as unknown:
            claude.room("claude-unheard-of")
    assert unknown.value.kind is FaultKind.DENIED
    assert unknown.value.is_free


@pytest.mark.parametrize("kind", [Mishap.INVALID_JSON, Mishap.WRONG_SHAPE, Mishap.WRONG_TYPE])
def test_counts_and_limits_that_cannot_be_read_are_faults_or_unknown(kind: Mishap) -> None:
    with (
        faulty(
            ServiceFault(kind, turns=(1,), at="count_tokens"),
            ServiceFault(kind, turns=(1,), at="models"),
        ) as server,
        connected(server) as claude,
    ):
        with pytest.raises(ModelFault) as fault:
            claude.count_tokens(ASKED)
        assert fault.value.kind is FaultKind.MALFORMED
        with suppress(ModelFault):
            assert claude.room(MODEL) is None


def test_the_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with faulty() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        claude = Claude(5, clock=time.monotonic)
        claude.complete(ASKED)
        claude.close()
        assert len(server.requests) == 1


def test_why_the_cache_was_missed_is_told() -> None:
    long = [{"type": "text", "text": "Be brief. " * 900, "cache_control": {"type": "ephemeral"}}]
    other = [{**long[0], "text": "Be long. " * 900}]
    replies, last = list[Reply](), ""
    with faulty() as server, connected(server) as claude:
        for system in (long, long, other):
            request = Request(MODEL, system, ASKED.messages, 9, previous_message_id=last)
            replies.append(claude.complete(request))
            last = replies[-1].id
    assert [each.cache_missed for each in replies] == ["", "", "system_changed"]
    assert replies[0].usage.cache_write_5m > 0
    assert replies[1].usage.cache_read == replies[0].usage.cache_write_5m


def test_a37_each_call_that_brought_a_message_is_recorded_with_its_attempt() -> None:
    records = Records()
    request = Request(MODEL, ASKED.system, ASKED.messages, 100, attempt=3)
    with faulty() as server, connected(server, record=records) as claude:
        reply = claude.complete(request)
        claude.count_tokens(ASKED)
        sent = server.requests[0]
    ((recorded, message, meta),) = records
    assert recorded == sent.body
    assert reply_of(message) == reply
    assert message["content"] == [{"type": "text", "text": "North.", "citations": None}]
    assert meta == {"attempt": 3}
    assert sent.headers["x-stainless-retry-count"] == "2"


@pytest.mark.parametrize("kind", [Mishap.HALF_STREAM, Mishap.CUT, Mishap.OVERLOADED, Mishap.FLOOD])
def test_a_call_that_brought_no_message_is_not_recorded(kind: Mishap) -> None:
    records = Records()
    failed(ServiceFault(kind, turns=(1,)), record=records)
    assert records == []


FAULTS: Mapping[Mishap, tuple[FaultKind, bool]] = {  # and whether it is known to cost nothing
    Mishap.RATE_LIMIT: (FaultKind.RATE_LIMIT, True),
    Mishap.OVERLOADED: (FaultKind.OVERLOADED, True),
    Mishap.SERVER_ERROR: (FaultKind.SERVER, False),
    Mishap.BAD_GATEWAY: (FaultKind.SERVER, False),
    Mishap.UNAVAILABLE: (FaultKind.SERVER, False),
    Mishap.GATEWAY_TIMEOUT: (FaultKind.SERVER, False),
    Mishap.TIMEOUT: (FaultKind.TIMEOUT, False),
    Mishap.REFUSED: (FaultKind.CONNECTION, False),
    Mishap.RESET: (FaultKind.CONNECTION, False),
    Mishap.CUT: (FaultKind.BROKEN_STREAM, False),
    Mishap.HALF_STREAM: (FaultKind.BROKEN_STREAM, False),
    Mishap.HALF_JSON: (FaultKind.BROKEN_STREAM, False),
    Mishap.ERROR_EVENT: (FaultKind.OVERLOADED, False),
    Mishap.DRIP: (FaultKind.TIMEOUT, False),
    Mishap.FLOOD: (FaultKind.TOO_LONG, False),
    Mishap.INVALID_JSON: (FaultKind.MALFORMED, False),
    Mishap.WRONG_TYPE: (FaultKind.MALFORMED, False),
    Mishap.HUGE: (FaultKind.TOO_LONG, False),
}


@pytest.mark.parametrize("mishap", FAULTS, ids=lambda each: each.value)
def test_each_fault_of_the_service_has_its_kind(mishap: Mishap) -> None:
    patience = 0.3 if FAULTS[mishap][0] is FaultKind.TIMEOUT else 5.0
    fault = failed(ServiceFault(mishap, turns=(1,)), timeout_s=patience)
    assert (fault.kind, fault.is_free) == FAULTS[mishap]


def test_nobody_at_the_address_costs_nothing() -> None:
    with faulty() as server:
        url = server.url
    claude = Claude(1, clock=time.monotonic, base_url=url)
    with closing(claude), pytest.raises(ModelFault) as fault:
        claude.complete(ASKED)
    assert (fault.value.kind, fault.value.is_free) == (FaultKind.CONNECTION, True)


def test_how_long_to_wait_is_told_as_the_service_asked() -> None:
    fault = ServiceFault(Mishap.RATE_LIMIT, turns=(1,), retry_after_ms=2_500)
    assert failed(fault).retry_after_s == 2.5


def test_a_request_that_the_service_refuses_says_what_it_did_not_like() -> None:
    fault = failed(request=Request(MODEL, (), (), 100))
    assert str(fault).startswith("bad_request: status 400: messages")
    assert fault.is_free


def test_without_a_key_one_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UsageError, match="set ANTHROPIC_API_KEY"):
        Claude(5, clock=time.monotonic)


@pytest.mark.parametrize("key", ["sk-ant-sécret-1", "sk-ant-key-1\n", "sk-ant secret-1"])
def test_a42_a_key_that_cannot_be_sent_is_refused_without_being_shown(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with pytest.raises(UsageError) as refused:
        Claude(5, clock=time.monotonic)
    assert "cret-1" not in "".join(traceback.format_exception(refused.value))


def test_a42_the_key_is_in_no_fault_and_no_record() -> None:
    records = Records()
    told = []
    kinds = [kind for kind in FAULTS if kind is not Mishap.REFUSED]  # which lasts for a while
    faults = [ServiceFault(kind, turns=(number,)) for number, kind in enumerate(kinds, start=1)]
    with faulty(*faults) as server, connected(server, 0.2, records) as claude:
        for _ in kinds:
            with pytest.raises(ModelFault) as fault:
                claude.complete(ASKED)
            told.append("".join(traceback.format_exception(fault.value)))
        claude.complete(ASKED)
    assert KEY not in "".join(told)
    assert KEY not in json.dumps(records)
    assert len(records) == 1


def test_a42_a_service_that_echoes_the_key_is_not_repeated() -> None:
    fault = str(failed(request=replace(ASKED, model=f"claude-{KEY}")))
    assert KEY not in fault
    assert "(key)" in fault


def test_another_host_is_never_sent_the_key() -> None:
    with faulty() as server, connected(server) as claude:
        assert claude._client._client.follow_redirects is False


def test_an_answer_without_content_is_a_reply_all_the_same() -> None:
    with faulty(ServiceFault(Mishap.EMPTY, turns=(1,))) as server, connected(server) as claude:
        assert claude.complete(ASKED).blocks == ()


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
    deep = "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2)
    for odd in ("NaN", "[1e", "[" * 100_000, deep, "-Infinity"):
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
