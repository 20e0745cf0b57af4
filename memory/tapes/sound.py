"""JSON from outside made so that any reader can take it: whole characters, numbers that are doubles, no secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, TypeAlias

from memory.codec import whole
from memory.errors import MalformedRecord
from memory.tapes.canonical import EXACT

Mask: TypeAlias = Callable[[str], str]


def sound(value: object, mask: Mask) -> Any:  # noqa: ANN401  # the same shape as came in
    """Return a copy of `value` with every text whole and masked, and every number as a double has it.

    Raises:
        MalformedRecord: when it holds something that is not JSON.
    """
    if isinstance(value, str | bytes):
        return mask(sound_text(value))
    if isinstance(value, Mapping):
        return {mask(sound_text(str(key))): sound(each, mask) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [sound(each, mask) for each in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(value)
    message = f"{type(value).__name__} is not JSON; give what the Messages API sends or answers."
    raise MalformedRecord(message)


def sound_text(text: str | bytes) -> str:
    """Return `text` with U+FFFD in the place of bytes that are no UTF-8 and of halves of characters."""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else whole(text)


def _number(value: float) -> float | str:
    """Return what a double makes of `value`; what no double can be is kept as text."""
    if isinstance(value, int) and abs(value) < EXACT:
        return value
    try:
        double = float(value)
    except OverflowError:
        return str(value)
    return double if isfinite(double) else str(value)
