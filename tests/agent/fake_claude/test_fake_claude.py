"""The stand-in server: its endpoints through the real SDK, made-up answers, and the prompt cache."""

import json
import random
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import anthropic
import pytest
from anthropic.types import Usage
from hypothesis import given
from hypothesis import strategies as st

from agent.fake_claude.answers import ParsedRequest, any_value
from tests.agent.fake_claude.claude_support import (
    FORMAT,
    LOOK,
    MODEL,
    QUESTION,
    SCHEMA,
    client_of,
    request,
    served,
)
from tests.agent.fake_claude.schema_check import fits
from tests.fake_service import FakeClaude
from tests.fake_service.prompt_cache import PICTURE, tokens_of_block


def posted(body: bytes, *, path: bytes = b"/v1/messages", length: bytes | None = None) -> bytes:
    """Return the bytes of a request."""
    size = b"%d" % len(body) if length is None else length
    headers = b"x-api-key: k\r\nanthropic-version: 1\r\ncontent-length: " + size
    return b"POST " + path + b" HTTP/1.1\r\n" + headers + b"\r\n\r\n" + body


@contextmanager
def raw_connection(server: FakeClaude) -> Iterator[socket.socket]:
    """Yield a connection to `server`."""
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
        yield connection


def test_a_reply_is_complete_and_states_that_no_model_wrote_it() -> None:
    with served() as (server, client):
        reply = client.messages.create(**request())
    assert reply.content[0].type == "text"
    assert reply.content[0].text == "[fake-claude: no model] You said: hello"
    assert reply.model == f"fake-claude:{MODEL}"
    assert reply.stop_reason == "end_turn"
    assert reply.usage.input_tokens > 0
    assert server.counts.tokens["input"] == reply.usage.input_tokens
    assert server.counts.tokens["output"] == reply.usage.output_tokens
    assert server.counts.calls == {"POST /v1/messages": 1}


def test_a_stream_has_the_same_message_and_the_event_order_of_the_service() -> None:
    with served() as (_, client):
        message = client.messages.create(**request())
        raw = [each.type for each in client.messages.create(**request(), stream=True)]
        with client.messages.stream(**request()) as stream:
            text = "".join(stream.text_stream)
            final = stream.get_final_message()
    assert raw == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert message.content[0].type == "text"
    assert text == message.content[0].text
    assert final.stop_reason == "end_turn"
    assert final.usage == message.usage


def test_some_answers_begin_with_a_tool_call() -> None:
    asked = [request(f"{QUESTION}\nTick: {each}", tools=[LOOK]) for each in range(20)]
    with served() as (_, client):
        blocks = [client.messages.create(**each).content[0] for each in asked]
    calls = [each for each in blocks if each.type == "tool_use"]
    assert 0 < len(calls) < 20
    assert all(fits(each.input, LOOK["input_schema"]) for each in calls)


def test_an_answer_follows_the_schema_and_uses_listed_names() -> None:
    with served() as (_, client):
        for number in range(20):
            asked = request(f"{QUESTION}\nTick: {number}", output_config=FORMAT)
            reply = client.messages.create(**asked)
            assert reply.content[0].type == "text"
            answer = json.loads(reply.content[0].text)
            assert fits(answer, SCHEMA)
            assert set(answer["goals"]) <= {"first_badge", "healed"}
            assert 0.0 <= answer["confidence"] <= 1.0


def test_answers_depend_on_the_request_and_the_seed() -> None:
    def answers(seed: int) -> list[Any]:
        with FakeClaude(seed=seed) as server, client_of(server) as client:
            asked = [request(f"{QUESTION}{each}", output_config=FORMAT) for each in range(8)]
            return [client.messages.create(**each).content for each in asked]

    assert answers(0) == answers(0)
    assert answers(0) != answers(1)


