"""The mask finds keys in every form in which they could be written."""

import base64
import io
import json
import logging
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.secrets import MASKED, Mask, MaskingFilter, mask_for, masked, require_credentials
from agent.errors import UsageError

KEY = "sk-ant-api03-Zz9_qwErtY-uiop0123456789-asDFgh_AA"
TOKEN = "gateway/t0ken+with=odd&signs"
MASK = mask_for({"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_AUTH_TOKEN": TOKEN, "HOME": "/root"})


def chunks(text: str, width: int, between: str) -> str:
    return between.join(text[at : at + width] for at in range(0, len(text), width))


FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda secret: secret,
    "lower": str.lower,
    "dots": ".".join,
    "dashes": "-".join,
    "backwards": lambda secret: secret[::-1],
    "lines": lambda secret: chunks(secret, 7, "\n"),
    "windows lines": lambda secret: chunks(secret, 7, "\r\n    "),
    "single characters": lambda secret: chunks(secret, 1, " "),
    "continued lines": lambda secret: chunks(secret, 9, "\\\n"),
    "zero width": lambda secret: chunks(secret, 3, "\u200b"),
    "right to left": lambda secret: chunks(secret, 3, "\u202e"),
    "escaped lines": lambda secret: chunks(secret, 9, "\\n"),
    "lines in json": lambda secret: json.dumps(json.dumps(chunks(secret, 9, "\n"))),
    "url": lambda secret: quote(secret, safe=""),
    "url of every byte": lambda secret: "".join(f"%{byte:02x}" for byte in secret.encode()),
    "url twice": lambda secret: quote(quote(secret, safe=""), safe=""),
    "unicode": lambda secret: "".join(f"\\u{ord(char):04x}" for char in secret),
    "hexadecimal escapes": lambda secret: "".join(f"\\x{ord(char):02x}" for char in secret),
    "entities": lambda secret: "".join(f"&#{ord(char)};" for char in secret),
    "entities in hexadecimal": lambda secret: "".join(f"&#x{ord(char):x};" for char in secret),
    "hexadecimal": lambda secret: secret.encode().hex(),
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "base64 for urls": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
    "basic": lambda secret: base64.b64encode(f"user:{secret}".encode()).decode(),
    "base64 in lines": lambda secret: chunks(base64.b64encode(secret.encode()).decode(), 16, "\n"),
}


@pytest.mark.parametrize("secret", [KEY, TOKEN], ids=["key", "token"])
@pytest.mark.parametrize("form", FORMS)
def test_a_known_secret_is_masked_in_every_form(form: str, secret: str) -> None:
    hidden = FORMS[form](secret)
    masked = MASK(f"it failed with {hidden} in it")
    assert MASKED in masked
    left = masked.replace(MASKED, "").removeprefix("it failed with ").removesuffix(" in it")
    assert len(left) <= 10  # quotation marks and base64 digits shared with neighbours


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from([KEY, TOKEN]))
def test_a_secret_is_masked_in_any_text(before: str, after: str, secret: str) -> None:
    assert secret not in MASK(before + secret + after)


@given(st.text())
def test_masking_twice_equals_masking_once(text: str) -> None:
    assert MASK(MASK(text + KEY)) == MASK(text + KEY)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key sk-ant-api03-other_key-77.", f"key {MASKED}."),
        ("?key=sk%2Dant%2Dapi03%2Dother", f"?key={MASKED}"),
        ("Authorization: Bearer abc.def-123", f"Authorization: Bearer {MASKED}"),
        ("{'x-api-key': 'short-key'}", f"{{'x-api-key': '{MASKED}'}}"),
        ('{\\"x-api-key\\": \\"short-key\\"}', f'{{\\"x-api-key\\": \\"{MASKED}\\"}}'),
        ("(b'authorization', b'Basic dXNlcg==')", f"(b'authorization', b'Basic {MASKED}')"),
        ("curl with bearer abcdef0123456789", f"curl with bearer {MASKED}"),
    ],
)
def test_unknown_secrets_are_masked_by_their_pattern(text: str, masked: str) -> None:
    assert Mask()(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "PROF.OAK: Hello there! Welcome to the world of POKéMON!",
        "the bearer of bad tidings understandably left",
        "authorization failed",
        "task-antenna and sk-ant",
        "lone \ud800 surrogate",
        "",
    ],
)
def test_plain_text_is_not_masked(text: str) -> None:
    assert MASK(text) == text


