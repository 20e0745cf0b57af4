"""Masks keys in everything that is written: tapes, events, reports, logs and errors.

Covered for each secret of known value (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and further values), in any combination
and in upper or lower case: plain; with white space, line ends, invisible characters or backslashes (of JSON, of `repr`,
of a continued shell line) between its characters; with characters as %2D (also encoded twice), \u002d, \x2d, &#45; or
&#x2d;; as hexadecimal digits; and as base64, plain or for URLs, also inside a longer text such as a header of basic
authorization.

Covered for unknown secrets: text that begins with sk-ant-, text after Bearer, and the values of the headers x-api-key
and authorization, up to the first white space or quotation mark.

Not covered: known secrets of fewer than eight characters, which could be words; secrets that were cut before masking,
except those with a known beginning; secrets that were compressed, encrypted, reversed or described in words. Therefore
mask first and cut afterwards.
"""

import base64
import logging
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

VARIABLES: Final = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
MASKED: Final = "[secret]"
MIN_SIZE: Final = 8  # characters; shorter secrets would mask words of the game
_GAP: Final = (
    r"(?:[\s\u00ad\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]"
    r"|\\[nrtbfv]|\\u00(?:0[9a-d]|20)|%(?:25)*(?:0[9ad]|20)|\\)*"
)
_DASH: Final = r"(?:-|%(?:25)*2d|\\u002d|\\x2d|&\#45;|&\#x2d;)"
_QUOTE: Final = r"""(?:\\*["'])?"""
# The name before a value stays, so that a log shows which header it was.
_UNNAMED: Final = (
    rf"sk{_DASH}ant{_DASH}(?:\w|{_DASH}){{4,}}",
    rf"""(?P<header>(?:x-api-key|authorization){_QUOTE}\s*[:=,]\s*(?:b?\\*["'])?(?:(?:bearer|basic)\s+)?+)"""
    r"""(?!\[secret\])[^\s"'\\,;}]{4,}""",
    r"(?P<bearer>\bbearer(?:\s|%20|\+)++)(?=[\w.~+/=%-]{0,200}\d)[\w.~+/=%-]{12,}",
)


class Mask:
    """Replaces secrets in a text by `[secret]`. Its `repr` does not reveal them."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({each.strip() for each in secrets if len(each.strip()) >= MIN_SIZE}, key=len)
        forms = [form for secret in reversed(known) for form in _forms(secret)]
        self._pattern = re.compile("|".join((*forms, *_UNNAMED)), re.IGNORECASE)

    def __repr__(self) -> str:
        return "Mask()"

    def __call__(self, text: str) -> str:
        """Return `text` without any secret."""
        return self._pattern.sub(
            lambda found: f"{found['header'] or found['bearer'] or ''}{MASKED}", text
        )


def masked(value: Any, mask: Callable[[str], str]) -> Any:  # noqa: ANN401 -- the shape stays
    """Return a JSON value with every string in it masked, field names included."""
    match value:
        case str():
            return mask(value)
        case Mapping():
            return {masked(key, mask): masked(each, mask) for key, each in value.items()}
        case Sequence() if not isinstance(value, bytes | bytearray):
            return [masked(each, mask) for each in value]
        case _:
            return value


class MaskingFilter(logging.Filter):
    """A logging filter that masks the message, the error and all extra fields of a record.

    Add it to handlers, not to loggers: the filters of a logger do not see the records of its children.
    """

    def __init__(self, mask: Mask) -> None:
        super().__init__()
        self._mask = mask

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask the secrets in `record` and return True, so that it is logged."""
        record.msg, record.args = _message(record), None
        if record.exc_info:
            kind, error, trace = record.exc_info
            record.exc_text = "".join(traceback.format_exception(kind, error, trace)).rstrip()
            record.exc_info = None  # a handler would format it again, unmasked
        for name, value in vars(record).items():
            if isinstance(value, str | Mapping | list | tuple):
                setattr(record, name, masked(value, self._mask))
        return True


def mask_for(environment: Mapping[str, str], *more: str) -> Mask:
    """Return a mask for the keys in `environment`, and for `more` secrets."""
    return Mask([*(environment.get(name, "") for name in VARIABLES), *more])


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):  # arguments of another format; logging must not fail
        return f"{record.msg} {record.args!r}"


def _forms(secret: str) -> list[str]:
    """Return a pattern for each form of a secret."""
    coded = sorted({secret.encode().hex(), *_in_base64(secret)})
    spelled = [[_character(char) for char in secret]]
    spelled += [
        [_character(char) if not char.isalnum() else char for char in form] for form in coded
    ]
    return [_GAP.join(characters) for characters in spelled]


def _in_base64(secret: str) -> list[str]:
    """Return the parts of a secret's base64 that do not depend on its offset or on the text around it."""
    wholes = [bytes(before) + secret.encode() for before in range(3)]
    return [
        # The first and the last digit may also encode neighbouring characters.
        encode(whole).decode()[-(-before * 8 // 6) : len(whole) * 8 // 6]
        for before, whole in enumerate(wholes)
        for encode in (base64.b64encode, base64.urlsafe_b64encode)
    ]


def _character(char: str) -> str:
    """Return a pattern that matches one character in each of its encodings."""
    code = f"{ord(char):02x}"
    as_bytes = "".join(f"%(?:25)*{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
    spellings = (
        re.escape(char),
        as_bytes,
        rf"\\u{ord(char):04x}",
        rf"\\x{code}",
        rf"&\#0*{ord(char)};",
        rf"&\#x0*{code};",
    )
    return f"(?:{'|'.join(spellings)})"