def test_a_repair_request_keeps_the_purpose_of_the_question() -> None:
    messages = [
        {"role": "user", "content": QUESTION.replace("stuck", "routine")},
        {"role": "assistant", "content": "Go on."},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "I would go west."},
        {"role": "user", "content": "That is not a JSON object. Answer again."},
    ]
    ask = ParsedRequest({**request(), "messages": messages, "output_config": FORMAT})
    assert ask.purpose == "stuck"
    assert ask.rounds == 0
    assert ask.user.count("go:lab") == 1
    assert ask.user.endswith("Answer again.")


def test_observations_have_the_requested_format() -> None:
    system = "Answer with <observations>, <current-task> and <suggested-response>."
    walk = "\n".join(f"The team walked to town number {each} and rested." for each in range(40))
    with served() as (_, client):
        observed = client.messages.create(**request(walk, system=system)).content[0]
        assert observed.type == "text"
        again = request(observed.text, system=f"Reflect. {system}")
        reflected = client.messages.create(**again).content[0]
    assert reflected.type == "text"
    for text in (observed.text, reflected.text):
        assert text.startswith("<observations>\n* 🔴 The team walked")
        assert "<current-task>" in text
    assert len(reflected.text) < len(observed.text) < len(walk)


def test_a_model_reports_its_limits_and_lifecycle() -> None:
    with served() as (_, client):
        model = client.models.retrieve("claude-haiku-4-5")
        with pytest.raises(anthropic.NotFoundError):
            client.models.retrieve("claude-1")
    assert model.max_input_tokens == 200_000
    assert model.max_tokens == 64_000
    assert model.lifecycle == "active"
    assert model.capabilities is not None
    assert model.capabilities.structured_outputs.supported


def test_a_long_answer_is_cut_at_max_tokens() -> None:
    with served() as (_, client):
        reply = client.messages.create(**request("word " * 100, max_tokens=20))
        warmed = client.messages.create(**request("word", max_tokens=0))
    assert reply.stop_reason == "max_tokens"
    assert reply.usage.output_tokens <= 20
    assert (warmed.stop_reason, warmed.content) == ("max_tokens", [])


def test_a_recorded_request_shows_only_that_a_key_was_present() -> None:
    with served() as (server, client):
        client.messages.create(**request())
    assert "present" in server.requests[0].headers.values()
    assert "secret-key" not in repr(server.requests)


def test_other_endpoints_and_too_large_requests_are_refused() -> None:
    with served() as (server, client):
        with pytest.raises(anthropic.NotFoundError, match="not served here"):
            client.messages.batches.list()
        large = urllib.request.Request(
            f"{server.url}/v1/messages", b"", {"content-length": "40000000"}, method="POST"
        )
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(large, timeout=5)
    with refused.value as reply:
        assert (reply.code, json.load(reply)["error"]["type"]) == (413, "request_too_large")


def test_the_server_listens_on_loopback_and_states_that_it_is_no_model() -> None:
    with FakeClaude() as server:
        assert server.url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{server.url}/", timeout=5) as page:
            assert "no model" in page.read().decode()
            assert "no model" in page.headers["x-fake-claude"]


def test_two_servers_cannot_share_a_port() -> None:
    with FakeClaude() as server:
        port = int(server.url.rpartition(":")[2])
        with pytest.raises(OSError, match="in use"):
            FakeClaude(port=port)


def test_concurrent_requests_are_all_answered() -> None:
    replies: list[str] = []

    def ask(client: anthropic.Anthropic, number: int) -> None:
        replies.append(client.messages.create(**request(f"number {number}")).id)

    with served() as (server, client):
        threads = [threading.Thread(target=ask, args=(client, each)) for each in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(set(replies)) == len(server.requests) == 12


NAMES = st.sampled_from(["goals", "note", "when", "who"])
LEAVES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.sampled_from(["string", "integer", "number", "boolean", "null", ["null", "string"]]).map(
        lambda kind: {"type": kind}
    ),
    st.lists(st.integers() | st.text(), min_size=1, max_size=4).map(lambda each: {"enum": each}),
)


