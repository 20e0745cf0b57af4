"""Each fault, as the real SDK sees it."""

import json
import math
from collections import Counter
from contextlib import closing
from itertools import islice
from typing import Any, Final

import anthropic
import httpx2
import pytest

from tests.agent.claude_support import (
    FORMAT,
    LOOK,
    QUESTION,
    SCHEMA,
    broken,
    client_of,
    request,
    served,
)
from tests.agent.schema_check import fits
from tests.fake_service import FakeClaude, FaultSpread, ServiceFaultKind, ServiceScenario
from tests.fake_service.faults import INJECTION

ASKED: Final = request(QUESTION, output_config=FORMAT)

STATUSES: Final = {
    ServiceFaultKind.RATE_LIMIT: (anthropic.RateLimitError, 429, "rate_limit_error"),
    ServiceFaultKind.OVERLOADED: (anthropic.OverloadedError, 529, "overloaded_error"),
    ServiceFaultKind.SERVER_ERROR: (anthropic.InternalServerError, 500, "api_error"),
    ServiceFaultKind.BAD_GATEWAY: (anthropic.InternalServerError, 502, None),
    ServiceFaultKind.UNAVAILABLE: (anthropic.ServiceUnavailableError, 503, "api_error"),
    ServiceFaultKind.GATEWAY_TIMEOUT: (anthropic.GatewayTimeoutError, 504, "timeout_error"),
}


def streamed(client: anthropic.Anthropic, asked: dict[str, Any] = ASKED) -> anthropic.types.Message:
    with client.messages.stream(**asked) as stream:
        return stream.get_final_message()


def text_of(reply: anthropic.types.Message) -> str:
    return "".join(block.text for block in reply.content if block.type == "text")


@pytest.mark.parametrize("kind", STATUSES)
def test_a_status_is_the_error_that_the_sdk_has_for_it(kind: ServiceFaultKind) -> None:
    error, status, name = STATUSES[kind]
    with broken(kind) as (server, client):
        for ask in (lambda: client.messages.create(**ASKED), lambda: streamed(client)):
            with pytest.raises(error) as raised:
                ask()
            assert isinstance(raised.value, anthropic.APIStatusError)
            assert (raised.value.status_code, raised.value.type) == (status, name)
            assert raised.value.request_id
        assert server.faults == {kind.value: 2}
        assert not server.counts.tokens


def test_a_rate_limit_says_when_to_come_back() -> None:
    toml = '[[fault]]\nkind = "rate_limit"\nturns = [1]\nretry_after_ms = 1200'
    with served(toml) as (_, client):
        with pytest.raises(anthropic.RateLimitError) as raised:
            client.messages.create(**ASKED)
        assert raised.value.response.headers["retry-after"] == "2"
        assert raised.value.response.headers["retry-after-ms"] == "1200"
        assert client.messages.create(**ASKED).stop_reason


def test_an_answer_that_never_comes_times_out() -> None:
    with broken(ServiceFaultKind.TIMEOUT, timeout=0.1) as (_, client):
        with pytest.raises(anthropic.APITimeoutError):
            client.messages.create(**ASKED)
        with pytest.raises(anthropic.APITimeoutError):
            streamed(client)


def test_an_answer_may_come_late() -> None:
    with broken(ServiceFaultKind.LATE, ms=20) as (_, client):
        assert client.messages.create(**ASKED).stop_reason
    with (
        broken(ServiceFaultKind.LATE, timeout=0.05, ms=60_000) as (_, client),
        pytest.raises(anthropic.APITimeoutError),
    ):
        client.messages.create(**ASKED)


def test_nobody_listens_for_a_while_and_then_again() -> None:
    with broken(ServiceFaultKind.REFUSED, ms=60_000) as (server, client):
        with pytest.raises(anthropic.APIConnectionError):
            client.messages.create(**ASKED)
        with pytest.raises(anthropic.APIConnectionError) as raised:
            client.messages.create(**ASKED)
        assert isinstance(raised.value.__cause__, httpx2.ConnectError)
        assert len(server.requests) == 1
    with served() as (server, client):
        with server.refusing(), pytest.raises(anthropic.APIConnectionError):
            client.messages.create(**ASKED)
        assert client.messages.create(**ASKED).stop_reason


def test_a_door_that_closed_opens_by_itself() -> None:
    toml = '[[fault]]\nkind = "refused"\nturns = [1]\nms = 1'
    with served(toml) as (_, client):
        with pytest.raises(anthropic.APIConnectionError):
            client.messages.create(**ASKED)
        assert _patiently(client).stop_reason


def _patiently(client: anthropic.Anthropic) -> anthropic.types.Message:
    """Ask until somebody listens, which is a millisecond away."""
    while True:
        try:
            reply: anthropic.types.Message = client.messages.create(**ASKED)
        except anthropic.APIConnectionError:
            continue
        return reply


