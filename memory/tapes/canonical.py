"""JSON in the one spelling of RFC 8785, of which hashes are taken. Knows nothing of tapes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, Final

EXACT: Final = 2**53  # from here on a double cannot tell an integer from the next


def canonical(value: Any) -> str:  # noqa: ANN401  # any JSON
    """Return the one text of `value`: keys by their UTF-16 units, numbers as ECMAScript writes doubles.

    Raises:
        TypeError: when `value` holds what is not JSON.
        ValueError: when it holds a number that is none, or one that no double can be.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, Mapping):
        keys = sorted(value, key=_utf16)
        return "{" + ",".join(f"{encode_basestring(k)}:{canonical(value[k])}" for k in keys) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical, value)) + "]"
    return _scalar(value)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) < EXACT:
        return str(value)
    if isinstance(value, int | float):
        return _double(float(value))
    message = f"{type(value).__name__} is not JSON"
    raise TypeError(message)


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")


def _double(number: float) -> str:
    """Return `number` by ECMAScript's Number::toString, which differs from Python's repr in the exponents."""
    if number == 0:
        return "0"  # minus nothing too
    if number - number != 0:
        message = f"{number} is not JSON"
        raise ValueError(message)
    _, figures, exponent = Decimal(repr(number)).normalize().as_tuple()
    digits = "".join(map(str, figures))
    point = len(digits) + int(exponent)  # how many of them come before it
    return ("-" if number < 0 else "") + _placed(digits, point)


def _placed(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"
