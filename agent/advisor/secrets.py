"""Masks keys in everything that is read from a service, and in everything that is written or shown.

Covered for each secret of known value (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and further values): every part of it with
at least sixteen letters and digits, in upper or lower case, with any other characters between these, as it is, backwards,
in base64, plain or for URLs, also inside a longer text such as a header of basic authorization, or in hexadecimal digits;
with characters as %2D, \\u002d, \\x2d, &#45; or &#x2d;, also encoded twice.

Covered for unknown secrets: text that begins with sk-ant-, text after Bearer, and the values of the headers x-api-key
and authorization, up to the first white space or quotation mark.

Not covered: known secrets of fewer than eight letters and digits, which could be words; parts of fewer than sixteen,
except those with a known beginning; secrets that were compressed, encrypted or described in words.
"""

import base64
import logging
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from agent.errors import UsageError

NO_KEY: Final = "there is no key for Claude: set ANTHROPIC_API_KEY, or play without a model"
VARIABLES: Final = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
MASKED: Final = "[secret]"
MIN_SIZE: Final = 8  # letters and digits; shorter secrets would mask words of the game
MIN_PART: Final = 16  # letters and digits of a secret that are masked without the rest
_DASH: Final = r"(?:-|%(?:25)*2d|\\u002d|\\x2d|&\#45;|&\#x2d;)"
_QUOTE: Final = r"""(?:\\*["'])?"""
# The name before a value stays, so that a log shows which header it was.
_UNNAMED: Final = re.compile(
    rf"sk{_DASH}ant{_DASH}(?:\w|{_DASH}){{4,}}"
    rf"""|(?P<header>(?:x-api-key|authorization){_QUOTE}\s*[:=,]\s*(?:b?\\*["'])?(?:(?:bearer|basic)\s+)?+)"""
    r"""(?!\[secret\])[^\s"'\\,;}]{4,}"""
    r"|(?P<bearer>\bbearer(?:\s|%20|\+)++)(?=[\w.~+/=%-]{0,200}\d)[\w.~+/=%-]{12,}",
    re.IGNORECASE,
)
_LINE_END: Final = r"\\[nrtbfv]"  # of JSON or of `repr`; or a backslash before a letter
_CODES: Final = (
    r"\\(?:u00|x)(?P<hex>[0-9a-f]{2})|%(?:25)*(?P<url>[0-9a-f]{2})"
    r"|&(?:amp;)*\#0{0,8}(?P<decimal>\d{1,3});|&(?:amp;)*\#x0{0,8}(?P<entity>[0-9a-f]{1,2});"
)
_ENCODINGS: Final = tuple(
    re.compile(each, re.IGNORECASE) for each in (_CODES, f"{_CODES}|{_LINE_END}")
)
_OTHER: Final = re.compile("[^a-z0-9]+")  # what may stand between the characters of a secret


def require_credentials(environment: Mapping[str, str]) -> None:
    """Raise UsageError where nothing can hold a key for Claude; quick, without the SDK, which checks what there is."""
    is_named = any(name.startswith("ANTHROPIC_") for name, value in environment.items() if value)
    if not is_named and not Path(environment.get("HOME", "/"), ".config", "anthropic").exists():
        raise UsageError(NO_KEY)


class Mask:
    """Replaces secrets in a text by `[secret]`. Its `repr` does not reveal them."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets for form in _forms(secret.strip())}
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        # Each part of `MIN_PART` characters contains a whole one of these.
        self._probes = frozenset(probe for form in self._forms for probe in _probes(form))
        self._shortest = min(map(len, self._probes), default=sys.maxsize)

    def __repr__(self) -> str:
        return "Mask()"

    def __call__(self, text: str) -> str:
        """Return `text` without any secret."""
        for codes in _ENCODINGS:
            if len(text) < self._shortest:  # as most names of fields
                break
            text = self._without_known(text, codes)
        return _UNNAMED.sub(
            lambda found: f"{found['header'] or found['bearer'] or ''}{MASKED}", text
        )

    def _without_known(self, text: str, codes: re.Pattern[str]) -> str:
        bare = _bare(codes.sub(_decoded, text))
        if not any(probe in bare for probe in self._probes):
            return text
        pieces, done = [], 0
        for begin, end in self._found_in(text, codes):
            if begin >= done:
                pieces += [text[done:begin], MASKED]
            done = max(done, end)
        return "".join([*pieces, text[done:]])

    def _found_in(self, text: str, codes: re.Pattern[str]) -> list[tuple[int, int]]:
        """Return begin and end in `text` of each part of a secret, in order."""
        kept, begins, ends = [], [], []
        for begin, end, char in _characters(text, codes):
            for each in _bare(char):
                kept.append(each)
                begins.append(begin)
                ends.append(end)
        bare = "".join(kept)
        parts = (part for form in self._forms for part in _parts(bare, form))
        return sorted((begins[first], ends[last - 1]) for first, last in parts)


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


def _bare(text: str) -> str:
    """Return the letters and digits of `text` in lower case."""
    return _OTHER.sub("", text.lower())


def _forms(secret: str) -> Iterator[str]:
    """Yield the letters and digits of each form of a secret."""
    bare = _bare(secret)
    if len(bare) < MIN_SIZE:
        return
    yield bare
    yield bare[::-1]
    yield secret.encode().hex()
    for before in range(3):
        whole = bytes(before) + secret.encode()
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            # The first and the last digit may also encode neighbouring characters.
            yield _bare(encode(whole).decode()[-(-before * 8 // 6) : len(whole) * 8 // 6])


def _shortest(form: str) -> int:
    return min(MIN_PART, len(form))


def _probes(form: str) -> Iterator[str]:
    size = (_shortest(form) + 1) // 2
    for at in range(0, len(form) - size + 1, size):
        yield form[at : at + size]


def _parts(bare: str, form: str) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each part of `form` in `bare` that has the shortest masked length."""
    size = (_shortest(form) + 1) // 2
    for at in range(0, len(form) - size + 1, size):
        found = bare.find(form[at : at + size])
        while found >= 0:
            begin, end = found, found + size
            before = _common(reversed(bare[max(0, begin - at) : begin]), reversed(form[:at]))
            after = _common(bare[end : end + len(form) - at - size], form[at + size :])
            if before + size + after >= _shortest(form):
                yield begin - before, end + after
            found = bare.find(form[at : at + size], end + after)


def _common(text: Iterable[str], form: Iterable[str]) -> int:
    """Return how many first characters of both are equal."""
    count = 0
    for one, other in zip(text, form, strict=False):
        if one != other:
            break
        count += 1
    return count


def _characters(text: str, codes: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    """Yield begin, end and character of each character of `text`, encoded or not."""
    done = 0
    for found in codes.finditer(text):
        yield from ((at, at + 1, text[at]) for at in range(done, found.start()))
        yield found.start(), found.end(), _decoded(found)
        done = found.end()
    yield from ((at, at + 1, text[at]) for at in range(done, len(text)))


def _decoded(found: re.Match[str]) -> str:
    if digits := found["hex"] or found["url"] or found["entity"]:
        return chr(int(digits, 16))
    return chr(int(found["decimal"])) if found["decimal"] else " "
