"""The real SDK against the stand-in server."""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import anthropic

from tests.fake_service import FakeClaude, scenario_of

TRUSTED: Final = ssl.create_default_context()  # read once, not for every client
MODEL: Final = "claude-sonnet-5"
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "goals": {"type": "array", "items": {"type": "string"}},
        "note": {"type": "string"},
        "confidence": {"type": "number"},
    },
    "required": ["goals", "note", "confidence"],
    "additionalProperties": False,
}
FORMAT: Final = {"format": {"type": "json_schema", "schema": SCHEMA}}
LOOK: Final[Any] = {
    "name": "look",
    "description": "Look something up.",
    "input_schema": {
        "type": "object",
        "properties": {"place": {"type": "string"}},
        "required": ["place"],
    },
}
QUESTION: Final = """Why you are asked: stuck
Open goals:
- first_badge: beat the leader
- healed: heal the team
Candidates:
- go:lab: walk to the laboratory
- wait: do nothing
"""


@contextmanager
def client_of(server: FakeClaude, timeout: float = 5.0) -> Iterator[anthropic.Anthropic]:
    """Yield a client without retries."""
    with anthropic.Anthropic(
        base_url=server.url,
        api_key="secret-key",
        max_retries=0,
        timeout=timeout,
        http_client=anthropic.DefaultHttpxClient(verify=TRUSTED),
    ) as client:
        yield client


@contextmanager
def served(
    toml: str = "", timeout: float = 5.0
) -> Iterator[tuple[FakeClaude, anthropic.Anthropic]]:
    """Yield a server with the scenario in `toml` and a client of the server."""
    with FakeClaude(scenario_of("test", toml)) as server, client_of(server, timeout) as client:
        yield server, client


def request(words: str = "hello", **more: object) -> dict[str, Any]:
    """Return a request with `words` as the user's message, to be answered without thinking."""
    messages = [{"role": "user", "content": words}]
    asked = {"model": MODEL, "max_tokens": 1_000, "messages": messages}
    return asked | {"thinking": {"type": "disabled"}} | more


def with_results(
    messages: Sequence[Mapping[str, Any]], reply: anthropic.types.Message, *results: str
) -> list[Mapping[str, Any]]:
    """Return the conversation with `reply` and the results of its calls added."""
    calls = [block for block in reply.content if block.type == "tool_use"]
    content = [
        {"type": "tool_result", "tool_use_id": call.id, "content": result}
        for call, result in zip(calls, results, strict=True)
    ]
    return [*messages, reply.to_param(), {"role": "user", "content": content}]
