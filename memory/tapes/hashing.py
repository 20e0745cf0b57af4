"""The hash and the encoding of tape nodes: JSON without secrets, canonical JSON of RFC 8785, and hash v1.

Hash v1 is the hash of all Tapes releases with SQLite files.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from json.encoder import encode_basestring
from math import isfinite
from typing import Any, Final, TypeAlias

from memory.codec import valid_unicode
from memory.errors import MalformedRecord

MASKED: Final = "[masked]"
_NAMES: Final = r"x-api-key|api[_-]?key|auth[_-]?token|authorization|password|secret"
# A pattern is searched only in texts that contain one of the words before it; most texts have none.
_SECRETS: Final = (
    (("sk-",), re.compile(r"\bsk-[A-Za-z0-9_-]{16,}")),  # Anthropic's, OpenAI's
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}")),
    (("github_pat_",), re.compile(r"\bgithub_pat_\w{20,}")),
    (("akia",), re.compile(r"\bAKIA[0-9A-Z]{16}\b")),  # Amazon's
    (("://",), re.compile(r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)")),  # a password in a URL
    (("bearer",), re.compile(r"(?<=\bbearer\s)[A-Za-z0-9._~+/=-]{16,}", re.IGNORECASE)),
    (
        ("key", "token", "authorization", "password", "secret"),
        re.compile(
            rf"""(?<![A-Za-z])((?:{_NAMES})["']?\s*[:=]\s*["']?)(?!bearer\b)[A-Za-z0-9._~+/=-]{{8,}}""",
            re.IGNORECASE,
        ),
    ),
    (
        ("private key",),
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
            re.DOTALL,
        ),
    ),
)


def mask_secrets(text: str) -> str:
    """Return `text` with `[masked]` in place of keys, tokens and passwords."""
    lowered = text.lower()
    for words, pattern in _SECRETS:
        if any(word in lowered for word in words):
            text = pattern.sub(lambda found: (found[1] if found.re.groups else "") + MASKED, text)
    return text


EXACT_INTEGERS: Final = 2**53  # from here on a double cannot represent every integer


def canonical(value: Any) -> str:  # noqa: ANN401  # any JSON
    """Return the canonical JSON of `value`: keys sorted by UTF-16 units, numbers as in ECMAScript.

    Raises TypeError for a value that is not JSON, and ValueError for a number that no double can represent.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, Mapping):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{encode_basestring(k)}:{canonical(value[k])}" for k in keys) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical, value)) + "]"
    return _scalar(value)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) < EXACT_INTEGERS:
        return str(value)
    if isinstance(value, int | float):
        return _double(float(value))
    raise TypeError(f"{type(value).__name__} is not JSON")


def _double(number: float) -> str:
    """Return `number` as by ECMAScript's Number::toString, whose exponents differ from Python's repr."""
    if number == 0:
        return "0"  # negative zero too
    if number - number != 0:
        raise ValueError(f"{number} is not JSON")
    _, figures, exponent = Decimal(repr(number)).normalize().as_tuple()
    digits = "".join(map(str, figures))
    point = len(digits) + int(exponent)  # digits before the point
    return ("-" if number < 0 else "") + _with_point(digits, point)


def _with_point(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


Mask: TypeAlias = Callable[[str], str]


def clean(value: object, mask: Mask) -> Any:  # noqa: ANN401  # the same shape as the input
    """Return a copy of `value` with valid, masked texts, and numbers as doubles represent them.

    Raises MalformedRecord for a value that is not JSON.
    """
    if isinstance(value, str | bytes):
        return mask(clean_text(value))
    if isinstance(value, Mapping):
        return {mask(clean_text(str(key))): clean(each, mask) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [clean(each, mask) for each in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(value)
    message = f"{type(value).__name__} is not JSON; give a request or reply of the Messages API."
    raise MalformedRecord(message)


def clean_text(text: str | bytes) -> str:
    """Return `text` with U+FFFD in place of invalid UTF-8 and lone surrogates."""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else valid_unicode(text)


def _number(value: float) -> float | str:
    """Return the double nearest to `value`, or its text when no double can represent it."""
    if isinstance(value, int) and abs(value) < EXACT_INTEGERS:
        return value
    try:
        double = float(value)
    except OverflowError:
        return str(value)
    return double if isfinite(double) else str(value)


KEYS: Final = (
    "type", "text", "image_url", "image_base64", "media_type", "tool_use_id", "tool_name", "tool_input",
    "tool_result_id", "tool_output", "is_error",
)  # fmt: skip
# Go's encoder escapes markup characters and Unicode line separators.
_ESCAPES: Final = (
    ("<", "\\u003c"),
    (">", "\\u003e"),
    ("&", "\\u0026"),
    ("\u2028", "\\u2028"),
    ("\u2029", "\\u2029"),
)


@dataclass(frozen=True, slots=True)
class Bucket:
    """The hashed part of a node, without stop reason, usage, project and time."""

    role: str
    blocks: Sequence[Mapping[str, Any]]
    model: str
    provider: str = "anthropic"
    agent_name: str = ""
    type: str = "message"

    def hash(self, parent: str | None) -> str:
        """Return the hash of this bucket after `parent`, None for a root, as 64 hex digits.

        Raises TypeError or ValueError for a block that is not JSON.
        """
        content = [
            {**compact(block), "is_error": bool(block.get("is_error"))} for block in self.blocks
        ]
        node = {"parent": parent or "", "content": self._members(content)}
        return sha256(canonical(node).encode()).hexdigest()

    def stored(self) -> bytes:
        """Return the JSON for the column `bucket`."""
        return stored_json(self._members([compact(block) for block in self.blocks] or None))

    def stored_content(self) -> bytes:
        """Return the JSON for the column `content`: null without blocks."""
        return stored_json([compact(block) for block in self.blocks] or None)

    def _members(self, content: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
        members = {
            "type": self.type,
            "role": self.role,
            "content": content,
            "model": self.model,
            "provider": self.provider,
        }
        return {**members, "agent_name": self.agent_name} if self.agent_name else members


def compact(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored part of a block: its known keys, without empty values and a false `is_error`."""
    return {key: block[key] for key in KEYS if key in block and not _is_empty(block[key])}


def stored_json(value: object) -> bytes:
    """Return the JSON of `value` as stored in tapes: sorted keys, no spaces, escapes of Go."""
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return text.encode()


def _is_empty(value: object) -> bool:
    return value is None or value is False or (isinstance(value, str | dict | list) and not value)
