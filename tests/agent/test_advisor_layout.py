"""Where everything stands in a request, and that its beginning stays as it is."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from agent.advisor.layout import Fixed, request_of
from agent.advisor.model import Request
from agent.advisor.prompt import filled, prompt_file
from agent.advisor.port import Purpose
from agent.advisor.turns import NOT_RUN, result, text, turns_of
from agent.advisor.wording import asked, data, mode_of, question_text
from agent.fake_claude.validation import validate
from memory.thread.message import Message, Origin
from tests.agent.advising import LOOK, MODEL, PNG, View, question


def said(role: str, *blocks: Mapping[str, Any], origin: Origin = Origin.PLAY) -> Message:
    return Message("main", role, blocks, 1, 1.0, origin=origin)


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {}}


VIEW = View(
    reflection="* reached left_home",
    observations="* stuck on route_1",
    current_task="find a way around the ledge",
    suggested_response="go west",
    tail=(said("user", text(question_text(question()))),),
)
FIXED = Fixed(tools=(LOOK,), notes="- lost to the rival with level 5", max_tokens=500)


def body(request: Request) -> dict[str, Any]:
    """Return the request as it is sent."""
    return {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "tools": list(request.tools),
        "system": list(request.system),
        "messages": list(request.messages),
        "output_config": {"format": {"type": "json_schema", "schema": request.output_schema}},
    }


def marks(request: Request) -> list[str]:
    """Return how long each mark holds, in the order of the cache."""
    blocks = [*request.system, *(each for turn in request.messages for each in turn["content"])]
    return [each["cache_control"]["ttl"] for each in blocks if "cache_control" in each]


def prefix(request: Request) -> str:
    """Return everything up to the last mark, without the marks, as text."""
    blocks = [*request.tools, *request.system]
    blocks += [each | {"role": turn["role"]} for turn in request.messages for each in turn["content"]]
    last = max(at for at, each in enumerate(blocks) if "cache_control" in each)
    bare = [{key: each[key] for key in each if key != "cache_control"} for each in blocks[: last + 1]]
    return json.dumps(bare)[:-1]