def _wider(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    objects = st.dictionaries(NAMES, inner).map(
        lambda parts: {
            "type": "object",
            "properties": parts,
            "required": list(parts),
            "additionalProperties": False,
        }
    )
    return objects | inner.map(lambda items: {"type": "array", "items": items})


@given(st.recursive(LEAVES, _wider, max_leaves=6), st.integers())
def test_a_made_up_value_fits_its_schema(schema: dict[str, Any], seed: int) -> None:
    made = any_value(schema, random.Random(seed))
    assert fits(made, schema)
    assert made == any_value(schema, random.Random(seed))


def test_an_array_without_items_or_with_an_empty_enum_gets_a_value() -> None:
    assert any_value({"type": "array"}, random.Random(0))
    assert any_value({"type": "array", "items": {"enum": []}}, random.Random(0))


def test_a_cache_mark_adds_no_tokens() -> None:
    tool = {"name": "look", "input_schema": {"type": "object"}}
    assert tokens_of_block(tool) == tokens_of_block(tool | {"cache_control": {"type": "ephemeral"}})


def test_a_picture_of_any_size_has_the_same_tokens() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "x" * 90_000}}
    alone = tokens_of_block(picture)
    assert PICTURE <= alone < PICTURE + 10
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [picture]}
    assert PICTURE < tokens_of_block(result) < PICTURE + 20
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "What?"}]
    with served() as (_, client):
        reply = client.messages.create(
            **request() | {"messages": [{"role": "user", "content": content}]}
        )
    assert reply.usage.input_tokens > PICTURE


RULES: Final = "Rules of some length. " * 300  # over 1,024 tokens
NEWS: Final = "What was observed so far. " * 300


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def timed() -> Iterator[tuple[Clock, anthropic.Anthropic]]:
    clock = Clock()
    with FakeClaude(clock=clock) as server, client_of(server) as client:
        yield clock, client


def marked(text: str, ttl: str = "5m") -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral", "ttl": ttl}}


def charged(client: anthropic.Anthropic, **more: object) -> Usage:
    reply: anthropic.types.Message = client.messages.create(**request() | more)
    return reply.usage


def total(usage: Usage) -> int:
    read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return usage.input_tokens + read + written


def test_a_marked_prefix_is_written_once_and_then_read_unless_it_is_short() -> None:
    with timed() as (_, client):
        first = charged(client, system=[marked(RULES)])
        second = charged(client, system=[marked(RULES)])
        for _ in range(2):
            short = charged(client, system=[marked("Be brief.")])
            assert short.cache_read_input_tokens == short.cache_creation_input_tokens == 0
    assert first.cache_creation_input_tokens == second.cache_read_input_tokens
    assert first.cache_read_input_tokens == second.cache_creation_input_tokens == 0
    assert first.input_tokens == second.input_tokens < 20
    assert total(first) == total(second)


def test_cache_writes_are_reported_by_lifetime() -> None:
    with timed() as (_, client):
        usage = charged(client, system=[marked(RULES, "1h"), marked(NEWS)])
    assert usage.cache_creation is not None
    assert usage.cache_creation.ephemeral_1h_input_tokens > 1_024
    assert usage.cache_creation.ephemeral_5m_input_tokens > 1_024
    assert usage.cache_creation_input_tokens == (
        usage.cache_creation.ephemeral_1h_input_tokens
        + usage.cache_creation.ephemeral_5m_input_tokens
    )


@pytest.mark.parametrize(("ttl", "seconds"), [("5m", 300.0), ("1h", 3_600.0)])
def test_a_prefix_expires_unless_it_is_read(ttl: str, seconds: float) -> None:
    system = [marked(RULES, ttl)]
    with timed() as (clock, client):
        charged(client, system=system)
        clock.now += seconds - 1
        assert charged(client, system=system).cache_read_input_tokens
        clock.now += seconds - 1
        assert charged(client, system=system).cache_read_input_tokens
        clock.now += seconds
        assert charged(client, system=system).cache_read_input_tokens == 0


