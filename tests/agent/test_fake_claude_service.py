"""Every endpoint of the server, by the real SDK."""

import json
import threading
import urllib.request
from typing import Any

import anthropic
import pytest
from pydantic import BaseModel

from tests.agent.claude_support import (
    FORMAT,
    LOOK,
    MODEL,
    QUESTION,
    SCHEMA,
    answered,
    client_of,
    request,
    served,
)
from tests.agent.schema_check import fits
from tests.fake_service import FakeClaude


class Answer(BaseModel):
    goals: list[str]
    confidence: float


def test_a_message_comes_back_whole_and_says_that_no_model_made_it() -> None:
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


def test_a_stream_brings_the_same_message_in_the_order_of_the_service() -> None:
    with served() as (_, client):
        whole = client.messages.create(**request())
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
    assert whole.content[0].type == "text"
    assert text == whole.content[0].text
    assert final.stop_reason == "end_turn"
    assert final.usage == whole.usage


def test_a_tool_is_called_and_its_result_answered() -> None:
    with served() as (_, client):
        asked = request(QUESTION, tools=[LOOK], tool_choice={"type": "tool", "name": "look"})
        first = client.messages.create(**asked)
        assert first.stop_reason == "tool_use"
        assert first.content[0].type == "tool_use"
        assert set(first.content[0].input) == {"place"}
        asked["tool_choice"] = {"type": "none"}
        asked["messages"] = answered(asked["messages"], first, "a lake")
        assert client.messages.create(**asked).stop_reason == "end_turn"


def test_the_input_of_a_call_arrives_in_pieces() -> None:
    asked = request(tools=[LOOK], tool_choice={"type": "any"})
    with served() as (_, client), client.messages.stream(**asked) as stream:
        events = list(stream)
        final = stream.get_final_message()
    assert "input_json" in {event.type for event in events}
    assert final.content[0].type == "tool_use"
    assert fits(final.content[0].input, LOOK["input_schema"])


def test_an_answer_follows_the_schema_and_names_what_the_question_lists() -> None:
    with served() as (_, client):
        for number in range(20):
            asked = request(f"{QUESTION}\nQuestion {number}.", output_config=FORMAT)
            reply = client.messages.create(**asked)
            assert reply.content[0].type == "text"
            answer = json.loads(reply.content[0].text)
            assert fits(answer, SCHEMA)
            assert set(answer["goals"]) <= {"first_badge", "healed"}
            assert 0.0 <= answer["confidence"] <= 1.0


def test_the_same_request_has_the_same_answer_and_another_seed_another() -> None:
    def answers(seed: int) -> list[Any]:
        with FakeClaude(seed=seed) as server, client_of(server) as client:
            asked = [request(f"{QUESTION}{each}", output_config=FORMAT) for each in range(8)]
            return [client.messages.create(**each).content for each in asked]

    assert answers(0) == answers(0)
    assert answers(0) != answers(1)


def test_thoughts_come_first_where_they_are_asked_for() -> None:
    asked = request(thinking={"type": "adaptive"})
    with served() as (_, client):
        whole = client.messages.create(**asked)
        with client.messages.stream(**asked) as stream:
            final = stream.get_final_message()
    assert [block.type for block in whole.content] == ["thinking", "text"]
    assert [block.model_dump() for block in whole.content] == [
        block.model_dump(exclude={"parsed_output"}) for block in final.content
    ]


def test_parse_gives_an_object() -> None:
    with served() as (_, client):
        reply = client.messages.parse(**request(QUESTION), output_format=Answer)
    assert isinstance(reply.parsed_output, Answer)


def test_observations_come_in_the_form_that_is_asked_for() -> None:
    system = "Answer with <observations>, <current-task> and <suggested-response>."
    said = "\n".join(f"The team walked to town number {each} and rested." for each in range(40))
    with served() as (_, client):
        observed = client.messages.create(**request(said, system=system)).content[0]
        assert observed.type == "text"
        again = request(observed.text, system=f"Reflect. {system}")
        reflected = client.messages.create(**again).content[0]
    assert reflected.type == "text"
    for text in (observed.text, reflected.text):
        assert text.startswith("<observations>\n* 🔴 The team walked")
        assert "<current-task>" in text
    assert len(reflected.text) < len(observed.text) < len(said)


def test_tokens_are_counted_as_a_message_is_charged() -> None:
    with served() as (_, client):
        asked = request(system="Be brief.", tools=[LOOK])
        counted = client.messages.count_tokens(
            **{name: each for name, each in asked.items() if name != "max_tokens"}
        )
        assert counted.input_tokens == client.messages.create(**asked).usage.input_tokens


def test_models_have_limits_and_a_lifecycle() -> None:
    with served() as (_, client):
        listed = list(client.models.list())
        retired = [each.id for each in client.models.list(lifecycle=["retired"])]
        model = client.models.retrieve("claude-haiku-4-5")
        with pytest.raises(anthropic.NotFoundError):
            client.models.retrieve("claude-1")
    assert MODEL in {each.id for each in listed}
    assert retired == ["claude-mythos-preview"]
    assert model.max_input_tokens == 200_000
    assert model.max_tokens == 64_000
    assert model.lifecycle == "active"
    assert model.capabilities is not None
    assert model.capabilities.structured_outputs.supported


def test_a_long_answer_is_cut_where_max_tokens_says() -> None:
    with served() as (_, client):
        reply = client.messages.create(**request("word " * 100, max_tokens=20))
        warmed = client.messages.create(**request("word", max_tokens=0))
    assert reply.stop_reason == "max_tokens"
    assert reply.usage.output_tokens <= 20
    assert (warmed.stop_reason, warmed.content) == ("max_tokens", [])


def test_of_a_key_only_its_presence_is_kept() -> None:
    with served() as (server, client):
        client.messages.create(**request())
    assert "present" in server.requests[0].headers.values()
    assert "secret-key" not in repr(server.requests)


def test_nothing_else_is_served() -> None:
    with served() as (_, client), pytest.raises(anthropic.NotFoundError) as error:
        client.messages.batches.list()
    assert "not served here" in str(error.value)


def test_it_says_what_it_is_and_listens_on_loopback_alone() -> None:
    with FakeClaude() as server:
        assert server.url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{server.url}/", timeout=5) as page:
            assert "no model" in page.read().decode()
            assert "no model" in page.headers["x-fake-claude"]


def test_two_servers_never_share_a_port() -> None:
    with FakeClaude() as server:
        port = int(server.url.rpartition(":")[2])
        with pytest.raises(OSError, match="in use"):
            FakeClaude(port=port)


def test_requests_at_the_same_time_are_all_answered() -> None:
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
