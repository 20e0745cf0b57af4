"""Claude through the real SDK against the loopback server, and messages assembled from stream events."""

import json
import traceback
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.claude import Claude
from agent.advisor.model import FaultKind, ModelFault, ModelSettings, Reply, Request, Usage
from agent.advisor.reply import message_of, parse_json, reply_of, without_secrets
from agent.advisor.secrets import Mask
from agent.errors import UsageError
from memory.codec import MAX_DEPTH
from tests.agent.advisor.advising import KEY, LOOK, MODEL, PATIENCE, Records, connected
from tests.fake_service import FakeClaude, ScriptedAnswer, ServiceScenario, ToolCall
from tests.fake_service.faults import ServiceFault
from tests.fake_service.faults import ServiceFaultKind as Fault
from tests.fake_service.raw_server import RawServer, head

SOBER = "claude-opus-5"  # it need not think
ASKED = Request(
    model=SOBER,
    settings=ModelSettings("disabled"),
    system=[{"type": "text", "text": "Be brief."}],
    messages=[{"role": "user", "content": [{"type": "text", "text": "Where to?"}]}],
)
CLOSED = {"properties": {}, "required": [], "additionalProperties": False}
LOOKING = ScriptedAnswer(rounds=[[ToolCall("look", {"place": "pewter"})]])


def faulty(*faults: ServiceFault) -> FakeClaude:
    return FakeClaude(ServiceScenario(lines=[ScriptedAnswer(text="North.")], faults=faults))


def failed(
    *faults: ServiceFault,
    request: Request = ASKED,
    timeout_s: float = 5.0,
    record: Records | None = None,
) -> ModelFault:
    """Return the fault of a call."""
    with faulty(*faults) as server, connected(server, timeout_s, record) as claude:
        with pytest.raises(ModelFault) as fault:
            claude.complete(request)
        return fault.value


def fails_as(kind: FaultKind) -> AbstractContextManager[object]:
    """Return a context that must end with a fault of `kind`."""
    return pytest.raises(ModelFault, check=lambda fault: fault.kind is kind)


def test_a_reply_is_complete_and_has_its_usage() -> None:
    lines = [ScriptedAnswer(text="North, then west. " * 20)]
    with FakeClaude(ServiceScenario(lines=lines)) as server, connected(server) as claude:
        reply = claude.complete(ASKED)
    assert [each["text"] for each in reply.blocks] == ["North, then west. " * 20]
    assert reply.stop_reason == "end_turn"
    assert reply.usage == Usage(input=reply.usage.input, output=reply.usage.output)
    assert reply.usage.input > 0
    assert reply.usage.output > 0
    with faulty(ServiceFault(Fault.EMPTY, turns=(1,))) as server, connected(server) as claude:
        assert claude.complete(ASKED).blocks == ()  # without content it is a reply too


def test_a40_a_streamed_tool_call_is_received_and_recorded_completely() -> None:
    records = Records()
    tool = {"name": LOOK.name, "description": LOOK.label, "input_schema": dict(LOOK.schema)}
    looking = FakeClaude(ServiceScenario(lines=[LOOKING]))
    with looking as server, connected(server, record=records) as claude:
        reply = claude.complete(replace(ASKED, tools=[tool]))
    (call,) = reply.blocks
    assert (call["type"], call["name"], call["input"]) == ("tool_use", "look", {"place": "pewter"})
    assert reply.stop_reason == "tool_use"
    ((_, message, _),) = records
    assert reply_of(message) == reply
    assert message["usage"]["output_tokens"] > 0


def test_the_sent_body_holds_only_the_requested_fields() -> None:
    with faulty() as server, connected(server) as claude:
        claude.complete(ASKED)
        schema = {"type": "object"} | CLOSED
        asked = Request(SOBER, (), ASKED.messages, output_schema=schema, previous_message_id="")
        claude.complete(asked)
        plain, formed = (each.body for each in server.requests)
        headers = {name.lower(): each for name, each in server.requests[0].headers.items()}
    assert plain == {
        "model": SOBER,
        "system": ASKED.system,
        "messages": ASKED.messages,
        "max_tokens": 4_000,
        "thinking": {"type": "disabled"},
        "output_config": {"effort": "low"},
        "stream": True,
    }
    assert headers["authorization"] == "present"
    assert headers["accept-encoding"] == "identity"
    assert formed["output_config"]["format"]["type"] == "json_schema"
    assert formed["diagnostics"] == {"previous_message_id": None}
    assert "system" not in formed


