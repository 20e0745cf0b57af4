"""A request has no more tokens than was said."""

import json

import pytest

from agent.advisor.model import Request
from agent.advisor.money import most_input_tokens
from agent.advisor.money.limits import ADDED, PICTURE


def request(text: str, **more: object) -> Request:
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    return Request("m", [], messages, 10, **more)  # type: ignore[arg-type]


EMPTY = most_input_tokens(request(""))


@pytest.mark.parametrize("text", ["abc", "é", "火", "🔥", "\ud800", "\x00", "\u200b", '"\\'])
def test_every_byte_counts_for_a_token(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert most_input_tokens(request(text)) - EMPTY >= size


def test_text_that_a_tokenizer_makes_longer_counts_as_what_it_becomes() -> None:
    assert most_input_tokens(request("\ufdfa")) - EMPTY == len("صلى الله عليه وسلم".encode())


def test_all_that_is_sent_counts() -> None:
    tools = [{"name": "look", "input_schema": {"type": "object"}}]
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    bare = Request("m", [], [], 10)
    for part in ({"tools": tools}, {"output_schema": schema}, {"system": tools}):
        whole = Request(**{"model": "m", "system": [], "messages": [], "max_tokens": 10, **part})  # type: ignore[arg-type]
        (sent,) = part.values()
        assert most_input_tokens(whole) - most_input_tokens(bare) >= len(json.dumps(sent)) - 4


def test_words_of_the_service_count_too() -> None:
    assert most_input_tokens(Request("m", [], [], 10)) >= ADDED


def test_a_picture_counts_for_the_largest_there_is_wherever_it_is() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    result = {"type": "tool_result", "content": [picture, picture]}
    messages = [{"role": "user", "content": [picture, result]}]
    assert most_input_tokens(Request("m", [], messages, 10)) >= ADDED + 3 * PICTURE