def test_a_connection_is_reset_before_an_answer() -> None:
    with broken(ServiceFaultKind.RESET) as (_, client):
        with pytest.raises(anthropic.APIConnectionError):
            client.messages.create(**ASKED)
        with pytest.raises(anthropic.APIConnectionError):
            streamed(client)


def test_a_connection_breaks_off_in_the_middle_of_an_answer() -> None:
    with broken(ServiceFaultKind.CUT) as (_, client):
        with pytest.raises(anthropic.APIConnectionError):
            client.messages.create(**ASKED)
        with pytest.raises(httpx2.RemoteProtocolError):  # the SDK lets it through
            streamed(client)


@pytest.mark.parametrize("kind", [ServiceFaultKind.HALF_STREAM, ServiceFaultKind.HALF_JSON])
def test_half_an_answer_ends_in_order_and_is_none(kind: ServiceFaultKind) -> None:
    with broken(kind) as (_, client):
        with pytest.raises(json.JSONDecodeError):
            client.messages.create(**ASKED)
        raw = [each.type for each in client.messages.create(**ASKED, stream=True)]
        assert "message_stop" not in raw
        # The SDK notices nothing: only the reason to stop is missing.
        assert streamed(client).stop_reason is None


def test_an_error_arrives_in_the_stream() -> None:
    with broken(ServiceFaultKind.ERROR_EVENT) as (_, client):
        with pytest.raises(anthropic.InternalServerError):
            client.messages.create(**ASKED)
        with pytest.raises(anthropic.APIStatusError) as raised:
            streamed(client)
    assert (raised.value.status_code, raised.value.type) == (200, "overloaded_error")


def test_a_drip_never_ends() -> None:
    with broken(ServiceFaultKind.DRIP, ms=1) as (_, client):
        with closing(client.messages.create(**ASKED, stream=True)) as stream:
            assert len(list(islice(stream, 30))) == 30
        with client.messages.with_streaming_response.create(**ASKED) as reply:
            assert len(list(islice(reply.iter_bytes(), 30))) == 30


def test_a_flood_is_fifty_megabytes() -> None:
    with (
        broken(ServiceFaultKind.FLOOD) as (_, client),
        client.messages.with_streaming_response.create(**ASKED) as reply,
    ):
        assert sum(map(len, reply.iter_bytes())) > 49_000_000


def test_a_flood_of_events_can_be_left() -> None:
    with (
        broken(ServiceFaultKind.FLOOD) as (_, client),
        closing(client.messages.create(**ASKED, stream=True)) as stream,
    ):
        deltas = [each for each in islice(stream, 10) if each.type == "content_block_delta"]
    assert len(deltas) == 8
    assert all(each.delta.type == "text_delta" for each in deltas)


def test_what_arrives_may_be_no_json() -> None:
    with broken(ServiceFaultKind.INVALID_JSON) as (_, client):
        with pytest.raises(json.JSONDecodeError):
            client.messages.create(**ASKED)
        with pytest.raises(json.JSONDecodeError):
            streamed(client)


def test_what_arrives_may_be_no_message() -> None:
    with broken(ServiceFaultKind.WRONG_SHAPE) as (_, client):
        reply = client.messages.create(**ASKED)  # the SDK checks nothing
        assert getattr(reply, "content", None) is None
        with pytest.raises(IndexError):
            streamed(client)


def test_what_arrives_may_be_a_web_page() -> None:
    with broken(ServiceFaultKind.WRONG_TYPE) as (_, client):
        page: object = client.messages.create(**ASKED)
        assert isinstance(page, str)
        with pytest.raises(AssertionError):
            streamed(client)


STOPS: Final = {
    ServiceFaultKind.REFUSAL: "refusal",
    ServiceFaultKind.MAX_TOKENS: "max_tokens",
    ServiceFaultKind.STOP_SEQUENCE: "stop_sequence",
    ServiceFaultKind.PAUSE_TURN: "pause_turn",
    ServiceFaultKind.CONTEXT_EXCEEDED: "model_context_window_exceeded",
}


@pytest.mark.parametrize("kind", STOPS)
def test_a_message_stops_for_a_reason(kind: ServiceFaultKind) -> None:
    with broken(kind) as (_, client):
        for reply in (client.messages.create(**ASKED), streamed(client)):
            assert reply.stop_reason == STOPS[kind]
            assert (reply.stop_details is not None) == (kind is ServiceFaultKind.REFUSAL)
            with pytest.raises(json.JSONDecodeError):
                json.loads(text_of(reply))


def test_what_was_paused_may_be_given_back_as_it_was() -> None:
    with served('[[fault]]\nkind = "pause_turn"\nturns = [1]') as (_, client):
        paused = client.messages.create(**request())
        messages = [*request()["messages"], paused.to_param()]
        assert (
            client.messages.create(**request() | {"messages": messages}).stop_reason == "end_turn"
        )