def test_the_client_reads_token_counts_and_model_limits() -> None:
    with faulty() as server, connected(server) as claude:
        assert claude.count_tokens(ASKED) > 3
        assert claude.max_input_tokens(MODEL) == 1_000_000
        with pytest.raises(ModelFault) as unknown:
            claude.max_input_tokens("claude-unheard-of")
    assert unknown.value.kind is FaultKind.DENIED
    assert unknown.value.is_free


@pytest.mark.parametrize("kind", [Fault.INVALID_JSON, Fault.WRONG_SHAPE, Fault.WRONG_TYPE])
def test_unreadable_token_counts_and_limits_are_faults_or_none(kind: Fault) -> None:
    faults = [ServiceFault(kind, turns=(1,), at=each) for each in ("count_tokens", "models")]
    with faulty(*faults) as server, connected(server) as claude:
        with fails_as(FaultKind.MALFORMED):
            claude.count_tokens(ASKED)
        with suppress(ModelFault):
            assert claude.max_input_tokens(MODEL) is None


def test_the_address_can_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with faulty() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with closing(Claude(5, patience=PATIENCE)) as claude:
            claude.complete(ASKED)
        assert len(server.requests) == 1


def test_a_reply_has_the_reason_of_a_cache_miss() -> None:
    long = [{"type": "text", "text": "Be brief. " * 900, "cache_control": {"type": "ephemeral"}}]
    other = [{**long[0], "text": "Be long. " * 900}]
    replies, last = list[Reply](), ""
    with faulty() as server, connected(server) as claude:
        for system in (long, long, other):
            request = Request(SOBER, system, ASKED.messages, previous_message_id=last)
            replies.append(claude.complete(request))
            last = replies[-1].id
    assert [each.cache_missed for each in replies] == ["", "", "system_changed"]
    assert replies[0].usage.cache_write_5m > 0
    assert replies[1].usage.cache_read == replies[0].usage.cache_write_5m


def test_a37_each_call_with_a_message_is_recorded_with_its_attempt() -> None:
    records = Records()
    request = replace(ASKED, attempt=3)
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


FAULTS: Mapping[Fault, tuple[FaultKind, bool]] = {  # the second value is `is_free`
    Fault.RATE_LIMIT: (FaultKind.RATE_LIMIT, True),
    Fault.OVERLOADED: (FaultKind.OVERLOADED, True),
    Fault.SERVER_ERROR: (FaultKind.SERVER, False),
    Fault.BAD_GATEWAY: (FaultKind.SERVER, False),
    Fault.UNAVAILABLE: (FaultKind.SERVER, False),
    Fault.GATEWAY_TIMEOUT: (FaultKind.SERVER, False),
    Fault.TIMEOUT: (FaultKind.TIMEOUT, False),
    Fault.RESET: (FaultKind.CONNECTION, False),
    Fault.CUT: (FaultKind.BROKEN_STREAM, False),
    Fault.HALF_STREAM: (FaultKind.BROKEN_STREAM, False),
    Fault.HALF_JSON: (FaultKind.BROKEN_STREAM, False),
    Fault.ERROR_EVENT: (FaultKind.OVERLOADED, False),
    Fault.DRIP: (FaultKind.TIMEOUT, False),
    Fault.FLOOD: (FaultKind.TOO_LONG, False),
    Fault.INVALID_JSON: (FaultKind.MALFORMED, False),
    Fault.WRONG_TYPE: (FaultKind.MALFORMED, False),
    Fault.HUGE: (FaultKind.TOO_LONG, False),
    Fault.REFUSED: (FaultKind.CONNECTION, False),  # the last one, as it lasts for a while
}


def test_a_refused_connection_is_free() -> None:
    with faulty() as server:
        url = server.url
    claude = Claude(1, patience=PATIENCE, base_url=url)
    with closing(claude), pytest.raises(ModelFault) as fault:
        claude.complete(ASKED)
    assert (fault.value.kind, fault.value.is_free) == (FaultKind.CONNECTION, True)


def test_a_fault_has_the_wait_and_the_message_of_the_service() -> None:
    fault = ServiceFault(Fault.RATE_LIMIT, turns=(1,), retry_after_ms=2_500)
    assert failed(fault).retry_after_s == 2.5
    refused = failed(request=Request(MODEL, (), ()))
    assert str(refused).startswith("bad_request: status 400: messages")
    assert refused.is_free


def test_a_missing_key_gives_one_line_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UsageError, match="set ANTHROPIC_API_KEY"):
        Claude(5, patience=PATIENCE)


