"""What the service refuses, where it matters to us; in its own kinds of words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any, Final

from agent.fake_claude.allowed import unsound, unusable
from agent.fake_claude.ask import blocks
from agent.fake_claude.models import MODELS, Model
from agent.fake_claude.refusal import Refused
from agent.fake_claude.shapes import misshapen

MOST_MARKS: Final = 4
LEAST_THINKING: Final = 1_024  # tokens
TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")

Block = Mapping[str, Any]


def validate(body: object, *, counting: bool = False) -> Model:
    """Return the model that a request asks for. `counting`: nothing is to be generated. Raises Refused."""
    if not isinstance(body, dict):
        raise Refused("invalid_request_error", "The request body is not a JSON object")
    _refuse(misshapen(body, ("model", "messages", *(() if counting else ("max_tokens",)))))
    model = MODELS.get(body["model"])
    if model is None or model.lifecycle == "retired":
        raise Refused("not_found_error", f"model: {body['model']}")
    if not counting:
        _refuse(_check_lengths(body, model))
    _refuse(_check_format(body))
    _refuse(_check_tools(body))
    _refuse(_check_messages(body))
    _refuse(_check_marks(body))
    return model


def _refuse(problems: Iterator[str]) -> None:
    """Refuse for the first problem; what is found after it may make no sense."""
    for problem in problems:
        raise Refused("invalid_request_error", problem)


def _check_lengths(body: Block, model: Model) -> Iterator[str]:
    most = body["max_tokens"]
    if most < 0:
        yield "max_tokens: Input should be greater than or equal to 0"
    if most > model.max_tokens:
        message = f"max_tokens: {most} > {model.max_tokens}, which is the maximum allowed number of"
        yield f"{message} output tokens for {model.id}"
    thinking = body.get("thinking") or {}
    if thinking.get("type") == "enabled":
        budget = thinking.get("budget_tokens")
        if not isinstance(budget, int) or budget < LEAST_THINKING:
            yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
        if budget >= most:
            yield "`max_tokens` must be greater than `thinking.budget_tokens`"


def _check_format(body: Block) -> Iterator[str]:
    wanted = (body.get("output_config") or {}).get("format")
    if wanted is None:
        return
    if (
        not isinstance(wanted, dict)
        or wanted.get("type") != "json_schema"
        or not isinstance(wanted.get("schema"), dict)
    ):
        yield "output_config.format: Input should be a json_schema with a schema"
    where = "output_config.format.schema"
    yield from unsound(wanted["schema"], where)
    yield from unusable(wanted["schema"], where)


def _check_tools(body: Block) -> Iterator[str]:
    tools = body.get("tools") or ()
    names = [tool["name"] for tool in tools]
    for at, tool in enumerate(tools):
        if not TOOL_NAME.fullmatch(names[at]):
            yield f"tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if tool["input_schema"].get("type") != "object":
            yield f"tools.{at}.custom.input_schema.type: Field required"
        yield from unsound(tool["input_schema"], f"tools.{at}.custom.input_schema")
    if len(set(names)) < len(names):
        yield "tools: Tool names must be unique."
    choice = body.get("tool_choice") or {}
    if choice.get("type") == "tool" and choice.get("name") not in names:
        yield f"Tool '{choice.get('name')}' not found in provided tools"


def _check_messages(body: Block) -> Iterator[str]:
    messages = body["messages"]
    if not messages:
        yield "messages: at least one message is required"
    for at, message in enumerate(messages):
        yield from _check_content(at, message, is_last=at == len(messages) - 1)
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    yield from _check_results(_turns(messages))


def _check_content(at: int, message: Block, *, is_last: bool) -> Iterator[str]:
    content = message["content"]
    if not content and not (is_last and message["role"] == "assistant"):
        kept = "except for the optional final assistant message"
        yield f"messages.{at}: all messages must have non-empty content {kept}"
    for block in blocks(content):
        if block["type"] == "text" and not block["text"].strip():
            yield f"messages.{at}: text content blocks must contain non-whitespace text"


def _turns(messages: Sequence[Block]) -> list[tuple[str, list[Block]]]:
    """Return roles and blocks; successive messages of one role are one turn, as the service has it."""
    turns: list[tuple[str, list[Block]]] = []
    for message in messages:
        if not turns or turns[-1][0] != message["role"]:
            turns.append((message["role"], []))
        turns[-1][1].extend(blocks(message["content"]))
    return turns


def _check_results(turns: Sequence[tuple[str, list[Block]]]) -> Iterator[str]:
    start: tuple[str, list[Block]] = ("assistant", [])
    end: tuple[str, list[Block]] = ("user", [])
    for at, ((role, said), (_, answered)) in enumerate(pairwise([start, *turns, end])):
        calls = {each["id"] for each in said if each["type"] == "tool_use"}
        results = [each["tool_use_id"] for each in answered if each["type"] == "tool_result"]
        if strange := [each for each in results if each not in calls]:
            message = (
                f"messages.{at}.content.0: unexpected `tool_use_id` found in `tool_result` blocks:"
            )
            reason = "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            yield f"{message} {strange[0]}. {reason}"
        first = takewhile(lambda each: each["type"] == "tool_result", answered)
        missing = sorted(calls.difference(each["tool_use_id"] for each in first))
        if role == "assistant" and missing:
            message = f"messages.{at - 1}: `tool_use` ids were found without `tool_result` blocks immediately"
            reason = "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
            yield f"{message} after: {', '.join(missing)}. {reason}"
        if len(set(results)) < len(results):
            yield f"messages.{at}.content: each tool_use must have a single result"


def _check_marks(body: Block) -> Iterator[str]:
    found = list(_marks(body))
    if len(found) > MOST_MARKS:
        yield f"A maximum of {MOST_MARKS} blocks with cache_control may be provided. Found {len(found)}."
    for where, mark in found:
        if mark.get("type") != "ephemeral" or mark.get("ttl", "5m") not in ("5m", "1h"):
            yield f"{where}.cache_control: Input should be ephemeral, with a ttl of '5m' or '1h'"
    for (_, before), (where, mark) in pairwise(found):
        if before.get("ttl", "5m") == "5m" and mark.get("ttl") == "1h":
            message = (
                "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
            )
            yield f"{where}.cache_control.ttl: {message}"


def _marks(body: Block) -> Iterator[tuple[str, Block]]:
    """Yield where each mark is, in the order of the cache."""
    named = [(f"tools.{at}", each) for at, each in enumerate(body.get("tools") or ())]
    named += [(f"system.{at}", each) for at, each in enumerate(blocks(body.get("system") or ""))]
    for at, message in enumerate(body["messages"]):
        inside = enumerate(blocks(message["content"]))
        named += [(f"messages.{at}.content.{number}", block) for number, block in inside]
    yield from (
        (where, block["cache_control"]) for where, block in named if block.get("cache_control")
    )
    if body.get("cache_control"):
        yield "body", body["cache_control"]
