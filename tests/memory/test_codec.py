"""Texts of JSON and TOML from outside are read within limits, and a value is stored only within them."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from memory.codec import MAX_DEPTH, decode, decode_toml, encode, require_json
from memory.errors import MalformedRecord


def nest(depth: int, left: str = "[", right: str = "]", inner: str = "") -> str:
    return left * depth + inner + right * depth


def of_toml(text: str) -> dict[str, Any]:
    return decode_toml(f"x = {text}", parse_float=Decimal)


@pytest.mark.parametrize("read", [decode, of_toml])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (nest(MAX_DEPTH + 1), "deeper than 64"),
        (nest(100_000), "deeper than 64"),
        ("9" * 400, "too large"),
        (f"[1, {'9' * 4_299}]", "too large"),
        ("9" * 5_000, "4300 digits"),
        ("1e400", "too large"),
        (f"[{'9' * 400}.0]", "too large"),
        ("-1e999999999", "too large"),
    ],
)
def test_values_beyond_the_limits_are_refused(
    read: Callable[[str], Any], text: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        read(text)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", '{"a": [NaN]}'])
def test_json_has_only_numbers(text: str) -> None:
    with pytest.raises(ValueError, match="not a number of JSON"):
        decode(text)


@pytest.mark.parametrize(
    "text", ["x = nan", "x = inf", f"x{'.x' * 100_000} = 1", f"[x{' . x' * MAX_DEPTH}]", '"a b" . ' * 70 + "x = 1"]
)  # fmt: skip
def test_toml_beyond_the_limits_is_refused_at_once(text: str) -> None:
    with pytest.raises(ValueError, match=r"deeper than 64|too large"):
        decode_toml(text)


def test_values_within_the_limits_are_read() -> None:
    assert decode(nest(MAX_DEPTH)) is not None
    assert decode(nest(MAX_DEPTH - 1, '{"a":', "}", "1")) is not None
    assert decode(f"[{'9' * 305}, 1e300, {'[1],' * 500}1]")[0] == int("9" * 305)
    wide = encode({"rows": [[number, {"a": number}] for number in range(1_000)]})
    assert encode(decode(wide)) == wide
    assert decode_toml("a.b.c = 1.5\nd = '...'") == {"a": {"b": {"c": 1.5}}, "d": "..."}


@pytest.mark.parametrize("depth", [40, 5_000, 100_000])
def test_a_deep_nest_is_not_stored(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    with pytest.raises(MalformedRecord, match="deeper than 32"):
        require_json({"x": value})


def test_the_error_for_a_value_that_is_not_json_is_short() -> None:
    with pytest.raises(MalformedRecord) as raised:
        encode({"x": {"y": ["z" * 100_000, float("nan")]}})
    assert len(str(raised.value)) < 500