def test_a_tool_is_called_that_nobody_offers() -> None:
    with broken(ServiceFaultKind.UNKNOWN_TOOL) as (_, client):
        call = client.messages.create(**ASKED, tools=[LOOK]).content[0]
    assert call.type == "tool_use"
    assert call.name == "no_such_tool"
    with broken(ServiceFaultKind.BAD_TOOL_INPUT) as (_, client):  # where none is offered
        call = client.messages.create(**ASKED).content[0]
    assert call.type == "tool_use"
    assert call.name == "no_such_tool"


def test_a_tool_is_called_with_what_it_does_not_take() -> None:
    with broken(ServiceFaultKind.BAD_TOOL_INPUT) as (_, client):
        call = client.messages.create(**ASKED, tools=[LOOK]).content[0]
    assert call.type == "tool_use"
    assert call.name == "look"
    assert not fits(call.input, LOOK["input_schema"])


def test_an_answer_violates_its_schema() -> None:
    with broken(ServiceFaultKind.SCHEMA_VIOLATION) as (_, client):
        assert not fits(json.loads(text_of(client.messages.create(**ASKED))), SCHEMA)
    with broken(ServiceFaultKind.PROSE) as (_, client), pytest.raises(json.JSONDecodeError):
        json.loads(text_of(client.messages.create(**ASKED)))


def test_an_answer_names_what_nobody_offers() -> None:
    with broken(ServiceFaultKind.UNKNOWN_NAMES) as (_, client):
        answer = json.loads(text_of(client.messages.create(**ASKED)))
        assert text_of(client.messages.create(**request())).startswith("Sure!")
    assert answer["goals"][0] == "no_such_goals"


def test_an_answer_is_absurdly_sure() -> None:
    with broken(ServiceFaultKind.ABSURD_CONFIDENCE) as (_, client):
        for words in ("a", "b", "c", "d"):
            asked = ASKED | {"system": words}
            sure = json.loads(text_of(client.messages.create(**asked)))["confidence"]
            assert not (math.isfinite(sure) and 0 <= sure <= 1)


def test_an_answer_is_empty() -> None:
    with broken(ServiceFaultKind.EMPTY) as (_, client):
        assert client.messages.create(**ASKED).content == []
        assert streamed(client).content == []


def test_an_answer_gives_orders() -> None:
    with broken(ServiceFaultKind.INJECTION) as (_, client):
        assert json.loads(text_of(client.messages.create(**ASKED)))["note"] == INJECTION
        assert INJECTION in text_of(client.messages.create(**request()))


def test_an_answer_is_a_megabyte() -> None:
    with broken(ServiceFaultKind.HUGE) as (_, client):
        assert len(text_of(client.messages.create(**ASKED))) > 990_000
        assert len(text_of(streamed(client))) > 990_000


def test_other_endpoints_fail_where_that_is_wanted() -> None:
    toml = """
[[fault]]
kind = "overloaded"
at = "count_tokens"
turns = [1]

[[fault]]
kind = "reset"
at = "models"
turns = [1]
"""
    with served(toml) as (_, client):
        with pytest.raises(anthropic.OverloadedError):
            client.messages.count_tokens(model="claude-opus-5", messages=ASKED["messages"])
        with pytest.raises(anthropic.APIConnectionError):
            client.models.retrieve("claude-opus-5")
        client.messages.count_tokens(model="claude-opus-5", messages=ASKED["messages"])
        client.models.retrieve("claude-opus-5")


def test_a_share_of_faults_is_spread_over_every_kind() -> None:
    quick = tuple(kind for kind in ServiceFaultKind if kind in STATUSES or kind in STOPS)
    scenario = ServiceScenario(spread=FaultSpread(0.5, quick))
    with FakeClaude(scenario, seed=3) as server, client_of(server) as client:
        for _ in range(80):
            try:
                client.messages.create(**request())
            except anthropic.APIStatusError:
                continue
        faults = server.faults
    assert set(faults) == {kind.value for kind in quick}
    assert 25 <= faults.total() <= 55
    assert max(faults.values()) - min(faults.values()) <= 1


def test_the_same_seed_makes_the_same_faults() -> None:
    def faults(seed: int) -> Counter[str]:
        scenario = ServiceScenario(
            spread=FaultSpread(0.5, (ServiceFaultKind.EMPTY, ServiceFaultKind.REFUSAL))
        )
        with FakeClaude(scenario, seed=seed) as server, client_of(server) as client:
            return Counter(
                f"{turn} {client.messages.create(**request()).stop_reason}" for turn in range(12)
            )

    assert faults(1) == faults(1)
    assert faults(1) != faults(2)


def test_nothing_is_left_over_when_it_ends_in_the_middle_of_an_answer() -> None:
    with broken(ServiceFaultKind.DRIP, ms=60_000) as (_, client):
        stream = client.messages.create(**ASKED, stream=True)
        assert next(iter(stream)).type == "message_start"
    stream.close()