def test_a_key_of_a_few_letters_masks_nothing() -> None:
    assert mask_for({"ANTHROPIC_API_KEY": "any"})("any word") == "any word"


def test_strings_and_names_in_json_are_masked() -> None:
    found = masked({"a": [KEY, 1, None, ({"b": TOKEN},)], KEY: True, "raw": b"x"}, MASK)
    assert found == {"a": [MASKED, 1, None, [{"b": MASKED}]], MASKED: True, "raw": b"x"}


def test_the_repr_of_a_mask_hides_its_secrets() -> None:
    assert KEY not in repr(MASK)
    assert repr(MASK) == "Mask()"


def logged(*arguments: object, fail: bool = False, **extra: object) -> str:
    """Return what a handler with the filter writes for one record and its error."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logging.Formatter("%(message)s %(extra)s", defaults={"extra": ""}))
    handler.addFilter(MaskingFilter(MASK))
    logger = logging.Logger("of this test")
    logger.addHandler(handler)
    try:
        if fail:
            message = f"no answer for {KEY}"
            raise ConnectionError(message) from ValueError(TOKEN)
        logger.warning(*arguments, extra=extra or None)
    except ConnectionError:
        logger.exception(*arguments, extra=extra or None)
    return out.getvalue()


def test_a_log_holds_no_secret() -> None:
    assert logged("asked with %s", KEY) == f"asked with {MASKED} \n"
    assert logged("asked", extra={"headers": [KEY]}) == f"asked {{'headers': ['{MASKED}']}}\n"
    wrong = logged("%d keys", KEY)
    assert wrong.startswith("%d keys")
    assert KEY not in wrong


def test_errors_in_a_log_hold_no_secret() -> None:
    text = logged("failed", fail=True)
    assert f"no answer for {MASKED}" in text
    assert "ValueError" in text
    assert KEY not in text
    assert TOKEN not in text


LONG = 200_000  # characters; in quadratic time they would take hours


@pytest.mark.parametrize(
    "part", ["s", "s \\", "%25", "bearer ", "bearer+", "authorization: ", "authorization\\"]
)
def test_a_long_text_of_near_matches_is_masked_quickly(part: str) -> None:
    text = part * (LONG // len(part))
    assert MASK(text).replace(MASKED, part)


def test_a_long_text_after_a_header_name_is_masked_quickly() -> None:
    for text in (f"bearer{'+' * LONG}", f"authorization{chr(92) * LONG}"):
        assert MASK(text) == text


@pytest.mark.parametrize("form", ["plain", "dots", "backwards"])
def test_a_part_of_sixteen_letters_and_digits_is_masked_and_a_shorter_one_is_not(form: str) -> None:
    part = KEY.replace("-", "").replace("_", "")[8:]
    assert MASK(f"it is {FORMS[form](part[:16])}.") == f"it is {MASKED}."
    shorter = f"it is {FORMS[form](part[:15])}."
    assert MASK(shorter) == shorter


@pytest.mark.parametrize("form", ["base64", "hexadecimal", "url of every byte", "unicode"])
def test_an_encoded_part_is_masked(form: str) -> None:
    for at in range(12, 16):
        assert MASKED in MASK(f"it is {FORMS[form](KEY[at : at + 24])}.")


def test_both_halves_of_a_secret_are_masked() -> None:
    half = len(KEY) // 2 + 1
    assert MASK(f"{KEY[:half]} and {KEY[half:]}") == f"{MASKED} and {MASKED}"


def test_where_nothing_can_hold_a_key_there_is_none(tmp_path: Path) -> None:
    bare = {"HOME": str(tmp_path), "ANTHROPIC_API_KEY": ""}
    for without in (bare, {}):
        with pytest.raises(UsageError, match="there is no key for Claude: set ANTHROPIC_API_KEY"):
            require_credentials(without)
    require_credentials({**bare, "ANTHROPIC_AUTH_TOKEN": "x"})
    (tmp_path / ".config" / "anthropic").mkdir(parents=True)  # where the SDK keeps a login
    require_credentials(bare)
