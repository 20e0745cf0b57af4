"""What is made up out of schemas, and what a request's parts count as."""

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.fake_claude.answers import PICTURE, made_up, tokens_of_block
from tests.agent.claude_support import served
from tests.agent.schema_check import fits

NAMES = st.sampled_from(["goals", "note", "when", "who"])
LEAVES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.sampled_from(["string", "boolean", "null"]).map(lambda kind: {"type": kind}),
    st.integers(-5, 5).map(lambda low: {"type": "integer", "minimum": low, "maximum": low + 3}),
    st.integers(-5, 5).map(lambda low: {"type": "number", "minimum": low, "maximum": low + 3}),
    st.integers(0, 40).map(lambda most: {"type": "string", "maxLength": most}),
    st.lists(st.integers() | st.text(), min_size=1).map(lambda each: {"enum": each}),
    st.text().map(lambda word: {"const": word}),
    st.just({"type": ["null", "string"]}),
    st.just({"$ref": "#/$defs/part"}),
)


def _wider(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    objects = st.dictionaries(NAMES, inner).map(
        lambda parts: {
            "type": "object",
            "properties": parts,
            "required": list(parts),
            "additionalProperties": False,
        }
    )
    arrays = inner.map(lambda items: {"type": "array", "items": items})
    either = st.lists(inner, min_size=1, max_size=2).map(lambda each: {"anyOf": each})
    return objects | arrays | either


@given(st.recursive(LEAVES, _wider, max_leaves=8), st.integers())
def test_what_is_made_up_fits_its_schema(schema: dict[str, Any], seed: int) -> None:
    schema["$defs"] = {"part": {"type": "object", "properties": {"x": {"type": "integer"}}}}
    made = made_up(schema, random.Random(seed))
    assert fits(made, schema)
    assert made == made_up(schema, random.Random(seed))


def test_a_schema_of_nothing_makes_something() -> None:
    assert made_up({"type": "array"}, random.Random(0))
    assert made_up({"type": "array", "items": {"enum": []}}, random.Random(0))


def test_a_picture_counts_the_same_whatever_its_size() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "x" * 90_000}}
    alone = tokens_of_block(picture)
    assert PICTURE <= alone < PICTURE + 10
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [picture]}
    assert PICTURE < tokens_of_block(result) < PICTURE + 20


def test_a_mark_counts_nothing() -> None:
    tool = {"name": "look", "input_schema": {"type": "object"}}
    assert tokens_of_block(tool) == tokens_of_block(tool | {"cache_control": {"type": "ephemeral"}})


def test_a_picture_can_be_asked_about() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    content: list[Any] = [{"type": "image", "source": source}, {"type": "text", "text": "What?"}]
    with served() as (_, client):
        reply = client.messages.create(
            model="claude-haiku-4-5",
            max_tokens=100,
            messages=[{"role": "user", "content": content}],
        )
    assert reply.usage.input_tokens > PICTURE
