"""The server for people: made-up answers, and requests printed for review by `fake-claude --show`."""

from typing import Any

import anthropic
import pytest

from agent.fake_claude.server import FakeClaude
from tests.agent.fake_claude.claude_support import LOOK, client_of, request

TOOL: dict[str, Any] = LOOK | {"strict": True}
SYSTEM = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]


def asked(*words: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": each} for at, each in enumerate(words)]
    settled = request(system=SYSTEM, tools=[TOOL], tool_choice={"type": "none"})
    return settled | {"messages": messages}


def test_a_request_is_printed_in_its_order_with_its_marks_and_tokens() -> None:
    shown: list[str] = []
    with FakeClaude(show=shown.append) as server, client_of(server) as client:  # type: ignore[arg-type]
        client.messages.create(**asked("Where to?"))
        client.messages.create(**asked("Where to?", "West.", "And now?" + " far" * 60))
    first, second = shown
    for words in (
        "request 1: claude-sonnet-5, thinking disabled, effort as usual, at most 1,000 tokens",
        "-------- tool look (strict)\nLook something up.\n  place (string): ",
        "-------- system [cached for 5m]\nBe brief.\n-------- user\nWhere to?\n-------- reply\n",
        " tokens before the last message, ",
    ):
        assert words in first
    assert "-------- 3 parts as in the request before\n-------- assistant\nWest.\n" in second
    assert "Be brief." not in second
    assert max(map(len, second.splitlines())) <= 120


def test_a_request_with_tools_is_printed_with_its_calls_and_results() -> None:
    shown: list[str] = []
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {"place": "x"}}
    thought = {"type": "redacted_thinking", "data": "d"}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "none", "is_error": True}
    body = asked("Where to?")
    body["messages"] += [
        {"role": "assistant", "content": [thought, call]},
        {"role": "user", "content": [result]},
    ]
    with FakeClaude(show=shown.append) as server, client_of(server) as client:  # type: ignore[arg-type]
        client.messages.create(**body)
    assert '[redacted_thinking]\n[calls look {"place": "x"}]' in shown[0]
    assert "[result failed]\nnone" in shown[0]


def test_the_server_for_people_counts_streams_and_refuses_what_is_no_request() -> None:
    with FakeClaude() as server, client_of(server) as client:  # type: ignore[arg-type]
        with client.messages.stream(**asked("Where to?")) as stream:
            final = stream.get_final_message()
        counted = client.messages.count_tokens(messages=asked("Where to?")["messages"], model="m")
        with pytest.raises(anthropic.BadRequestError, match="not valid: ValueError"):
            client.messages.create(model="m", max_tokens=9, messages=[], extra_body={"system": 7})
        assert client.models.retrieve("m").display_name == "fake-claude:m"
    assert final.content[0].type == "text"
    assert final.usage.input_tokens > 0
    assert counted.input_tokens > 0
    assert server.counts.errors == {"invalid_request_error": 1}
