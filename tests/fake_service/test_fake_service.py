"""The stand-in with faults: what it refuses as the service does, faults as the real SDK sees them, scenarios."""

import http.client
import json
from collections import Counter
from typing import Any, Final

import anthropic
import pytest
from pydantic import ValidationError

from tests.agent.fake_claude.claude_support import (
    FORMAT,
    LOOK,
    QUESTION,
    SCHEMA,
    answered,
    client_of,
    request,
    served,
)
from tests.agent.fake_claude.schema_check import fits
from tests.fake_service import (
    FakeClaude,
    FaultSpread,
    ServiceFaultKind,
    ServiceScenario,
    scenario_named,
    scenario_of,
    shipped,
)

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


ASKED: Final = request(QUESTION, output_config=FORMAT)


def text_of(reply: anthropic.types.Message) -> str:
    return "".join(block.text for block in reply.content if block.type == "text")


QUICK: Final = (
    ServiceFaultKind.RATE_LIMIT,
    ServiceFaultKind.BAD_GATEWAY,
    ServiceFaultKind.REFUSAL,
    ServiceFaultKind.PAUSE_TURN,
)


def test_a_share_of_faults_is_spread_over_every_kind() -> None:
    scenario = ServiceScenario(spread=FaultSpread(0.5, QUICK))
    with FakeClaude(scenario, seed=3) as server, client_of(server) as client:
        for _ in range(80):
            try:
                client.messages.create(**request())
            except anthropic.APIStatusError:
                continue
        faults = server.faults
    assert set(faults) == {kind.value for kind in QUICK}
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


SCRIPT: Final = """
about = "Two answers in turn, then one for whoever is stuck."

[[lines]]
times = 1
text = "first of $turn"

[[lines]]
turns = [2]
text = "second: $question"

[[lines]]
purpose = "stuck|no_plan"
json = { goals = ["$goal"], note = "try $candidate", confidence = 0.5 }

[[lines]]
system = "(?i)brief"
text = "brief"
stop = "stop_sequence"

[[lines]]
user = "b[aeiou]d"
text = "no"
"""


def test_answers_are_given_in_turn_and_to_whom_they_are_meant_for() -> None:
    with served(SCRIPT) as (_, client):

        def ask(words: str, **more: object) -> str:
            return text_of(client.messages.create(**request(words, **more)))

        assert ask("a") == "first of 1"
        assert ask("why?") == "second: why?"
        assert json.loads(ask(QUESTION, output_config=FORMAT)) == {
            "goals": ["first_badge"],
            "note": "try go:lab",
            "confidence": 0.5,
        }
        assert ask("a", system="Be BRIEF.") == "brief"
        assert ask("a bad one") == "no"
        assert ask("a good one").startswith("[fake-claude")


CALLS: Final = """
[[lines]]
rounds = [
    [{ name = "look", input = { place = "$goal" } }, { name = "look", input = { place = "home" } }],
    [{ name = "$tool" }],
]
json = { goals = ["healed"], note = "", confidence = 1.0 }
"""


def test_tools_are_called_round_by_round_and_then_comes_the_answer() -> None:
    asked: dict[str, Any] = request(QUESTION, tools=[LOOK], output_config=FORMAT)
    with served(CALLS) as (_, client):
        first = client.messages.create(**asked)
        inputs = [block.input for block in first.content if block.type == "tool_use"]
        assert inputs == [{"place": "first_badge"}, {"place": "home"}]
        asked["messages"] = answered(asked["messages"], first, "a gym", "a bed")
        # What is true now may stand behind the results; the question is still the same.
        asked["messages"][-1]["content"].append({"type": "text", "text": "It is night."})
        second = client.messages.create(**asked)
        call = second.content[0]
        assert call.type == "tool_use"
        assert fits(call.input, LOOK["input_schema"])
        asked["messages"] = answered(asked["messages"], second, "dark")
        last = client.messages.create(**asked)
    assert json.loads(text_of(last))["goals"] == ["healed"]
    assert last.stop_reason == "end_turn"


@pytest.mark.parametrize(
    "text", ["goals = 3", "[[lines]]\nanswer = 'x'", "[[faults]]\nkind = 'flu'"]
)
def test_a_scenario_of_what_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        scenario_of("mine", text)


@pytest.mark.parametrize("name", shipped())
def test_every_scenario_that_ships_can_be_played(name: str) -> None:
    scenario = scenario_named(name)
    assert scenario.about
    with FakeClaude(scenario) as server, client_of(server, timeout=0.2) as client:
        for _ in range(2):
            try:
                client.messages.create(**request(QUESTION, tools=[LOOK]))
            except (anthropic.APIError, ValueError):
                continue
    assert server.requests