def test_only_the_prompt_before_a_change_is_read_from_the_cache() -> None:
    with timed() as (_, client):
        first = charged(client, system=[marked(RULES), marked(NEWS)])
        second = charged(client, system=[marked(RULES), marked(NEWS.upper())])
    assert 0 < (second.cache_read_input_tokens or 0) < (first.cache_creation_input_tokens or 0)
    assert total(first) == total(second)


def test_a_growing_conversation_reads_its_earlier_part_from_the_cache() -> None:
    with timed() as (_, client):
        messages: list[dict[str, Any]] = [{"role": "user", "content": [marked(RULES)]}]
        written = charged(client, messages=messages).cache_creation_input_tokens
        messages[0]["content"][0].pop("cache_control")
        messages += [
            {"role": "assistant", "content": "I see."},
            {"role": "user", "content": [marked("And now?")]},
        ]
        assert charged(client, messages=messages).cache_read_input_tokens == written


def test_a_prefix_more_than_twenty_blocks_back_is_not_found() -> None:
    many = [{"type": "text", "text": f"block {each}"} for each in range(21)]
    with timed() as (_, client):
        charged(client, system=[marked(RULES)])
        usage = charged(client, system=[{"type": "text", "text": RULES}, *many, marked("end")])
        assert usage.cache_read_input_tokens == 0
        usage = charged(client, system=[{"type": "text", "text": RULES}, *many[:18], marked("end")])
        assert usage.cache_read_input_tokens


def test_another_schema_invalidates_the_cache_after_the_tools() -> None:
    kept = {"system": [marked(RULES)], "output_config": FORMAT}
    other = {"format": {"type": "json_schema", "schema": SCHEMA | {"description": "other"}}}
    with timed() as (_, client):
        charged(client, **kept)
        assert charged(client, **kept).cache_read_input_tokens
        assert charged(client, **kept | {"output_config": other}).cache_read_input_tokens == 0


BASE: Final[dict[str, Any]] = {
    "system": [marked(RULES)],
    "tools": [LOOK],
    "tool_choice": {"type": "none"},  # a tool call would need an answer
}
CHANGES: Final[dict[str, dict[str, Any]]] = {
    "model_changed": {"model": "claude-opus-5"},
    "tools_changed": {"tools": [LOOK | {"description": "Look."}]},
    "system_changed": {"system": [marked(RULES.upper())]},
    "messages_changed": {"messages": [{"role": "user", "content": "goodbye"}]},
    "unavailable": {"tool_choice": {"type": "auto"}},
}


@pytest.mark.parametrize("reason", CHANGES)
def test_diagnostics_give_the_reason_of_a_cache_miss(reason: str) -> None:
    with timed() as (_, client):
        first = client.messages.create(**request() | BASE)
        asked = request() | BASE | CHANGES[reason]
        second = client.messages.create(**asked, diagnostics={"previous_message_id": first.id})
    assert second.diagnostics is not None
    assert second.diagnostics.cache_miss_reason is not None
    assert second.diagnostics.cache_miss_reason.type == reason
    missed = getattr(second.diagnostics.cache_miss_reason, "cache_missed_input_tokens", 0)
    # Only the part before the change can be read again.
    assert (missed > 1_024) == (reason in {"model_changed", "tools_changed", "system_changed"})


def test_diagnostics_are_empty_without_a_cache_miss() -> None:
    with timed() as (_, client):
        first = client.messages.create(**request() | BASE, diagnostics={})
        assert first.diagnostics is None
        more = [*request()["messages"], first.to_param(), {"role": "user", "content": "and?"}]
        asked = request() | BASE | {"messages": more}
        second = client.messages.create(**asked, diagnostics={"previous_message_id": first.id})
        assert second.diagnostics is None
        strange = client.messages.create(**asked, diagnostics={"previous_message_id": "msg_0"})
    assert strange.diagnostics is not None
    assert strange.diagnostics.cache_miss_reason is not None
    assert strange.diagnostics.cache_miss_reason.type == "previous_message_not_found"


BODY: Final = json.dumps(request()).encode()


