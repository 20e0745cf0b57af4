"""What the server charges for, and why it says that the cache was missed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import anthropic
import pytest
from anthropic.types import Usage

from tests.agent.claude_support import FORMAT, LOOK, SCHEMA, client_of, request
from tests.fake_service import FakeClaude

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


def test_a_marked_prefix_is_written_once_and_then_read() -> None:
    with timed() as (_, client):
        first = charged(client, system=[marked(RULES)])
        second = charged(client, system=[marked(RULES)])
    assert first.cache_creation_input_tokens == second.cache_read_input_tokens
    assert first.cache_read_input_tokens == second.cache_creation_input_tokens == 0
    assert first.input_tokens == second.input_tokens < 20
    assert total(first) == total(second)


def test_what_is_written_is_told_by_how_long_it_is_kept() -> None:
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


def test_a_short_prefix_is_never_kept() -> None:
    system = [marked("Be brief.")]
    with timed() as (_, client):
        charged(client, system=system)
        assert charged(client, system=system).cache_read_input_tokens == 0
        assert charged(client, system=system).cache_creation_input_tokens == 0


def test_what_changed_is_read_anew_and_what_stands_before_it_is_not() -> None:
    with timed() as (_, client):
        first = charged(client, system=[marked(RULES), marked(NEWS)])
        second = charged(client, system=[marked(RULES), marked(NEWS.upper())])
    assert 0 < (second.cache_read_input_tokens or 0) < (first.cache_creation_input_tokens or 0)
    assert total(first) == total(second)


def test_a_conversation_that_grows_reads_what_it_was() -> None:
    with timed() as (_, client):
        messages: list[dict[str, Any]] = [{"role": "user", "content": [marked(RULES)]}]
        written = charged(client, messages=messages).cache_creation_input_tokens
        messages[0]["content"][0].pop("cache_control")
        messages += [
            {"role": "assistant", "content": "I see."},
            {"role": "user", "content": [marked("And now?")]},
        ]
        assert charged(client, messages=messages).cache_read_input_tokens == written


def test_a_prefix_is_not_found_more_than_twenty_blocks_back() -> None:
    many = [{"type": "text", "text": f"block {each}"} for each in range(21)]
    with timed() as (_, client):
        charged(client, system=[marked(RULES)])
        usage = charged(client, system=[{"type": "text", "text": RULES}, *many, marked("end")])
        assert usage.cache_read_input_tokens == 0
        usage = charged(client, system=[{"type": "text", "text": RULES}, *many[:18], marked("end")])
        assert usage.cache_read_input_tokens


def test_a_mark_for_the_whole_request_is_one_on_its_last_block() -> None:
    mark = {"type": "ephemeral"}
    with timed() as (_, client):
        charged(client, system=RULES, cache_control=mark)
        assert charged(client, system=RULES, cache_control=mark).cache_read_input_tokens


def test_another_schema_voids_what_stands_after_the_tools() -> None:
    other = {"format": {"type": "json_schema", "schema": SCHEMA | {"description": "other"}}}
    with timed() as (_, client):
        charged(client, system=[marked(RULES)], output_config=FORMAT)
        assert charged(client, system=[marked(RULES)], output_config=FORMAT).cache_read_input_tokens
        assert (
            charged(client, system=[marked(RULES)], output_config=other).cache_read_input_tokens
            == 0
        )


BASE: Final[dict[str, Any]] = {
    "system": [marked(RULES)],
    "tools": [LOOK],
    "tool_choice": {"type": "none"},  # a call would have to be answered
}
CHANGES: Final[dict[str, dict[str, Any]]] = {
    "model_changed": {"model": "claude-opus-5"},
    "tools_changed": {"tools": [LOOK | {"description": "Look."}]},
    "system_changed": {"system": [marked(RULES.upper())]},
    "messages_changed": {"messages": [{"role": "user", "content": "goodbye"}]},
    "unavailable": {"tool_choice": {"type": "auto"}},
}


@pytest.mark.parametrize("reason", CHANGES)
def test_it_says_why_the_cache_was_missed(reason: str) -> None:
    with timed() as (_, client):
        first = client.messages.create(**request() | BASE)
        asked = request() | BASE | CHANGES[reason]
        second = client.messages.create(**asked, diagnostics={"previous_message_id": first.id})
    assert second.diagnostics is not None
    assert second.diagnostics.cache_miss_reason is not None
    assert second.diagnostics.cache_miss_reason.type == reason
    missed = getattr(second.diagnostics.cache_miss_reason, "cache_missed_input_tokens", 0)
    # Only what stands before the change can be read again.
    assert (missed > 1_024) == (reason in {"model_changed", "tools_changed", "system_changed"})


def test_it_says_nothing_where_nothing_was_missed() -> None:
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
