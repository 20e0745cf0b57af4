"""The stand-in with faults: its refusals, its faults seen through the real SDK, and its scenarios."""

import http.client
import json
import socket
import tomllib
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import anthropic
import pytest
from pydantic import ValidationError

from agent.fake_claude.server import LOOPBACK, Handler, LoopbackServer
from agent.fake_claude.service import MadeUpService
from tests import fake_service
from tests.agent.fake_claude.claude_support import (
    FORMAT,
    LOOK,
    QUESTION,
    client_of,
    request,
    served,
    with_results,
)
from tests.agent.fake_claude.schema_check import fits

REQUESTS: Final = tomllib.loads(
    Path(__file__).with_name("requests.toml").read_text(encoding="utf-8")
)
TOO_LONG: Final = {"system": "word " * 1_000_000}  # beyond the context window
REFUSED: Final = {
    **{name: (row["request"], row["words"]) for name, row in REQUESTS["refused"].items()},
    "a prompt beyond the context window": (TOO_LONG, "prompt is too long"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_stand_in_refuses_invalid_requests(name: str) -> None:
    wrong, words = REFUSED[name]
    with served() as (server, client), pytest.raises(anthropic.BadRequestError) as error:
        client.messages.create(**request() | wrong)
    assert error.value.type == "invalid_request_error"
    assert error.value.request_id
    assert words in str(error.value)
    assert server.counts.errors == {"invalid_request_error": 1}


@pytest.mark.parametrize("name", REQUESTS["accepted"])
def test_the_stand_in_accepts_valid_requests(name: str) -> None:
    with served() as (_, client):
        assert (
            client.messages.create(**request() | REQUESTS["accepted"][name]["request"]).stop_reason
            == "end_turn"
        )


def test_a_request_without_a_known_model_a_key_or_a_valid_body_is_refused() -> None:
    body = {"max_tokens": 1, "messages": [{"role": "user", "content": "well"}]}
    with fake_service.FakeClaude() as server:
        for model in ("claude-1", "claude-mythos-preview"):
            status, reply = post(server, json.dumps(body | {"model": model}))
            assert (status, reply["error"]["type"]) == (404, "not_found_error")
        status, reply = post(server, "{}", {"anthropic-version": "2023-06-01"})
        assert (status, reply["error"]["type"]) == (401, "authentication_error")
        assert [post(server, each)[0] for each in ("{", "[]", "{}")] == [400] * 3


KEY: Final = {"x-api-key": "any", "anthropic-version": "2023-06-01"}


def post(
    server: fake_service.FakeClaude, body: str, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
    try:
        connection.request("POST", "/v1/messages", body, KEY if headers is None else headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


def text_of(reply: anthropic.types.Message) -> str:
    return "".join(block.text for block in reply.content if block.type == "text")


QUICK: Final = (
    fake_service.ServiceFaultKind.RATE_LIMIT,
    fake_service.ServiceFaultKind.BAD_GATEWAY,
    fake_service.ServiceFaultKind.REFUSAL,
    fake_service.ServiceFaultKind.PAUSE_TURN,
)


def test_a_share_of_faults_is_spread_over_every_kind() -> None:
    scenario = fake_service.ServiceScenario(spread=fake_service.FaultSpread(0.5, QUICK))
    with fake_service.FakeClaude(scenario, seed=3) as server, client_of(server) as client:
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
        scenario = fake_service.ServiceScenario(
            spread=fake_service.FaultSpread(
                0.5, (fake_service.ServiceFaultKind.EMPTY, fake_service.ServiceFaultKind.REFUSAL)
            )
        )
        with fake_service.FakeClaude(scenario, seed=seed) as server, client_of(server) as client:
            return Counter(
                f"{turn} {client.messages.create(**request()).stop_reason}" for turn in range(12)
            )

    assert faults(1) == faults(1)
    assert faults(1) != faults(2)


SCRIPT: Final = """
about = "Two answers by turn, then one for stuck questions."

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


def test_scripted_answers_follow_their_turn_and_their_conditions() -> None:
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


def test_scripted_tool_rounds_come_before_the_answer() -> None:
    asked: dict[str, Any] = request(QUESTION, tools=[LOOK], output_config=FORMAT)
    with served(CALLS) as (_, client):
        first = client.messages.create(**asked)
        inputs = [block.input for block in first.content if block.type == "tool_use"]
        assert inputs == [{"place": "first_badge"}, {"place": "home"}]
        asked["messages"] = with_results(asked["messages"], first, "a gym", "a bed")
        # A text after the results, such as the current state, does not start a new question.
        asked["messages"][-1]["content"].append({"type": "text", "text": "It is night."})
        second = client.messages.create(**asked)
        call = second.content[0]
        assert call.type == "tool_use"
        assert fits(call.input, LOOK["input_schema"])
        asked["messages"] = with_results(asked["messages"], second, "dark")
        last = client.messages.create(**asked)
    assert json.loads(text_of(last))["goals"] == ["healed"]
    assert last.stop_reason == "end_turn"


@pytest.mark.parametrize(
    "text", ["goals = 3", "[[lines]]\nanswer = 'x'", "[[faults]]\nkind = 'flu'"]
)
def test_a_scenario_with_unknown_fields_or_faults_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        fake_service.scenario_of("mine", text)


@pytest.mark.parametrize("name", fake_service.shipped_scenarios())
def test_every_shipped_scenario_can_be_served(name: str) -> None:
    scenario = fake_service.scenario_named(name)
    assert scenario.about
    with fake_service.FakeClaude(scenario) as server, client_of(server, timeout=0.2) as client:
        for _ in range(2):
            try:
                client.messages.create(**request(QUESTION, tools=[LOOK]))
            except (anthropic.APIError, ValueError):
                continue
    assert server.requests


def test_many_clients_connect_at_once() -> None:
    server = LoopbackServer((LOOPBACK, 0), partial(Handler, MadeUpService(0)))
    address = LOOPBACK, int(server.server_address[1])
    with ExitStack() as clients:  # the server accepts none of them yet
        clients.callback(server.server_close)
        for _ in range(100):
            clients.enter_context(socket.create_connection(address, timeout=0.5))


def test_a_client_that_sends_no_more_of_its_body_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Handler.timeout is not None
    monkeypatch.setattr(Handler, "timeout", 0.1)
    with fake_service.FakeClaude() as server:
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=5) as client:
            client.sendall(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 100\r\n\r\n{")
            assert client.recv(64) == b""
