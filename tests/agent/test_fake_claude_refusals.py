"""What the server refuses as the service does."""

import copy
import http.client
import json
from contextlib import suppress
from typing import Any, Final

import anthropic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.fake_claude.wire import RequestRefused
from tests.agent.claude_support import LOOK, SCHEMA, request, served
from tests.fake_service import FakeClaude, ServiceScenario
from tests.fake_service.server import ScriptedService

USE: Final = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
RESULT: Final = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a lake"}
NIGHT: Final = {"type": "text", "text": "It is night."}


def marked(ttl: str) -> dict[str, Any]:
    return {"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": ttl}}


def said(role: str, *blocks: object) -> dict[str, Any]:
    return {"role": role, "content": list(blocks) or "well"}


def schema(**more: object) -> dict[str, Any]:
    return {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA | more}}}


REFUSED: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "temperature": ({"extra_body": {"temperature": 0.0}}, "temperature: Extra inputs"),
    "too many tokens": ({"max_tokens": 1_000_000}, "maximum allowed number of output"),
    "fewer than none": ({"max_tokens": -1}, "max_tokens"),
    "no message": ({"messages": []}, "at least one message"),
    "assistant first": ({"messages": [said("assistant")]}, 'must use the "user" role'),
    "a strange role": ({"messages": [said("robot")]}, "role"),
    "no content": ({"messages": [{"role": "user", "content": ""}]}, "non-empty content"),
    "an empty text": (
        {"messages": [said("user", {"type": "text", "text": " "})]},
        "non-whitespace",
    ),
    "a call without its result": (
        {"messages": [said("user"), said("assistant", USE), said("user")]},
        "without `tool_result` blocks immediately after: toolu_1",
    ),
    "a call at the end": (
        {"messages": [said("user"), said("assistant", USE)]},
        "without `tool_result`",
    ),
    "a result without its call": (
        {"messages": [said("user"), said("assistant"), said("user", RESULT)]},
        "unexpected `tool_use_id`",
    ),
    "a result at the beginning": ({"messages": [said("user", RESULT)]}, "unexpected `tool_use_id`"),
    "five marks": ({"system": [marked("5m")] * 5}, "maximum of 4 blocks with cache_control"),
    "short before long": ({"system": [marked("5m"), marked("1h")]}, "must not come after"),
    "a strange ttl": ({"system": [marked("2h")]}, "ttl"),
    "tools of one name": ({"tools": [LOOK, LOOK]}, "unique"),
    "a tool's name": ({"tools": [LOOK | {"name": "look around"}]}, "pattern"),
    "a choice of no tool": (
        {"tools": [LOOK], "tool_choice": {"type": "tool", "name": "press"}},
        "not found in provided tools",
    ),
    "an open object": (schema(additionalProperties=True), "additionalProperties"),
    "bounds of a number": (
        schema(properties={"confidence": {"type": "number", "maximum": 1}}),
        "maximum are not supported",
    ),
    "a longest text": (
        schema(properties={"note": {"type": "string", "maxLength": 300}}),
        "maxLength are not supported",
    ),
    "a choice of nothing": (
        schema(properties={"goals": {"type": "array", "items": {"enum": []}}}),
        "'enum' must not be empty",
    ),
    "at least two": (
        schema(properties={"goals": {"type": "array", "minItems": 2, "items": {"type": "null"}}}),
        "'minItems' values other than 0 or 1",
    ),
    "a part of any kind": (schema(properties={"goals": {}}), "must have a 'type'"),
    "no schema": ({"output_config": {"format": {"type": "xml"}}}, "json_schema"),
    "a tool without a schema": ({"tools": [{"name": "look", "input_schema": {}}]}, "input_schema"),
    "content of no kind": ({"messages": [said("user", {"text": "x"})]}, "type: Field required"),
    "content of numbers": (
        {"messages": [{"role": "user", "content": 7}]},
        "content: Input should be a valid str or list",
    ),
    "words before a result": (
        {"messages": [said("user"), said("assistant", USE), said("user", NIGHT, RESULT)]},
        "without `tool_result` blocks immediately after: toolu_1",
    ),
    "a block of a strange type": (
        {"messages": [said("user", {"type": "song"})]},
        "messages.0.content.0: Input tag 'song'",
    ),
    "a result of strange content": (
        {"messages": [said("user", RESULT | {"content": ["song"]})]},
        "messages.0.content.0.content.0: Input should be a valid object",
    ),
    "the beginning of an answer": (
        {"messages": [said("user"), said("assistant")]},
        "must end with a user message",
    ),
    "two results of a call": (
        {"messages": [said("user"), said("assistant", USE), said("user", RESULT, RESULT)]},
        "a single result",
    ),
    "all the tokens for thought": (
        {"thinking": {"type": "enabled", "budget_tokens": 1_024}},
        "must be greater than `thinking.budget_tokens`",
    ),
    "little thought": (
        {"thinking": {"type": "enabled", "budget_tokens": 100}},
        "greater than or equal to 1024",
    ),
    "more than the window": ({"system": "word " * 1_000_000}, "prompt is too long"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses(name: str) -> None:
    wrong, words = REFUSED[name]
    with served() as (server, client), pytest.raises(anthropic.BadRequestError) as error:
        client.messages.create(**request() | wrong)
    assert error.value.type == "invalid_request_error"
    assert error.value.request_id
    assert words in str(error.value)
    assert server.counts.errors == {"invalid_request_error": 1}


TAKEN: Final[dict[str, dict[str, Any]]] = {
    "two of a role": {"messages": [said("user"), said("user")]},
    "results in two messages": {
        "messages": [
            said("user"),
            said("assistant", USE, USE | {"id": "toolu_2"}),
            said("user", RESULT),
            said("user", RESULT | {"tool_use_id": "toolu_2"}),
        ]
    },
    "four marks, the long ones first": {"system": [marked("1h")] * 2 + [marked("5m")] * 2},
    "the beginning of an answer": {
        "model": "claude-haiku-4-5",
        "messages": [said("user"), said("assistant")],
    },
}


@pytest.mark.parametrize("name", TAKEN)
def test_it_takes(name: str) -> None:
    with served() as (_, client):
        assert client.messages.create(**request() | TAKEN[name]).stop_reason == "end_turn"


@pytest.mark.parametrize("model", ["claude-1", "claude-mythos-preview"])
def test_a_model_that_is_not_served_is_not_found(model: str) -> None:
    body = {"model": model, "max_tokens": 1, "messages": [said("user")]}
    with FakeClaude() as server:
        status, told = posted(server, json.dumps(body))
    assert (status, told["error"]["type"]) == (404, "not_found_error")


def test_a_request_without_a_key_is_not_served() -> None:
    with FakeClaude() as server:
        status, told = posted(server, "{}", {"anthropic-version": "2023-06-01"})
    assert (status, told["error"]["type"]) == (401, "authentication_error")


def test_a_body_that_is_no_json_is_refused() -> None:
    with FakeClaude() as server:
        assert posted(server, "{")[0] == 400
        assert posted(server, "[]")[0] == 400
        assert posted(server, "{}")[0] == 400


def test_a_body_that_is_too_large_is_refused_unread() -> None:
    with FakeClaude() as server:
        status, told = posted(server, "", {"content-length": "40000000", **KEY})
    assert (status, told["error"]["type"]) == (413, "request_too_large")


KEY: Final = {"x-api-key": "any", "anthropic-version": "2023-06-01"}


def posted(
    server: FakeClaude, body: str, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
    try:
        connection.request("POST", "/v1/messages", body, KEY if headers is None else headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


ANYTHING: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2_000) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)
WHOLE: Final[dict[str, Any]] = {
    **request(),
    "messages": [said("user"), said("assistant", USE), said("user", RESULT, NIGHT)],
    "system": [marked("1h"), marked("5m")],
    "tools": [LOOK],
    "tool_choice": {"type": "auto"},
    "thinking": {"type": "adaptive"},
    "diagnostics": {"previous_message_id": None},
    **schema(),
}


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner: list[tuple[Any, object]] = []
    if isinstance(value, dict | list):
        inner = list(value.items() if isinstance(value, dict) else enumerate(value))
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


@given(st.sampled_from(places(WHOLE)[1:]), ANYTHING)
def test_whatever_a_request_has_in_one_place_is_answered_or_refused(
    place: tuple[Any, ...], value: object
) -> None:
    body = copy.deepcopy(WHOLE)
    inner: Any = body
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    service = ScriptedService(ServiceScenario(), lambda: 0.0, 0)
    with suppress(RequestRefused):
        assert service.message(body, 1)["type"] == "message"
