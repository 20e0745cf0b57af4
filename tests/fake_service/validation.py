"""Validation of requests: the service's refusals that matter here, in similar words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any, Final

from agent.fake_claude.answers import blocks
from agent.fake_claude.service import RequestRefused
from tests.fake_service.models import ServedModel, served_model
from tests.fake_service.thinking import beginning_of, bound_problems, thinking_problems

Kinds = type | tuple[type, ...]
_NONE: Final = type(None)
_OBJECT: Final = (dict, _NONE)
_STRING: Final = (str, _NONE)

# The fields that this server accepts; the service accepts more.
FIELDS: Final[Mapping[str, Kinds]] = {
    "diagnostics": _OBJECT,
    "max_tokens": int,
    "messages": list,
    "model": str,
    "output_config": dict,
    "stream": bool,
    "system": (str, list),
    "thinking": dict,
    "tool_choice": dict,
    "tools": list,
}
# The blocks that this server accepts; the service accepts many more.
_BLOCKS: Final[Mapping[str, Mapping[str, Kinds]]] = {
    "text": {"text": str},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
    "image": {"source": dict},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
}
_TAGGED: Final = {"tool_choice": ("auto", "none")}
_ROLES: Final = ("user", "assistant", "system")


def shape_errors(body: Mapping[str, Any], required: Sequence[str]) -> Iterator[str]:
    """Yield missing, unknown and mistyped fields; later errors may follow from the first."""
    for name, value in body.items():
        if name not in FIELDS:
            yield f"{name}: Extra inputs are not permitted"
        elif not isinstance(value, FIELDS[name]) or (value is True and name == "max_tokens"):
            yield f"{name}: Input should be a valid {_type_names(FIELDS[name])}"
    for name in required:
        if name not in body:
            yield f"{name}: Field required"
    yield from _inside(body)


def _inside(body: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(body.get("system"), list):
        yield from _blocks("system", body["system"])
    for at, tool in enumerate(body.get("tools", ())):
        yield from _has(f"tools.{at}.custom", tool, {"name": str, "input_schema": dict})
    for name, types in _TAGGED.items():
        if body.get(name) is not None and body[name].get("type") not in types:
            yield f"{name}.type: Input should be one of {', '.join(types)}"
    if not isinstance((body.get("diagnostics") or {}).get("previous_message_id"), _STRING):
        yield "diagnostics.previous_message_id: Input should be a valid str"
    for at, message in enumerate(body["messages"]):
        where = f"messages.{at}"
        yield from _has(where, message, {"role": str, "content": (str, list)})
        if message["role"] not in _ROLES:
            yield f"{where}.role: Input should be 'user', 'assistant' or 'system'"
        if isinstance(message["content"], list):
            yield from _blocks(f"{where}.content", message["content"])


def _blocks(where: str, found: Sequence[Any]) -> Iterator[str]:
    for at, block in enumerate(found):
        yield from _has(f"{where}.{at}", block, {"type": str})
        if block["type"] not in _BLOCKS:
            yield f"{where}.{at}: Input tag '{block['type']}' does not match any of the expected tags"
        yield from _has(f"{where}.{at}.{block['type']}", block, _BLOCKS[block["type"]])
        if isinstance(block.get("content"), list):
            yield from _blocks(f"{where}.{at}.content", block["content"])


def _has(where: str, value: object, kinds: Mapping[str, Kinds]) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where}: Input should be a valid object"
        return  # for mypy: callers stop at the first error
    for name, kind in {**kinds, "cache_control": _OBJECT}.items():
        if name not in value and name != "cache_control":
            yield f"{where}.{name}: Field required"
        elif not isinstance(value.get(name), kind):
            yield f"{where}.{name}: Input should be a valid {_type_names(kind)}"


def _type_names(kinds: Kinds) -> str:
    names = [each.__name__ for each in (kinds if isinstance(kinds, tuple) else (kinds,))]
    return " or ".join(name for name in names if name != "NoneType")


Schema = Mapping[str, Any]

_TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")
_KINDS: Final[Mapping[str, type]] = {
    "properties": dict,
    "$defs": dict,
    "items": dict,
    "anyOf": list,
    "enum": list,
    "required": list,
    "$ref": str,
}
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_UNSUPPORTED: Final = {
    "integer": _BOUNDS,
    "number": _BOUNDS,
    "string": ("minLength", "maxLength"),
    "array": ("maxItems", "uniqueItems", "contains", "prefixItems"),
    "object": ("minProperties", "maxProperties", "patternProperties"),
}


def schema_errors(schema: object, where: str) -> Iterator[str]:
    """Yield why `schema` is not a JSON schema; later errors may follow from the first."""
    yield from _schema_errors(schema, where, schema)


def _schema_errors(schema: object, where: str, root: object) -> Iterator[str]:
    if not isinstance(schema, dict):
        yield f"{where}: JSON schema is invalid: it is not an object"
        return
    for name, kind in _KINDS.items():
        if name in schema and not isinstance(schema[name], kind):
            yield f"{where}.{name}: JSON schema is invalid: it is not a {kind.__name__}"
    kinds = schema.get("type", "null")
    for kind in kinds if isinstance(kinds, list) and kinds else [kinds]:
        if kind not in _TYPES:
            yield f"{where}.type: JSON schema is invalid: {kind!r} is not a type"
    for bound in ("minimum", "maximum", "maxLength", "maxItems"):
        if not isinstance(schema.get(bound, 0), int | float):
            yield f"{where}.{bound}: JSON schema is invalid: it is not a number"
    if "$ref" in schema and not _is_defined(schema["$ref"], root):
        yield f"{where}.$ref: JSON schema is invalid: {schema['$ref']!r} is not defined"
    for name, inner in _parts(schema):
        yield from _schema_errors(inner, f"{where}.{name}", root)


def _is_defined(ref: str, root: object) -> bool:
    start, _, name = ref.rpartition("/")
    return start == "#/$defs" and isinstance(root, dict) and name in root.get("$defs", {})


def unsupported_parts(schema: Schema, where: str) -> Iterator[str]:
    """Yield the parts of a valid schema that the service does not support in an answer schema."""
    kind = schema.get("type")
    if not {"type", "enum", "const", "anyOf", "allOf", "$ref"} & schema.keys():
        yield f"{where}: Schema must have a 'type', 'anyOf' or 'enum'"
    if "enum" in schema and not schema["enum"]:
        yield f"{where}: 'enum' must not be empty"
    if isinstance(kind, str):
        unsupported = [name for name in _UNSUPPORTED.get(kind, ()) if name in schema]
        if unsupported:
            yield f"{where}: For '{kind}' type, properties {', '.join(unsupported)} are not supported"
    if kind == "object" and schema.get("additionalProperties") is not False:
        yield f"{where}: For 'object' type, 'additionalProperties' must be explicitly set to false"
    if kind == "array" and schema.get("minItems", 0) not in (0, 1):
        yield f"{where}: For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    for name, inner in _parts(schema):
        yield from unsupported_parts(inner, f"{where}.{name}")


def _parts(schema: Schema) -> Iterator[tuple[str, Any]]:
    for group in ("properties", "$defs"):
        yield from ((f"{group}.{name}", each) for name, each in schema.get(group, {}).items())
    yield from ((f"anyOf.{at}", each) for at, each in enumerate(schema.get("anyOf", ())))
    if "items" in schema:
        yield "items", schema["items"]


MAX_MARKS: Final = 4
TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")

MAX_OPTIONAL: Final = 24  # parameters of all strict tools together

Block = Mapping[str, Any]


def _optional(schema: Schema) -> int:
    """Return the number of optional parameters in a schema."""
    parts = schema.get("properties", {})
    inner = [*parts.values(), *([schema["items"]] if "items" in schema else ())]
    return len(parts.keys() - set(schema.get("required", ()))) + sum(map(_optional, inner))


def validate(body: object, *, counting: bool = False) -> ServedModel:
    """Return the model of a valid request. `counting`: the request only counts tokens. Raises RequestRefused."""
    if not isinstance(body, dict):
        raise RequestRefused("invalid_request_error", "The request body is not a JSON object")
    _refuse(shape_errors(body, ("model", "messages", *(() if counting else ("max_tokens",)))))
    model = served_model(body["model"])
    if model.lifecycle == "retired":
        raise RequestRefused("not_found_error", f"model: {model.id}")
    if not counting:
        _refuse(_check_lengths(body, model))
    _refuse(_check_format(body))
    _refuse(_check_tools(body))
    _refuse(_check_messages(body))
    _refuse(_check_marks(body))
    return model


def _refuse(problems: Iterator[str]) -> None:
    """Raise RequestRefused for the first problem; later ones may follow from it."""
    for problem in problems:
        raise RequestRefused("invalid_request_error", problem)


def _check_lengths(body: Block, model: ServedModel) -> Iterator[str]:
    most = body["max_tokens"]
    if most < 0:
        yield "max_tokens: Input should be greater than or equal to 0"
    if most > model.max_tokens:
        message = f"max_tokens: {most} > {model.max_tokens}, which is the maximum allowed number of"
        yield f"{message} output tokens for {model.id}"


def _check_format(body: Block) -> Iterator[str]:
    format_ = (body.get("output_config") or {}).get("format")
    if format_ is None:
        return
    if (
        not isinstance(format_, dict)
        or format_.get("type") != "json_schema"
        or not isinstance(format_.get("schema"), dict)
    ):
        yield "output_config.format: Input should be a json_schema with a schema"
    where = "output_config.format.schema"
    yield from schema_errors(format_["schema"], where)
    yield from unsupported_parts(format_["schema"], where)


def _check_tools(body: Block) -> Iterator[str]:
    tools = body.get("tools") or ()
    names = [tool["name"] for tool in tools]
    for at, tool in enumerate(tools):
        if not TOOL_NAME.fullmatch(names[at]):
            yield f"tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if tool["input_schema"].get("type") != "object":
            yield f"tools.{at}.custom.input_schema.type: Field required"
        yield from schema_errors(tool["input_schema"], f"tools.{at}.custom.input_schema")
        if tool.get("strict"):
            yield from unsupported_parts(tool["input_schema"], f"tools.{at}.custom.input_schema")
    optional = sum(_optional(each["input_schema"]) for each in tools if each.get("strict"))
    if optional > MAX_OPTIONAL:
        yield f"tools: Schemas contain too many optional parameters ({optional}, limit: {MAX_OPTIONAL})"
    if len(set(names)) < len(names):
        yield "tools: Tool names must be unique."


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
    """Return roles and blocks; the service joins successive messages of one role to one turn."""
    turns: list[tuple[str, list[Block]]] = []
    for message in messages:
        if not turns or turns[-1][0] != message["role"]:
            turns.append((message["role"], []))
        turns[-1][1].extend(blocks(message["content"]))
    return turns


def _check_results(turns: Sequence[tuple[str, list[Block]]]) -> Iterator[str]:
    start: tuple[str, list[Block]] = ("assistant", [])
    end: tuple[str, list[Block]] = ("user", [])
    for at, ((role, content), (_, answer)) in enumerate(pairwise([start, *turns, end])):
        calls = {each["id"] for each in content if each["type"] == "tool_use"}
        results = [each["tool_use_id"] for each in answer if each["type"] == "tool_result"]
        if unexpected := [each for each in results if each not in calls]:
            message = (
                f"messages.{at}.content.0: unexpected `tool_use_id` found in `tool_result` blocks:"
            )
            reason = "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            yield f"{message} {unexpected[0]}. {reason}"
        first = takewhile(lambda each: each["type"] == "tool_result", answer)
        missing = sorted(calls.difference(each["tool_use_id"] for each in first))
        if role == "assistant" and missing:
            message = f"messages.{at - 1}: `tool_use` ids were found without `tool_result` blocks immediately"
            reason = "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
            yield f"{message} after: {', '.join(missing)}. {reason}"
        if len(set(results)) < len(results):
            yield f"messages.{at}.content: each tool_use must have a single result"


def _check_marks(body: Block) -> Iterator[str]:
    found = list(_marks(body))
    if len(found) > MAX_MARKS:
        yield f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {len(found)}."
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
    """Yield each cache mark with its place, in the order of the cache."""
    named = [(f"tools.{at}", each) for at, each in enumerate(body.get("tools") or ())]
    named += [(f"system.{at}", each) for at, each in enumerate(blocks(body.get("system") or ""))]
    for at, message in enumerate(body["messages"]):
        inside = enumerate(blocks(message["content"]))
        named += [(f"messages.{at}.content.{number}", block) for number, block in inside]
    yield from (
        (where, block["cache_control"]) for where, block in named if block.get("cache_control")
    )


def check_thinking(body: Mapping[str, Any], model: ServedModel) -> None:
    """Raise RequestRefused for thinking that the model does not accept, or that is not valid at its place."""
    has_effort = bool(model.effort)
    problems = [*thinking_problems(body, model.id, model.thinking, has_effort=has_effort)]
    if model.binds:
        if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
            problems.append("tool_choice: forced tool use is not supported for this model")
        problems += bound_problems(body["messages"], beginning_of(body))
    for problem in problems:
        raise RequestRefused("invalid_request_error", problem)
