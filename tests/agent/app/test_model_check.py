"""`doctor --model`: one small call says what works of a model, and what it cost."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.agent.support import Agent
from tests.fake_service import (
    FakeClaude,
    ScriptedAnswer,
    ServiceFault,
    ServiceFaultKind,
    ServiceScenario,
    ToolCall,
)

KEY = "sk-ant-api03-test-check-0123456789"
LINE = ScriptedAnswer(rounds=[[ToolCall("look", {"what": "party"})]])


@contextmanager
def served(monkeypatch: pytest.MonkeyPatch, **changes: object) -> Iterator[FakeClaude]:
    with FakeClaude(ServiceScenario(lines=[LINE], **changes)) as server:  # type: ignore[arg-type]
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        yield server


@pytest.mark.parametrize("is_made_up", [False, True], ids=["a model", "the stand-in"])
def test_one_call_shows_what_works_in_one_line(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, *, is_made_up: bool
) -> None:
    if not is_made_up:
        monkeypatch.setattr("agent.fake_claude.service.MADE_UP", "")  # it names itself as a model
    with served(monkeypatch) as server:
        ended = agent("doctor", "--model")
        asked = [each.path for each in server.requests]
        body = server.requests[0].body
    assert ended.code == 0
    (line,) = ended.out.splitlines()
    name = "claude-sonnet-5-5 at 127.0.0.1"
    subject = f"fake-claude (made-up answers) for {name}" if is_made_up else name
    assert line.startswith(f"{subject}: key ok, model ok, thinking ")
    assert "tools ok, prompt cache ok (" in line
    assert line.endswith(" USD")
    assert ("it would have cost 0." if is_made_up else "it cost 0.") in line
    assert asked == ["/v1/messages"]
    assert all(tool["strict"] and tool["description"] for tool in body["tools"])


def test_what_a_server_lacks_is_named(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    terms = tmp_path / "own.toml"
    terms.write_text("[models]\nusual = 'claude-haiku-4-5'\nsmall = 'claude-haiku-4-5'\n")
    with served(monkeypatch, lacks=["strict", "cache_control"]):
        ended = agent("doctor", "--model", "--terms", terms, "--json")
    check = json.loads(ended.out)
    assert check["works"]
    assert check["usd"] > 0
    for words in ("thinking missing", "cache missing", "effort missing", "strict tools missing"):
        assert words in check["line"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ServiceFaultKind.OVERLOADED, "no answer (overloaded: status 529"),
        (ServiceFaultKind.SERVER_ERROR, "it may have cost up to 0."),
        (ServiceFaultKind.MAX_TOKENS, "but it stopped: max_tokens"),
    ],
)
def test_a_model_that_does_not_answer_is_named_with_the_reason(
    fault: ServiceFaultKind, words: str, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(monkeypatch, faults=[ServiceFault(fault, turns=(1,))]):
        ended = agent("doctor", "--model")
    assert ended.code == 1
    assert words in ended.out
    assert KEY not in ended.out + ended.err


def test_without_a_key_nothing_is_called(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(monkeypatch) as server:
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        ended = agent("doctor", "--model")
        assert not server.requests
    assert ended.code != 0
    assert "set ANTHROPIC_API_KEY" in ended.err