@pytest.mark.parametrize(
    "sent",
    [
        posted(b"[" * 100_000),
        posted(b'{"a":' * 100_000),
        posted(BODY.replace(b"hello", b"\\ud800")),
        posted(b"\xff" + BODY),
        posted(BODY.replace(b'"hello"', b"7")),
        posted(b'{"model": 1e400, "messages": 7, "max_tokens": 9}'),
        posted(BODY, path=b"http://["),
        posted(BODY, length=b"-1"),
        posted(BODY, length=b"abc"),
        posted(BODY, length=b"\xb2"),
        b"GET http://[ HTTP/1.1\r\n\r\n",
    ],
    ids=lambda sent: str(sent[:40]),
)
def test_a_request_that_is_not_valid_is_refused(
    sent: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeClaude() as server, raw_connection(server) as connection:
        connection.sendall(sent)
        assert connection.recv(64).startswith((b"HTTP/1.1 400", b"HTTP/1.1 401", b"HTTP/1.1 404"))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("length", [b"32000001", b"9" * 5_000])
def test_a_request_of_many_bytes_is_refused_and_not_read(length: bytes) -> None:
    with FakeClaude() as server, raw_connection(server) as connection:
        connection.sendall(posted(b"", length=length))
        assert connection.recv(64).startswith(b"HTTP/1.1 413")


ADAPTIVE: Final[dict[str, Any]] = {"model": "claude-sonnet-5-5", "max_tokens": 4_000}
ADAPTIVE["thinking"] = {"type": "adaptive"}


def test_a_model_of_today_thinks_by_default_and_bills_it() -> None:
    asked = request(model="claude-sonnet-5-5", max_tokens=4_000)
    del asked["thinking"]
    with served() as (_, client):
        thought, said = client.messages.create(**asked).content
        sober = client.messages.create(**asked, extra_body={"thinking": {"type": "between_tools"}})
        reply = client.messages.create(**asked | {"max_tokens": 300})
    assert (thought.type, said.type) == ("thinking", "text")
    assert [each.type for each in sober.content] == ["text"]
    assert reply.stop_reason == "max_tokens"
    assert [each.type for each in reply.content] == ["thinking"]
    assert reply.usage.output_tokens == 300
    assert reply.usage.output_tokens_details is not None
    assert reply.usage.output_tokens_details.thinking_tokens == 300


def test_tokens_are_counted_and_charged_alike_also_of_thinking_that_is_sent_back() -> None:
    def counted(asked: dict[str, Any]) -> int:
        bare = {name: each for name, each in asked.items() if name != "max_tokens"}
        found = client.messages.count_tokens(**bare).input_tokens
        assert found == client.messages.create(**asked).usage.input_tokens
        return found

    with served() as (_, client):
        first = client.messages.create(**request(**ADAPTIVE))
        more = [*request()["messages"], first.to_param(), {"role": "user", "content": "and?"}]
        with_thinking = counted(request(**ADAPTIVE) | {"messages": more})
        more[1] = {"role": "assistant", "content": [first.to_param()["content"][-1]]}
        without = counted(request(**ADAPTIVE) | {"messages": more})
        counted(request(system="Be brief.", tools=[LOOK]))
    details = first.usage.output_tokens_details
    assert details is not None
    assert with_thinking - without >= details.thinking_tokens


@pytest.mark.parametrize(
    "change",
    [
        {"messages": [{"role": "user", "content": "goodbye"}]},
        {"system": "Be brief."},
        {"tools": [LOOK]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_changed_beginning_before_a_thinking_block_is_refused(change: dict[str, Any]) -> None:
    with served() as (_, client):
        asked = request(**ADAPTIVE)
        first = client.messages.create(**asked)
        changed = asked | change
        more = [*changed["messages"], first.to_param(), {"role": "user", "content": "and?"}]
        with pytest.raises(anthropic.BadRequestError, match="bound to a different conversation"):
            client.messages.create(**changed | {"messages": more})
        older = changed | {"messages": more, "model": "claude-sonnet-5"}
        assert client.messages.create(**older).content