@pytest.mark.parametrize("key", ["sk-ant-sécret-1", "sk-ant-key-1\n", "sk-ant secret-1"])
def test_a42_an_invalid_key_is_refused_and_not_shown(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with pytest.raises(UsageError) as refused:
        Claude(5, patience=PATIENCE)
    assert "cret-1" not in "".join(traceback.format_exception(refused.value))


def test_a42_each_fault_has_its_kind_and_no_fault_and_no_record_contains_the_key() -> None:
    records, traces = Records(), []
    faults = [ServiceFault(kind, turns=(number,)) for number, kind in enumerate(FAULTS, start=1)]
    with faulty(*faults) as server, connected(server, 1.0, records) as claude:
        for kind in FAULTS:
            with pytest.raises(ModelFault) as fault:
                claude.complete(ASKED)
            assert (fault.value.kind, fault.value.is_free) == FAULTS[kind], kind
            traces.append("".join(traceback.format_exception(fault.value)))
        assert records == []
    assert KEY not in "".join(traces)


def test_a42_a_key_echoed_by_the_service_is_removed() -> None:
    fault = str(failed(request=replace(ASKED, model=f"claude-{KEY}")))
    assert KEY not in fault
    assert "[secret]" in fault


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_other_servers_get_a_key_in_both_headers_a_token_in_one_and_no_record_has_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fake_service.server.CREDENTIALS", frozenset())
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv(name, KEY)
    records = Records()
    with faulty() as server, connected(server, record=records) as claude:
        claude.complete(ASKED)
        claude.count_tokens(ASKED)
        asked = [
            {name.lower(): each.headers[name] for name in each.headers} for each in server.requests
        ]
    key = KEY if name == "ANTHROPIC_API_KEY" else None
    assert [each.get("x-api-key") for each in asked] == [key] * 2
    assert [each["authorization"] for each in asked] == [f"Bearer {KEY}"] * 2
    assert KEY not in str(records)
    assert len(records) == 1


def test_anthropics_own_service_gets_what_the_sdk_sends() -> None:
    with closing(Claude(5.0, patience=PATIENCE)) as claude:
        assert claude.is_billed
        assert "x-api-key" not in {name.lower() for name in claude._client.default_headers}


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


def texts(*words: str) -> list[dict[str, Any]]:
    deltas = [{"type": "text_delta", "text": each} for each in words]
    return block(0, {"type": "text", "text": ""}, *deltas)


def message(*events: dict[str, Any]) -> dict[str, Any]:
    return message_of((each.get("type"), json.dumps(each)) for each in events)


def test_pieces_are_joined_and_the_last_counts_hold() -> None:
    reply = message(START, *texts("go ", "west"), END, STOP)
    assert reply["content"] == [{"type": "text", "text": "go west"}]
    assert reply["stop_reason"] == "end_turn"
    assert reply["usage"] == {"input_tokens": 5, "output_tokens": 9}


def test_thinking_blocks_keep_their_signature() -> None:
    thought = block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "hm"},
        {"type": "signature_delta", "signature": "abc"},
        {"type": "a_later_delta", "odd": 1},
    )
    reply = message(START, *thought, {"type": "a_later_event"}, END, STOP)
    assert reply["content"] == [{"type": "thinking", "thinking": "hm", "signature": "abc"}]


def test_a40_a_call_with_incomplete_input_is_left_out() -> None:
    cut = block(1, CALL, {"type": "input_json_delta", "partial_json": '{"place": "pew'})
    reply = message(START, *texts("let me see"), *cut, END, STOP)
    assert [each["type"] for each in reply["content"]] == ["text"]


@pytest.mark.parametrize("events", [[], [START], [START, *texts("go"), END], [STOP], [START, END]])
def test_a40_a_stream_without_its_end_is_a_fault(events: list[dict[str, Any]]) -> None:
    with fails_as(FaultKind.BROKEN_STREAM):
        message(*events)


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
def test_a_malformed_event_is_a_fault(event: dict[str, Any]) -> None:
    with fails_as(FaultKind.MALFORMED):
        message(START, event, *texts("go"), END, STOP)


@pytest.mark.parametrize(
    ("error_type", "kind"),
    [
        ("overloaded_error", FaultKind.OVERLOADED),
        ("rate_limit_error", FaultKind.RATE_LIMIT),
        ("authentication_error", FaultKind.DENIED),
        ("something_new", FaultKind.SERVER),
    ],
)
def test_an_error_event_sets_the_kind_of_the_fault(error_type: str, kind: FaultKind) -> None:
    with pytest.raises(ModelFault) as fault:
        message(START, {"type": "error", "error": {"type": error_type, "message": "sk-ant-x"}})
    assert fault.value.kind is kind
    assert not fault.value.is_free
    assert "sk-ant" not in str(fault.value)


def test_parsed_json_can_always_be_written_again() -> None:
    assert parse_json('{"a\\ud800": ["\\udfff", 1]}') == {"a?": ["?", 1]}
    deep = "[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2)
    for odd in ("NaN", "[1e", "[" * 100_000, deep, "-Infinity"):
        with pytest.raises(ValueError, match=r".+"):
            parse_json(odd)


COMPLETE: dict[str, Any] = START["message"] | {"stop_reason": "end_turn"}


def test_cache_writes_of_unknown_lifetime_count_at_the_higher_price() -> None:
    usage = {"cache_creation_input_tokens": 30, "cache_read_input_tokens": 7} | USAGE
    assert reply_of(COMPLETE | {"usage": usage}).usage == Usage(5, 1, 7, 0, 30)
    by_ttl = {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 10}
    assert reply_of(COMPLETE | {"usage": usage | {"cache_creation": by_ttl}}).usage == Usage(
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
        {"usage": USAGE | {"output_tokens": True}},
        *({"usage": USAGE | {"input_tokens": each}} for each in (2**53 + 1, 2**63, -1, 1.5, True)),
        {"usage": 3},
        {"diagnostics": {"cache_miss_reason": {"type": 3}}},
    ],
)
def test_a_malformed_message_is_a_fault(change: dict[str, Any]) -> None:
    with fails_as(FaultKind.MALFORMED):
        reply_of(COMPLETE | change)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = ("type", "index", "delta", "message", "content_block", "usage", "error", "text")
EVENTS = st.dictionaries(
    st.sampled_from(NAMES),
    JSON | st.sampled_from([each["type"] for each in (START, END, STOP, *texts("x"))]),
)


@given(st.lists(EVENTS, max_size=4), st.integers(0, 5))
def test_any_events_give_a_message_or_a_fault(odd: list[dict[str, Any]], at: int) -> None:
    events = [START, *texts("go"), END, STOP]
    with suppress(ModelFault):
        reply_of(message(*events[:at], *odd, *events[at:]))


SECRET = "sk-ant-api03-Zz9qwErtYuiop0123456789asDFgh"
MASK = Mask([SECRET])


@pytest.mark.parametrize(
    "change",
    [
        {"id": SECRET},
        {"model": SECRET},
        {"role": SECRET},
        {"stop_reason": SECRET.lower()},
        {"diagnostics": {"cache_miss_reason": {"type": SECRET}}},
        {"context_management": {SECRET: [SECRET]}},
        {"content": [{"type": "text", "text": ".".join(SECRET)}]},
        {"content": [CALL | {"input": {SECRET: SECRET[::-1]}}]},
        {"content": [CALL | {"id": SECRET, "name": SECRET}]},
    ],
    ids=str,
)
def test_a_key_in_a_message_is_masked_wherever_it_is(change: dict[str, Any]) -> None:
    clean = without_secrets(COMPLETE | change, MASK)
    assert MASK(json.dumps(clean)) == json.dumps(clean)
    assert "[secret]" in json.dumps(clean)
    reply_of(clean)


@pytest.mark.parametrize(
    "blocks",
    [
        [{"type": "text", "text": SECRET[at : at + 9]} for at in range(0, len(SECRET), 9)],
        [{"type": "thinking", "thinking": f"it is {SECRET}", "signature": "s"}],
        [{"type": "thinking", "thinking": "", "signature": SECRET}],
        [{"type": "redacted_thinking", "data": SECRET}],
    ],
    ids=["spread over texts", "thinking", "signature", "redacted thinking"],
)
def test_a_message_with_a_key_that_cannot_be_masked_is_a_fault(blocks: list[Any]) -> None:
    with fails_as(FaultKind.MALFORMED):
        without_secrets(COMPLETE | {"content": blocks}, MASK)


@pytest.mark.parametrize(
    "answer",
    [
        head(status=b"401 No", kind=KEY.upper().encode(), length=0),
        head(kind=KEY.upper().encode(), length=0),
        head(status=b"400 No", kind=b"application/json")
        + json.dumps({"error": {"message": f"{' '.join(KEY)} {KEY.encode().hex()}"}}).encode(),
    ],
    ids=["refusal", "type", "message"],
)
def test_a_key_in_a_refusal_is_masked(answer: bytes) -> None:
    with (
        RawServer(lambda _path: iter([answer])) as server,
        closing(Claude(5, patience=PATIENCE, base_url=server.url)) as claude,
        pytest.raises(ModelFault) as fault,
    ):
        claude.complete(ASKED)
    assert Mask([KEY])(str(fault.value)) == str(fault.value)
